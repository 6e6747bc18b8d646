//! Records and captures of WARC files, read in batches.

use crate::store::answers::{self, Facts, Group};
use crate::store::warc::records::{Record, Unpacker, find_starts, unpack_at};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::path::PathBuf;

/// Records, where the next one begins, where the last one began, whether others must go on.
type Batch<'py> = (Bound<'py, PyList>, u64, Option<u64>, bool);

/// Reads batches of records of gzip files, on several cores.
#[pyclass(module = "webstrata._core.store", frozen)]
pub struct AnswerReader {
    path: PathBuf,
    pool: rayon::ThreadPool,
}

#[pymethods]
impl AnswerReader {
    #[new]
    fn new(path: PathBuf, workers: usize) -> PyResult<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .map_err(|error| PyValueError::new_err(format!("workers: {error}")))?;
        Ok(Self { path, pool })
    }

    /// Groups of records, each a pair of facts (or None) and records, from a place on; how many records they have.
    fn read<'py>(
        &self,
        py: Python<'py>,
        start: u64,
    ) -> PyResult<(Bound<'py, PyList>, u64, u64, bool, bool)> {
        let batch = py.detach(|| answers::read_batch(&self.path, start, &self.pool))?;
        let groups = batch
            .groups
            .iter()
            .map(|group| show_group(py, group))
            .collect::<PyResult<Vec<_>>>()?;
        Ok((
            PyList::new(py, groups)?,
            batch.num_records,
            batch.next,
            batch.is_end,
            batch.is_odd,
        ))
    }
}

fn show_group<'py>(py: Python<'py>, group: &Group) -> PyResult<Bound<'py, PyTuple>> {
    let facts = group
        .facts
        .as_ref()
        .map(|facts| show_facts(py, facts, group))
        .transpose()?;
    let is_raw = facts.is_none();
    let records = group.records.iter().filter(|_| is_raw).map(|raw| {
        let block = raw.block.as_ref().map(|block| PyBytes::new(py, block));
        (&raw.kind[..], &raw.headers, block, raw.offset).into_pyobject(py)
    });
    let records = records.collect::<PyResult<Vec<_>>>()?;
    (facts, PyList::new(py, records)?).into_pyobject(py)
}

fn show_facts<'py>(py: Python<'py>, facts: &Facts, group: &Group) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("url", &facts.url)?;
    found.set_item("date", facts.date)?;
    found.set_item("status", facts.status)?;
    found.set_item("mime", &facts.mime)?;
    found.set_item("digest", PyBytes::new(py, &facts.digest))?;
    found.set_item("is_empty", facts.is_empty)?;
    found.set_item("fingerprint", facts.fingerprint)?;
    found.set_item("redirect", &facts.redirect)?;
    found.set_item("header_robots", facts.header_robots)?;
    found.set_item("page_robots", facts.page_robots)?;
    found.set_item("duplicate_of", &facts.duplicate_of)?;
    let offsets: Vec<u64> = group.records.iter().map(|raw| raw.offset).collect();
    found.set_item("offsets", offsets)?;
    found.set_item("length", group.records.first().map_or(0, |raw| raw.length))?;
    let span: u64 = group.records.iter().map(|raw| raw.length).sum();
    found.set_item("span", span)?;
    Ok(found)
}

/// Records of a piece of a file, of some kinds (all, if none is named), with their blocks if wanted.
#[pyfunction]
pub fn read_records<'py>(
    py: Python<'py>,
    window: &[u8],
    start: u64,
    is_last: bool,
    kinds: Vec<String>,
    blocks: bool,
) -> PyResult<Batch<'py>> {
    let found = PyList::empty(py);
    let starts: Vec<usize> = find_starts(window, 0).collect();
    let mut unpacker = Unpacker::default();
    let mut data = Vec::new();
    let is_packed = starts.first() == Some(&0);
    let (mut at, mut place, mut last) = (0, 0, None);
    while at < window.len() {
        let mut next = place;
        let record = if is_packed {
            unpack_at(&mut unpacker, window, &starts, place, is_last, &mut data).and_then(|end| {
                next = end;
                Record::parse(&data).filter(|(_, length)| *length == data.len())
            })
        } else {
            Record::parse(&window[at..])
        };
        let Some((record, length)) = record else {
            // what is cut off by the end of the piece is looked at with the next one
            let may_be_cut = !is_last && (!is_packed || starts.len() - place < 9);
            return Ok((found, start + at as u64, last, !may_be_cut));
        };
        let kind = record.kind();
        if kinds.is_empty() || kinds.iter().any(|wanted| wanted == kind) {
            let headers = PyTuple::new(py, &record.headers)?;
            let block = PyBytes::new(py, if blocks { record.block } else { b"" });
            found.append((kind, headers, block, start + at as u64))?;
        }
        place = next;
        last = Some(start + at as u64);
        at = if is_packed {
            starts.get(next).copied().unwrap_or(window.len())
        } else {
            at + length
        };
    }
    Ok((found, start + at as u64, last, false))
}
