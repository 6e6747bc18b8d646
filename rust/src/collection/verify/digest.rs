//! SHA-256 of files and XXH3 of their blocks, all cores at once.

use super::blocks::{self, Blocks};
use crate::collection::progress::Meter;
use crate::collection::{CollectionError, Result};
use rayon::prelude::*;
use ring::digest::{Context, SHA256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Hexadecimal SHA-256 of each file, in the order given, `workers` at a time (0: one per core); the meter counts bytes.
pub fn digest_files(paths: &[PathBuf], workers: usize, meter: &Meter) -> Result<Vec<String>> {
    let digests = digest_blocks(paths, workers, meter)?;
    Ok(digests.into_iter().map(|(digest, _)| digest).collect())
}

/// [`digest_files`] with the sums of each file's blocks, in one pass.
pub fn digest_blocks(
    paths: &[PathBuf],
    workers: usize,
    meter: &Meter,
) -> Result<Vec<(String, Blocks)>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .build()
        .map_err(|error| {
            CollectionError::from_io(Path::new("threads"), "start", std::io::Error::other(error))
        })?;
    pool.install(|| {
        paths
            .par_iter()
            .map(|path| digest_file(path, meter))
            .collect()
    })
}

fn digest_file(path: &Path, meter: &Meter) -> Result<(String, Blocks)> {
    let explain = |source| CollectionError::from_io(path, "read", source);
    let mut file = File::open(path).map_err(explain)?;
    let mut context = Context::new(&SHA256);
    let (mut size, mut sums) = (0, Vec::new());
    let mut block = Vec::with_capacity(blocks::BLOCK as usize);
    loop {
        block.clear();
        let length = (&mut file)
            .take(blocks::BLOCK)
            .read_to_end(&mut block)
            .map_err(explain)?;
        if length == 0 {
            break;
        }
        context.update(&block);
        sums.push(blocks::sum(&block));
        size += length as u64;
        meter.advance(length as u64)?;
    }
    Ok((hex(context.finish().as_ref()), Blocks { size, sums }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_abc_is_that_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let meter = Meter::new();
        let digests = digest_files(&[path], 1, &meter).unwrap();
        assert_eq!(
            digests,
            ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
        );
        assert_eq!(meter.done(), 3);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = digest_files(&["/no/such/file".into()], 0, &Meter::new()).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/file"));
    }
}
