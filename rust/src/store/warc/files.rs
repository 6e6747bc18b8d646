//! The files of a crawl: `prefix-00000.warc.gz` and so on, each with `.open` behind its name until it is closed.

use super::{Compression, Encoder};
use crate::collection::files::{Writer, rename};
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
        let explain = |source| CollectionError::from_io(folder, "list", source);
        let mut serial = 0;
        for entry in std::fs::read_dir(folder).map_err(explain)? {
            let name = entry.map_err(explain)?.file_name();
            let number = name
                .to_str()
                .and_then(|name| name.strip_prefix(prefix)?.strip_prefix('-'))
                .and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
            serial = serial.max(number.map_or(0, |number| number + 1));
        }
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
            serial,
            open: None,
        })
    }

    /// Goes on with a file that was left open, of which the first `length` bytes count; before the first batch.
    pub fn resume(&mut self, name: &str, length: u64) -> Result<()> {
        let path = self.folder.join(format!("{name}.open"));
        let explain = |source| CollectionError::from_io(&path, "write", source);
        let file = OpenOptions::new().write(true).open(&path);
        file.and_then(|file| file.set_len(length))
            .map_err(explain)?;
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
        Ok((writer, name))
    }

    /// The open file and its length.
    pub fn position(&self) -> Option<Place<'_>> {
        self.open.as_ref().map(|(writer, name)| Place {
            name,
            offset: writer.position(),
        })
    }

    /// Returns when every batch so far would survive a power cut.
    pub fn sync(&self) -> Result<()> {
        self.open
            .as_ref()
            .map_or(Ok(()), |(writer, _)| writer.sync())
    }

    /// Gives the open file its name.
    pub fn close(&mut self) -> Result<()> {
        let Some((writer, name)) = self.open.take() else {
            return Ok(());
        };
        writer.sync()?;
        let path = self.folder.join(&name);
        rename(&self.folder.join(format!("{name}.open")), &path)
    }
}
