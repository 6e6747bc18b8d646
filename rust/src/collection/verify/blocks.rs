//! XXH3 of the blocks of files: what a build or a reader verifies before it trusts a file.
//!
//! A flipped bit, a file that is shorter or longer, and a file in the place of another one are found at the speed of
//! memory, with the block in which they are. SHA-256 stays what hands a part over to others: see `digest`.

use crate::collection::progress::Meter;
use crate::collection::{CollectionError, Result};
use rayon::prelude::*;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bytes per block; the last one of a file may be shorter.
pub const BLOCK: u64 = 1 << 20;

/// The size of a file and the sums of its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    pub size: u64,
    pub sums: Vec<u64>,
}

/// A file with what it must hold.
#[derive(Debug)]
pub struct Expected {
    pub path: PathBuf,
    pub blocks: Blocks,
}

/// The sum of one block.
pub fn sum(block: &[u8]) -> u64 {
    xxh3_64(block)
}

/// Compares the sizes of `files`, and the content of the smallest of them up to `limit` bytes together.
///
/// Returns a stamp and, for each file with a problem, its index and the problem. The stamp covers inode, size, time of
/// modification and time of change of every file. Where it equals `known`, content is not read again.
pub fn verify(
    files: &[Expected],
    limit: u64,
    known: u64,
    workers: usize,
    meter: &Meter,
) -> Result<(u64, Vec<(usize, String)>)> {
    let mut problems = Vec::new();
    let mut sound = Vec::new();
    let mut stamp = Xxh3::new();
    for (number, file) in files.iter().enumerate() {
        match std::fs::metadata(&file.path) {
            Ok(status) => {
                for value in facts(&status) {
                    stamp.update(&value.to_le_bytes());
                }
                match compare(&status, file.blocks.size) {
                    Some(problem) => problems.push((number, problem)),
                    None => sound.push(number),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                problems.push((number, "is missing".into()));
            }
            Err(error) => problems.push((number, format!("cannot be read ({error})"))),
        }
    }
    let stamp = stamp.digest();
    if !problems.is_empty() || stamp == known {
        return Ok((stamp, problems));
    }
    sound.sort_by_key(|&number| files[number].blocks.size);
    let mut total = 0;
    let chosen: Vec<usize> = sound
        .into_iter()
        .take_while(|&number| {
            total += files[number].blocks.size;
            total <= limit
        })
        .collect();
    // threads cost more than they save where everything fits into a few blocks
    let found: Vec<Option<(usize, String)>> = if total.min(limit) <= 16 * BLOCK {
        chosen
            .iter()
            .map(|&number| read(files, number, meter))
            .collect::<Result<_>>()?
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .map_err(|error| {
                CollectionError::from_io(
                    Path::new("threads"),
                    "start",
                    std::io::Error::other(error),
                )
            })?;
        pool.install(|| {
            chosen
                .par_iter()
                .map(|&number| read(files, number, meter))
                .collect::<Result<_>>()
        })?
    };
    problems.extend(found.into_iter().flatten());
    problems.sort();
    Ok((stamp, problems))
}

fn facts(status: &Metadata) -> [i64; 6] {
    [
        status.ino() as i64,
        status.size() as i64,
        status.mtime(),
        status.mtime_nsec(),
        status.ctime(),
        status.ctime_nsec(),
    ]
}

fn compare(status: &Metadata, size: u64) -> Option<String> {
    if status.is_dir() {
        Some("is a directory, and a file was expected".into())
    } else if !status.is_file() {
        Some("is not a regular file".into())
    } else if status.len() != size {
        Some(format!("has {} bytes instead of {size}", status.len()))
    } else {
        None
    }
}

/// The first block of a file that does not have its sum; blocks of one file are read by all threads.
fn read(files: &[Expected], number: usize, meter: &Meter) -> Result<Option<(usize, String)>> {
    let Expected { path, blocks } = &files[number];
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Ok(Some((number, format!("cannot be opened ({error})")))),
    };
    let check = |block: usize, buffer: &mut Vec<u8>| -> Result<Option<String>> {
        let start = block as u64 * BLOCK;
        buffer.resize((blocks.size - start).min(BLOCK) as usize, 0);
        meter.advance(buffer.len() as u64)?;
        if let Err(error) = file.read_exact_at(buffer, start) {
            return Ok(Some(format!("cannot be read at byte {start} ({error})")));
        }
        Ok((sum(buffer) != blocks.sums[block]).then(|| {
            let end = start + buffer.len() as u64;
            format!("is damaged between byte {start} and byte {end}")
        }))
    };
    let count = blocks.sums.len();
    let first = if count <= 16 {
        let mut buffer = Vec::new();
        (0..count)
            .map(|block| check(block, &mut buffer))
            .find(|found| !matches!(found, Ok(None)))
    } else {
        (0..count)
            .into_par_iter()
            .map_init(Vec::new, |buffer, block| check(block, buffer))
            .find_first(|found| !matches!(found, Ok(None)))
    };
    Ok(first
        .transpose()?
        .flatten()
        .map(|problem| (number, problem)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::verify::digest::digest_blocks;

    fn expect(path: &Path) -> Expected {
        let digests = digest_blocks(&[path.into()], 1, &Meter::new()).unwrap();
        Expected {
            path: path.into(),
            blocks: digests.into_iter().next().unwrap().1,
        }
    }

    fn problems(file: &Expected, limit: u64) -> Vec<(usize, String)> {
        verify(std::slice::from_ref(file), limit, 0, 1, &Meter::new())
            .unwrap()
            .1
    }

    #[test]
    fn one_flipped_bit_is_found_in_its_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut data = vec![7; 20 * BLOCK as usize + 5];
        std::fs::write(&path, &data).unwrap();
        let file = expect(&path);
        assert_eq!(problems(&file, u64::MAX), []);
        data[3 * BLOCK as usize + 9] ^= 4;
        std::fs::write(&path, &data).unwrap();
        let found = problems(&file, u64::MAX);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].1,
            "is damaged between byte 3145728 and byte 4194304"
        );
        assert_eq!(problems(&file, BLOCK), [], "it is larger than the limit");
    }

    #[test]
    fn a_shorter_file_is_found_without_reading_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        let file = expect(&path);
        std::fs::write(&path, "ab").unwrap();
        assert_eq!(problems(&file, 0)[0].1, "has 2 bytes instead of 3");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(problems(&file, 0)[0].1, "is missing");
    }

    #[test]
    fn a_known_stamp_saves_reading_and_a_changed_file_has_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        let file = [expect(&path)];
        let (stamp, _) = verify(&file, u64::MAX, 0, 1, &Meter::new()).unwrap();
        let meter = Meter::new();
        verify(&file, u64::MAX, stamp, 1, &meter).unwrap();
        assert_eq!(meter.done(), 0);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "abd").unwrap();
        assert_eq!(
            verify(&file, u64::MAX, stamp, 1, &meter).unwrap().1.len(),
            1
        );
    }
}
