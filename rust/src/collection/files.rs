//! The one writer of all our files: it knows what became durable, and it can be made to fail (see [`super::faults`]).

use super::faults::{self, Verdict};
use super::space::patiently;
use super::{CollectionError, Result};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file being written. It buffers nothing: what [`Write::write`] took is with the operating system, and what was
/// written before [`Writer::sync`] is on the disk.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    position: u64,
}

impl Writer {
    /// Opens `path` for writing from its start, emptying it.
    pub fn create(path: &Path) -> Result<Self> {
        Self::open(
            path,
            OpenOptions::new().write(true).create(true).truncate(true),
        )
    }

    /// Opens `path` for writing behind what it holds.
    pub fn append(path: &Path) -> Result<Self> {
        Self::open(path, OpenOptions::new().append(true).create(true))
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<Self> {
        let explain = |source| CollectionError::from_io(path, "write", source);
        let file = patiently(path, 0, || options.open(path)).map_err(explain)?;
        let position = file.metadata().map_err(explain)?.len();
        if position == 0 {
            faults::trace("created", path, String::new);
        }
        faults::crash_point("file.created");
        Ok(Self {
            file,
            path: path.to_path_buf(),
            position,
        })
    }

    /// Bytes in the file so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Takes all of `data`, or says why not in the words of the room.
    pub fn put(&mut self, data: &[u8]) -> Result<()> {
        self.write_all(data)
            .map_err(|source| CollectionError::from_io(&self.path, "write", source))
    }

    /// Returns when everything written so far would survive a power cut.
    pub fn sync(&self) -> Result<()> {
        sync_file(&self.file, &self.path)
    }

    /// Lets another thread sync what this one writes.
    pub fn syncer(&self) -> Result<Syncer> {
        let file = self.file.try_clone();
        let explain = |source| CollectionError::from_io(&self.path, "write", source);
        Ok(Syncer {
            file: file.map_err(explain)?,
            path: self.path.clone(),
        })
    }

    /// Takes back everything behind `length`: what is left of a write that failed.
    pub fn cut(&mut self, length: u64) -> Result<()> {
        let explain = |source| CollectionError::from_io(&self.path, "write", source);
        self.file.set_len(length).map_err(explain)?;
        self.file.seek(SeekFrom::Start(length)).map_err(explain)?;
        self.position = length;
        Ok(())
    }
}

/// A file that somebody else writes.
#[derive(Debug)]
pub struct Syncer {
    file: File,
    path: PathBuf,
}

impl Syncer {
    /// Returns when everything written before would survive a power cut.
    pub fn sync(&self) -> Result<()> {
        sync_file(&self.file, &self.path)
    }
}

impl Write for Writer {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut file = &self.file;
        let taken = patiently(&self.path, data.len(), || {
            match faults::on_write(&self.path, data.len()) {
                Verdict::Pass => file.write(data),
                Verdict::Part(keep) => file.write(&data[..keep]),
                Verdict::Fail(errno) => Err(io::Error::from_raw_os_error(errno)),
                Verdict::Tear { keep } => {
                    let _ = file.write_all(&data[..keep]);
                    faults::die();
                }
            }
        })?;
        self.position += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a file or directory durable that somebody else wrote.
pub fn sync_path(path: &Path) -> Result<()> {
    let file = File::open(path).map_err(|source| CollectionError::from_io(path, "sync", source))?;
    sync_file(&file, path)
}

fn sync_file(file: &File, path: &Path) -> Result<()> {
    let outcome = match faults::on_sync(path) {
        Some(errno) => Err(io::Error::from_raw_os_error(errno)),
        None => file.sync_all(),
    };
    outcome.map_err(|source| CollectionError::from_io(path, "sync", source))?;
    faults::trace("synced", path, || {
        file.metadata().map_or(0, |found| found.len()).to_string()
    });
    faults::crash_point("file.synced");
    Ok(())
}

/// Gives `source` the name `target`, replacing what was there, and makes the change durable.
pub fn rename(source: &Path, target: &Path) -> Result<()> {
    patiently(target, 0, || std::fs::rename(source, target))
        .map_err(|error| CollectionError::from_io(target, "write", error))?;
    faults::trace("renamed", source, || target.display().to_string());
    faults::crash_point("file.renamed");
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_path(folder),
        _ => sync_path(Path::new(".")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_writes_appends_and_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut writer = Writer::create(&path).unwrap();
        writer.put(b"one").unwrap();
        writer.sync().unwrap();
        let mut writer = Writer::append(&path).unwrap();
        writer.put(b"two").unwrap();
        assert_eq!(writer.position(), 6);
        rename(&path, &folder.path().join("b")).unwrap();
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), b"onetwo");
    }

    #[test]
    fn a_device_without_space_is_told_from_a_broken_one() {
        let mut writer = Writer::create(Path::new("/dev/full")).unwrap();
        let error = writer.put(b"x").unwrap_err();
        assert!(matches!(error, CollectionError::DiskFull { .. }), "{error}");
    }
}
