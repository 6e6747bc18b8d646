//! Digests of records, verified.

use super::Source;
use crate::archive::warc::fixity::{self, Mismatch, Survey};
use crate::archive::warc::records::Record;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// Offset, kind, identifier, URL, header, expected and found.
type Found = (u64, String, String, String, &'static str, String, String);
/// Places of records, digests checked, digests not known, mismatches, where to continue, whether that is the end,
/// whether it is odd.
type Surveyed = (Vec<(u64, u64)>, u64, u64, Vec<Found>, u64, bool, bool);

/// Verifies the records of a gzip file, a window at a time, on several cores.
#[pyclass(module = "webstrata._core.archive", frozen)]
pub struct Surveyor {
    source: Source,
}

#[pymethods]
impl Surveyor {
    #[new]
    fn new(path: PathBuf, workers: usize) -> PyResult<Self> {
        let source = Source::new(path, workers)?;
        Ok(Self { source })
    }

    fn read(&self, py: Python<'_>, start: u64) -> PyResult<Surveyed> {
        let survey: Survey =
            py.detach(|| fixity::survey(&self.source.path, start, &self.source.pool))?;
        let found = survey.found.into_iter().map(|found| {
            let Mismatch {
                header,
                expected,
                found: computed,
            } = found.mismatch;
            let names = (found.kind, found.id, found.url);
            (
                found.offset,
                names.0,
                names.1,
                names.2,
                header,
                expected,
                computed,
            )
        });
        Ok((
            survey.places,
            survey.checked,
            survey.unknown,
            found.collect(),
            survey.stop.next,
            survey.stop.is_end,
            survey.stop.is_odd,
        ))
    }
}

/// Digests checked, digests not known, and header, expected and found of each mismatch.
type Verified = (u32, u32, Vec<(&'static str, String, String)>);

/// Verifies the digests of one record.
#[pyfunction]
pub fn verify_record(
    py: Python<'_>,
    headers: Vec<(PyBackedStr, PyBackedStr)>,
    block: PyBackedBytes,
) -> Verified {
    py.detach(|| {
        let lines = headers.iter().map(|(name, value)| (&name[..], &value[..]));
        let record = Record {
            headers: lines.collect(),
            block: &block,
        };
        let verdict = fixity::verify(&record);
        let found = verdict.mismatches.into_iter();
        let found = found.map(|mismatch| (mismatch.header, mismatch.expected, mismatch.found));
        (verdict.checked, verdict.unknown, found.collect())
    })
}

/// A body without its chunks; None where it does not consist of chunks.
#[pyfunction]
pub fn join_chunks<'py>(py: Python<'py>, body: &[u8]) -> Option<Bound<'py, PyBytes>> {
    fixity::join_chunks(body).map(|joined| PyBytes::new(py, &joined))
}
