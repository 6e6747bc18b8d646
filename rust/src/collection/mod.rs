//! What every room needs of the disk and of its user: writers that can be made to fail, digests, progress.

pub mod faults;
pub mod files;
pub mod numbers;
pub mod progress;
pub mod space;
pub mod verify;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with files of ours; `python/errors.rs` turns each case into the exception of its name.
#[derive(Debug)]
pub enum CollectionError {
    /// No room on the device, or over a quota: the user can free space.
    DiskFull { path: PathBuf, action: &'static str },
    /// The user may not do this, or the file system is read-only.
    Access { path: PathBuf, action: &'static str },
    /// The path is not there.
    Missing { path: PathBuf, action: &'static str },
    /// The device failed: nothing the user typed is at fault.
    Storage {
        path: PathBuf,
        action: &'static str,
        source: io::Error,
    },
    /// A plan of faults that does not parse.
    FaultPlan(String),
    /// The user or a caller asked the kernel to stop.
    Interrupted,
}

pub type Result<T> = std::result::Result<T, CollectionError>;

impl CollectionError {
    /// Sorts an error of the operating system by what can be done about it.
    pub fn from_io(path: &Path, action: &'static str, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => Self::DiskFull { path, action },
            Some(libc::EACCES | libc::EPERM | libc::EROFS) => Self::Access { path, action },
            Some(libc::ENOENT) => Self::Missing { path, action },
            _ => Self::Storage {
                path,
                action,
                source,
            },
        }
    }
}

impl fmt::Display for CollectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DiskFull { path, action } => write!(
                f,
                "{}: no space left to {action}; free some space on this disk and run the command again",
                path.display()
            ),
            Self::Access { path, action } => write!(
                f,
                "{}: no permission to {action}; change the permissions or choose another place",
                path.display()
            ),
            Self::Missing { path, action } => write!(
                f,
                "{}: nothing there to {action}; check the path",
                path.display()
            ),
            Self::Storage {
                path,
                action,
                source,
            } => write!(
                f,
                "{}: could not {action} ({source}); look at the disk, then run the command again",
                path.display()
            ),
            Self::FaultPlan(message) => write!(f, "{message}"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for CollectionError {}
