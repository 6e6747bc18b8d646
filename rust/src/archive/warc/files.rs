//! The files of a crawl: `prefix-00000.warc.gz` and so on, each with `.open` behind its name until it is closed.

use super::{Compression, Encoder};
use crate::collection::faults::crash_point;
use crate::collection::files::{Writer, rename, sync_path};
use crate::collection::{CollectionError, Result};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// Where a batch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file's name once it is closed.
    pub name: &'a str,
    pub offset: u64,
}

/// Takes batches of whole records, and begins a file when the last one has its size.
pub struct Files {
    folder: PathBuf,
    prefix: String,
    suffix: &'static str,
    max_bytes: u64,
    fields: Vec<(String, String)>,
    dictionary: Vec<u8>,
    encoder: Encoder,
    serial: u32,
    open: Option<(Writer, String)>,
    /// the open file has a name that may not last
    is_new: bool,
    closed: Option<(String, u64)>,
}

impl Files {
    /// Files are numbered behind those of this prefix in `folder`. `fields` describe the crawl in the record that opens
    /// each file.
    pub fn new(
        folder: &Path,
        prefix: &str,
        max_bytes: u64,
        compression: &Compression,
        fields: &[(String, String)],
    ) -> Result<Self> {
        let (suffix, dictionary) = match compression {
            Compression::None => (".warc", None),
            Compression::Gzip(_) => (".warc.gz", None),
            Compression::Zstd { dictionary, .. } => (".warc.zst", dictionary.as_deref()),
        };
        // a skippable frame, as .warc.zst has it
        let dictionary = dictionary.map_or(Vec::new(), |dictionary| {
            let length = dictionary.len() as u32;
            let head = [0x184D_2A5D_u32.to_le_bytes(), length.to_le_bytes()];
            [head.as_flattened(), dictionary].concat()
        });
        Ok(Self {
            folder: folder.to_path_buf(),
            prefix: prefix.to_owned(),
            suffix,
            max_bytes,
            fields: fields.to_vec(),
            dictionary,
            encoder: Encoder::new(compression)?,
            serial: list_files(folder, prefix)?
                .last()
                .map_or(0, |(number, _)| number + 1),
            open: None,
            is_new: false,
            closed: None,
        })
    }

    /// Goes on where [`Files::position`] was: the first `length` bytes of the file `name`, open or closed, count, and
    /// nothing behind them. Later files of the prefix are removed.
    pub fn resume(&mut self, name: &str, length: u64) -> Result<()> {
        let path = self.folder.join(format!("{name}.open"));
        let closed = self.folder.join(name);
        if !path.exists() && closed.exists() {
            rename(&closed, &path)?;
        }
        let explain = |source| CollectionError::from_io(&path, "write", source);
        let file = OpenOptions::new().write(true).open(&path);
        file.and_then(|file| file.set_len(length))
            .map_err(explain)?;
        let own = number(name, &self.prefix).unwrap_or(0);
        for (number, path) in list_files(&self.folder, &self.prefix)? {
            if number > own {
                let explain = |source| CollectionError::from_io(&path, "remove", source);
                std::fs::remove_file(&path).map_err(explain)?;
            }
        }
        self.serial = own + 1;
        self.open = Some((Writer::append(&path)?, name.to_owned()));
        Ok(())
    }

    /// Writes a batch of whole records into one file. `date` (nanoseconds since 1970) is told by a file begun for it.
    pub fn append(&mut self, batch: &[u8], date: u64) -> Result<Place<'_>> {
        let full = |writer: &Writer| writer.position() + batch.len() as u64 > self.max_bytes;
        if self.open.as_ref().is_some_and(|(writer, _)| full(writer)) {
            self.close()?;
        }
        let (mut writer, name) = match self.open.take() {
            Some(open) => open,
            None => self.begin(date)?,
        };
        let offset = writer.position();
        let written = writer.put(batch);
        if written.is_err() {
            // half a record is of no use, and on a full disk its room is
            let _ = writer.cut(offset);
        }
        let (_, name) = self.open.insert((writer, name));
        written.map(|()| Place { name, offset })
    }

    fn begin(&mut self, date: u64) -> Result<(Writer, String)> {
        let name = format!("{}-{:05}{}", self.prefix, self.serial, self.suffix);
        let mut writer = Writer::create(&self.folder.join(format!("{name}.open")))?;
        self.serial += 1;
        let fields: Vec<_> = self
            .fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let mut opening = self.dictionary.clone();
        self.encoder
            .encode_info(&name, date, &fields, &mut opening)?;
        writer.put(&opening)?;
        self.is_new = true;
        crash_point("store.file-begun");
        Ok((writer, name))
    }

    /// The last file and its length, none before the first batch.
    pub fn position(&self) -> Option<Place<'_>> {
        let open = self.open.as_ref();
        let open = open.map(|(writer, name)| (name, writer.position()));
        open.or_else(|| self.closed.as_ref().map(|(name, length)| (name, *length)))
            .map(|(name, offset)| Place { name, offset })
    }

    /// Returns when every batch so far would survive a power cut.
    pub fn sync(&mut self) -> Result<()> {
        let Some((writer, _)) = &self.open else {
            return Ok(());
        };
        writer.sync()?;
        if std::mem::take(&mut self.is_new) {
            sync_path(&self.folder)?;
        }
        Ok(())
    }

    /// Gives the open file its name.
    pub fn close(&mut self) -> Result<()> {
        if let Some((writer, name)) = self.open.take() {
            crash_point("store.file-filled");
            writer.sync()?;
            self.is_new = false;
            let path = self.folder.join(&name);
            rename(&self.folder.join(format!("{name}.open")), &path)?;
            crash_point("store.file-closed");
            self.closed = Some((name, writer.position()));
        }
        Ok(())
    }
}

/// The files of a prefix by number, open ones too.
fn list_files(folder: &Path, prefix: &str) -> Result<Vec<(u32, PathBuf)>> {
    let explain = |source| CollectionError::from_io(folder, "list", source);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(explain)? {
        let path = entry.map_err(explain)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(number) = name.and_then(|name| number(name, prefix)) {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found)
}

fn number(name: &str, prefix: &str) -> Option<u32> {
    let rest = name.strip_prefix(prefix)?.strip_prefix('-')?;
    let (number, suffix) = rest.split_once('.')?;
    number.parse().ok().filter(|_| suffix.starts_with("warc"))
}
