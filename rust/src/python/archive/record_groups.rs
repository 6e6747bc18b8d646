//! Records and captures of WARC files, read in batches.

use super::Source;
use crate::archive::cdxj;
use crate::archive::responses::{self, Facts, Group};
use crate::archive::warc::records::{Record, Unpacker, find_starts, unpack_at};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::path::PathBuf;

/// Records, where the next one begins, where the last one began, whether others must go on.
type Batch<'py> = (Bound<'py, PyList>, u64, Option<u64>, bool);

/// Reads batches of records of gzip files, on several cores.
#[pyclass(module = "webstrata._core.archive", frozen)]
pub struct ResponseReader {
    source: Source,
}

#[pymethods]
impl ResponseReader {
    #[new]
    fn new(path: PathBuf, workers: usize) -> PyResult<Self> {
        let source = Source::new(path, workers)?;
        Ok(Self { source })
    }

    /// Some captures, from a place on.
    fn read(&self, py: Python<'_>, start: u64) -> PyResult<ResponseBatch> {
        let batch =
            py.detach(|| responses::read_batch(&self.source.path, start, &self.source.pool))?;
        Ok(ResponseBatch { batch })
    }
}

/// Groups of records in their order, each of a capture or of none.
#[pyclass(module = "webstrata._core.archive", frozen)]
pub struct ResponseBatch {
    pub batch: responses::Batch,
}

/// Index lines of captures, and how many of them are of another time than the label.
pub struct Lines<'a> {
    label: &'a str,
    pub text: Vec<u8>,
    pub num_others: usize,
}

impl<'a> Lines<'a> {
    pub fn new(label: &'a str) -> Self {
        Self {
            label,
            text: Vec::new(),
            num_others: 0,
        }
    }

    /// Adds the line of a group whose facts are known, the response being at `offset` of a file.
    pub fn push(&mut self, group: &Group, filename: &str, offset: u64) {
        let (Some(facts), Some(answer)) = (&group.facts, group.records.first()) else {
            return;
        };
        let robots = facts.robots();
        let line = cdxj::Line {
            url: &facts.url,
            date: facts.date,
            mime: &facts.mime,
            status: facts.status,
            digest: facts.digest,
            length: answer.length,
            offset,
            filename,
            fingerprint: facts.fingerprint,
            duplicate_of: facts.duplicate_of.as_deref(),
            redirect: facts.redirect.as_deref(),
            robots: robots.as_deref(),
            ..cdxj::Line::default()
        };
        let begin = self.text.len();
        cdxj::push_line(&mut self.text, &line);
        let mut words = self.text[begin..].splitn(3, |byte| *byte == b' ');
        let time = words.nth(1).unwrap_or_default();
        self.num_others += usize::from(!time.starts_with(self.label.as_bytes()));
    }
}

/// Identity, digest of a payload that others may have too, URL, date, fingerprint, what the page asks of robots.
type Plain<'py> = (
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
    &'py str,
    u64,
    Option<u64>,
    u8,
);

#[pymethods]
impl ResponseBatch {
    #[getter]
    fn num_records(&self) -> u64 {
        self.batch.num_records
    }

    #[getter]
    fn next(&self) -> u64 {
        self.batch.stop.next
    }

    #[getter]
    fn is_end(&self) -> bool {
        self.batch.stop.is_end
    }

    #[getter]
    fn is_odd(&self) -> bool {
        self.batch.stop.is_odd
    }

    /// What must be known of each group to decide whether it is copied; None where it cannot be.
    fn plain<'py>(&'py self, py: Python<'py>) -> Vec<Option<Plain<'py>>> {
        let show = |facts: &'py Facts| {
            let is_shared = facts.status == 200 && !facts.is_empty;
            (
                PyBytes::new(py, &facts.identity),
                is_shared.then(|| PyBytes::new(py, &facts.digest)),
                &facts.url[..],
                facts.date,
                facts.fingerprint,
                facts.page_robots,
            )
        };
        let groups = self.batch.groups.iter();
        groups.map(|group| group.facts.as_ref().map(show)).collect()
    }

    /// The index lines of some groups, which stay where they are in the file `filename`; see `WarcFiles.copy`.
    fn lines<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
        filename: &str,
        label: &str,
    ) -> (Bound<'py, PyBytes>, usize) {
        let mut lines = Lines::new(label);
        for group in places.into_iter().map(|place| &self.batch.groups[place]) {
            let offset = group.records.first().map_or(0, |raw| raw.offset);
            lines.push(group, filename, offset);
        }
        (PyBytes::new(py, &lines.text), lines.num_others)
    }

    /// Everything that was found about a group, None where it is not in order.
    fn facts<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let group = &self.batch.groups[place];
        let facts = group.facts.as_ref();
        facts.map(|facts| show_facts(py, facts, group)).transpose()
    }

    /// The records of a group: kind, headers, block, offset, and whether the block is the HTTP head alone.
    fn records<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyList>> {
        let records = self.batch.groups[place].records.iter().map(|raw| {
            let block = PyBytes::new(py, &raw.block);
            let shown = (&raw.kind[..], &raw.headers, block, raw.offset, raw.is_head);
            shown.into_pyobject(py)
        });
        PyList::new(py, records.collect::<PyResult<Vec<_>>>()?)
    }
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
    found.set_item("span", group.span())?;
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
