//! Contents of pages, as columns.

use super::main_content::ContentRules;
use crate::python::web::words::Words;
use crate::store::contents::{Content, Link, Parser};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// The contents of the pages of a shard, row by row in any order.
#[pyclass(module = "webstrata._core.store")]
pub struct Contents {
    parser: Parser,
    rows: Vec<Content>,
    /// Bytes of all rows, and how many are too many.
    size: usize,
    max_size: usize,
}

#[pymethods]
impl Contents {
    #[new]
    #[pyo3(signature = (words, num_rows, max_length, rules=None, max_size=usize::MAX))]
    fn new(
        words: &Words,
        num_rows: usize,
        max_length: usize,
        rules: Option<&ContentRules>,
        max_size: usize,
    ) -> Self {
        let rules = rules.map(|rules| rules.0.clone());
        Self {
            parser: Parser::new(words.0.clone(), max_length, rules),
            rows: vec![Content::default(); num_rows],
            size: 0,
            max_size,
        }
    }

    /// Whether more than `max_size` bytes are held; then `read` stops.
    #[getter]
    fn is_full(&self) -> bool {
        self.size > self.max_size
    }

    /// Parses records of a file, by row, offset, length and URL; the places among these of what is not in order.
    fn read(
        &mut self,
        py: Python<'_>,
        path: PathBuf,
        pages: Vec<(usize, u64, usize, PyBackedStr)>,
    ) -> PyResult<Vec<usize>> {
        if pages.iter().any(|(row, ..)| *row >= self.rows.len()) {
            return Err(PyValueError::new_err("row: there are fewer"));
        }
        Ok(py.detach(|| {
            let Ok(file) = File::open(&path) else {
                return (0..pages.len()).collect();
            };
            let size = file.metadata().map_or(0, |facts| facts.len());
            let mut packed = Vec::new();
            let mut odd = Vec::new();
            for (place, (row, offset, length, url)) in pages.iter().enumerate() {
                if self.is_full() {
                    break;
                }
                let is_there = offset.saturating_add(*length as u64) <= size;
                packed.resize(if is_there { *length } else { 0 }, 0);
                let content = file
                    .read_exact_at(&mut packed, *offset)
                    .ok()
                    .and_then(|()| self.parser.read(&packed, url));
                match content {
                    Some(content) => {
                        self.size += content.size();
                        self.rows[*row] = content;
                    }
                    None => odd.push(place),
                }
            }
            odd
        }))
    }

    /// Parses a page.
    fn parse(
        &mut self,
        py: Python<'_>,
        row: usize,
        body: PyBackedBytes,
        url: PyBackedStr,
        label: Option<PyBackedStr>,
        robots: PyBackedStr,
    ) -> PyResult<()> {
        let content = py.detach(|| self.parser.parse(&body, &url, label.as_deref(), &robots));
        self.size += content.size();
        *self.row(row)? = content;
        Ok(())
    }

    /// Everything as columns; texts as bytes and where each of them ends. Nothing is left here.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut rows = std::mem::take(&mut self.rows);
        let (keys, places) = std::mem::take(&mut self.parser.targets).sorted();
        let found = PyDict::new(py);
        let texts = |name: &str, texts: &mut dyn Iterator<Item = &[u8]>| -> PyResult<()> {
            let (mut bytes, mut ends) = (Vec::new(), vec![0_i64]);
            for text in texts {
                bytes.extend_from_slice(text);
                ends.push(bytes.len() as i64);
            }
            let columns = (PyArray1::from_vec(py, ends), PyArray1::from_vec(py, bytes));
            found.set_item(name, columns)
        };
        texts("title", &mut rows.iter().map(|row| row.title.as_bytes()))?;
        // the largest column by far: each text is dropped as soon as it is copied
        let size = rows.iter().map(|row| row.text.len()).sum();
        let (mut bytes, mut ends) = (Vec::with_capacity(size), vec![0_i64]);
        for row in &mut rows {
            bytes.extend_from_slice(std::mem::take(&mut row.text).as_bytes());
            ends.push(bytes.len() as i64);
        }
        let columns = (PyArray1::from_vec(py, ends), PyArray1::from_vec(py, bytes));
        found.set_item("text", columns)?;
        let headings = || rows.iter().flat_map(|row| &row.headings);
        texts("heading", &mut headings().map(|(_, text)| text.as_bytes()))?;
        let levels: Vec<u8> = headings().map(|(level, _)| *level).collect();
        found.set_item("heading_level", PyArray1::from_vec(py, levels))?;
        let sizes = |size: fn(&Content) -> usize| {
            let sizes: Vec<u32> = rows.iter().map(|row| size(row) as u32).collect();
            PyArray1::from_vec(py, sizes)
        };
        let sections = rows.iter().flat_map(|row| &row.main);
        let main: Vec<u32> = sections.flat_map(|&(begin, end)| [begin, end]).collect();
        found.set_item("main", PyArray1::from_vec(py, main))?;
        found.set_item("num_main", sizes(|row| 2 * row.main.len()))?;
        let fallback: Vec<bool> = rows.iter().map(|row| row.is_fallback).collect();
        found.set_item("fallback", PyArray1::from_vec(py, fallback))?;
        found.set_item("num_headings", sizes(|row| row.headings.len()))?;
        found.set_item("num_links", sizes(|row| row.links.len()))?;
        found.set_item("words", sizes(|row| row.words as usize))?;
        found.set_item("rejected", rows.iter().map(|row| row.rejected).sum::<u32>())?;
        let simhashes: Vec<u64> = rows.iter().map(|row| row.simhash).collect();
        found.set_item("simhash", PyArray1::from_vec(py, simhashes))?;
        let column = |of: fn(&Content) -> Option<&str>| rows.iter().map(of).collect::<Vec<_>>();
        found.set_item("charset", column(|row| row.charset))?;
        found.set_item("spoken", column(|row| row.spoken))?;
        found.set_item("declared", column(|row| Some(&row.declared)))?;
        let links = || rows.iter().flat_map(|row| &row.links);
        let targets: Vec<u32> = links().map(|link| places[link.target as usize]).collect();
        found.set_item("target", PyArray1::from_vec(py, targets))?;
        let kinds: Vec<u8> = links().map(|link| link.kind).collect();
        found.set_item("kind", PyArray1::from_vec(py, kinds))?;
        let rels: Vec<u8> = links().map(|link| link.rel).collect();
        found.set_item("rel", PyArray1::from_vec(py, rels))?;
        let anchors = |row: &'_ Content| {
            let mut begin = 0;
            let piece = |link: &Link| {
                let end = link.end as usize;
                std::mem::replace(&mut begin, end)..end
            };
            row.links.iter().map(piece).collect::<Vec<_>>()
        };
        texts(
            "anchor",
            &mut rows.iter().flat_map(|row| {
                let pieces = anchors(row).into_iter();
                pieces.map(|piece| &row.anchors.as_bytes()[piece])
            }),
        )?;
        texts("row_key", &mut keys.iter().map(|key| &key[..]))?;
        Ok(found)
    }
}

impl Contents {
    fn row(&mut self, row: usize) -> PyResult<&mut Content> {
        let missing = || PyValueError::new_err(format!("row: there is no {row}"));
        self.rows.get_mut(row).ok_or_else(missing)
    }
}
