//! `webstrata._core.search`.

use super::web::words::Words;
use crate::search::analysis;
use crate::search::best::Choice;
use crate::search::index;
use crate::search::query::{Clause, Statistics};
use crate::search::scoring::{self, Weights};
use crate::search::segments::{self, Sharing, Version};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString, PyTuple};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Occur;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Analyzer>()?;
    module.add_class::<Reader>()?;
    module.add_class::<Writer>()?;
    let lengths: Vec<u32> = (0..=255).map(FieldNormReader::id_to_fieldnorm).collect();
    module.add("K1", scoring::K1)?;
    module.add("B", scoring::B)?;
    module.add("LENGTHS", lengths)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Words of a text to terms.
#[pyclass(frozen, module = "webstrata._core.search")]
struct Analyzer(Mutex<analysis::Analyzer>);

#[pymethods]
impl Analyzer {
    #[new]
    fn new(words: Py<Words>, stemmer: Option<&str>) -> PyResult<Self> {
        let stemmer = stemmer.map(frostem::Stemmer::try_from_name).transpose();
        let stemmer = stemmer.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let words = words.get().0.clone();
        Ok(Self(Mutex::new(analysis::Analyzer::new(words, stemmer))))
    }

    /// The term of each word.
    fn terms(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        lock(&self.0).for_each(text, |term, _, _| found.push(term.to_owned()));
        found
    }

    /// Where words of these terms begin and end in the bytes of a text, and the number of each one's term.
    fn places(&self, text: &str, terms: Vec<String>) -> Vec<(usize, usize, usize)> {
        let numbers: HashMap<&str, usize> = terms
            .iter()
            .enumerate()
            .map(|(number, term)| (term.as_str(), number))
            .collect();
        let mut found = Vec::new();
        lock(&self.0).for_each(text, |term, begin, end| {
            if let Some(&number) = numbers.get(term) {
                found.push((begin, end, number));
            }
        });
        found
    }
}

/// The number of a document, and the values of each field.
type GivenVersion = (u32, Vec<Vec<PyBackedStr>>);

/// A segment being written.
#[pyclass(frozen, module = "webstrata._core.search")]
struct Writer(Mutex<Option<segments::Writer>>);

#[pymethods]
impl Writer {
    /// `sharing` is how many times as long as its shortest version an entry may be, and which share of the words
    /// around main content its versions have in common.
    #[new]
    #[pyo3(signature = (folder, fields, analyzer, sharing=None))]
    fn new(
        folder: PathBuf,
        fields: Vec<(String, String)>,
        analyzer: Py<Analyzer>,
        sharing: Option<(f32, f64)>,
    ) -> PyResult<Self> {
        let analyzer = lock(&analyzer.get().0).clone();
        let sharing = sharing.map(|(longest, around)| Sharing { longest, around });
        let writer = segments::Writer::create(&folder, &fields, analyzer, sharing)?;
        Ok(Self(Mutex::new(Some(writer))))
    }

    /// Adds pages, each a list of versions: the number of a document and the values of each field; what all take in
    /// memory by now.
    fn add(&self, py: Python<'_>, pages: Vec<Vec<GivenVersion>>) -> PyResult<usize> {
        let mut writer = lock(&self.0);
        let writer = writer
            .as_mut()
            .ok_or_else(|| PyValueError::new_err("the segment is finished"))?;
        py.detach(|| {
            for page in pages {
                let versions: Vec<Version<PyBackedStr>> = page
                    .into_iter()
                    .map(|(document, values)| Version { document, values })
                    .collect();
                writer.add(&versions)?;
            }
            Ok(writer.memory())
        })
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let writer = lock(&self.0).take();
        let writer = writer.ok_or_else(|| PyValueError::new_err("the segment is finished"))?;
        Ok(py.detach(|| writer.finish())?)
    }
}

/// A clause from nested tuples, the first of each its kind. It is read for every query, so nothing is copied but terms.
fn read_clause(given: &Bound<'_, PyAny>) -> PyResult<Clause> {
    let given = given.cast::<PyTuple>()?;
    let kind = given.get_borrowed_item(0)?;
    let kind = kind.cast::<PyString>()?;
    Ok(match kind.to_str()? {
        "word" => {
            let text = given.get_borrowed_item(1)?;
            Clause::Word(
                text.cast::<PyString>()?.to_str()?.to_owned(),
                given.get_borrowed_item(2)?.extract()?,
            )
        }
        "phrase" => Clause::Phrase(
            given.get_borrowed_item(1)?.extract()?,
            given.get_borrowed_item(2)?.extract()?,
        ),
        "whole" => Clause::Whole(
            given.get_borrowed_item(1)?.extract()?,
            given.get_borrowed_item(2)?.extract()?,
        ),
        "filter" => Clause::Filter(Box::new(read_clause(&given.get_item(1)?)?)),
        "all" => Clause::All,
        "boolean" => {
            let pairs = given.get_borrowed_item(1)?;
            let pairs = pairs.cast::<PyList>()?;
            let mut clauses = Vec::with_capacity(pairs.len());
            for pair in pairs.iter() {
                let pair = pair.cast::<PyTuple>()?;
                let occur = pair.get_borrowed_item(0)?;
                let occur = match occur.cast::<PyString>()?.to_str()? {
                    "must" => Occur::Must,
                    "not" => Occur::MustNot,
                    _ => Occur::Should,
                };
                clauses.push((occur, read_clause(&pair.get_item(1)?)?));
            }
            Clause::Boolean(clauses)
        }
        kind => {
            let message = format!("query: unknown kind of clause: {kind}");
            return Err(PyValueError::new_err(message));
        }
    })
}

/// Documents, the words of each field, and how many documents have a term in any field.
type GivenStatistics = (u64, Vec<u64>, HashMap<String, u64>);

type Found<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<f32>>,
);

type Counts<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

/// Segments opened for reading.
#[pyclass(frozen, module = "webstrata._core.search")]
struct Reader(index::Reader);

#[pymethods]
impl Reader {
    #[new]
    fn new(folder: PathBuf, segments: Vec<String>) -> PyResult<Self> {
        Ok(Self(index::Reader::open(&folder, &segments)?))
    }

    #[getter]
    fn num_documents(&self) -> u32 {
        self.0.num_documents()
    }

    fn num_words(&self) -> PyResult<Vec<u64>> {
        Ok(self.0.num_words().to_vec())
    }

    /// The documents of a segment, as they are listed.
    fn listed_documents<'py>(
        &self,
        py: Python<'py>,
        segment: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(self.0.listed_documents(segment)?.into_pyarray(py))
    }

    /// How many documents have a term in any field.
    fn frequency(&self, term: &str) -> PyResult<u64> {
        Ok(self.0.frequency(term)?)
    }

    /// Documents, scores and scores of their text alone, the best first.
    #[pyo3(signature = (clause, weights, limit, labels, mask, factors = None, statistics = None))]
    #[allow(clippy::too_many_arguments)]
    fn search<'py>(
        &self,
        py: Python<'py>,
        clause: &Bound<'py, PyAny>,
        weights: Vec<Weights>,
        limit: usize,
        labels: PyReadonlyArray1<'py, u64>,
        mask: u64,
        factors: Option<(PyReadonlyArray1<'py, f32>, f32)>,
        statistics: Option<GivenStatistics>,
    ) -> PyResult<Found<'py>> {
        let clause = read_clause(clause)?;
        let most = factors.as_ref().map_or(1.0, |(_, most)| *most);
        let factors = factors
            .as_ref()
            .map(|(all, _)| all.as_slice())
            .transpose()?;
        let choice = Choice {
            labels: labels.as_slice()?,
            mask,
            factors,
            most,
        };
        let statistics = statistics.map(|(num_documents, num_words, frequencies)| Statistics {
            num_documents,
            num_words,
            frequencies: frequencies.into_iter().collect(),
        });
        let hits = py.detach(|| {
            let statistics = statistics.as_ref();
            self.0.search(&clause, &weights, limit, &choice, statistics)
        })?;
        let documents: Vec<u32> = hits.iter().map(|hit| hit.document).collect();
        let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        let text_scores: Vec<f32> = hits.iter().map(|hit| hit.text_score).collect();
        Ok((
            documents.into_pyarray(py),
            scores.into_pyarray(py),
            text_scores.into_pyarray(py),
        ))
    }

    /// What each of some documents, which ascend, scores for its text.
    fn score<'py>(
        &self,
        py: Python<'py>,
        clause: &Bound<'py, PyAny>,
        weights: Vec<Weights>,
        documents: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (clause, documents) = (read_clause(clause)?, documents.as_slice()?);
        let scores = py.detach(|| self.0.score(&clause, &weights, documents))?;
        Ok(scores.into_pyarray(py))
    }

    fn count(
        &self,
        py: Python<'_>,
        clause: &Bound<'_, PyAny>,
        weights: Vec<Weights>,
        labels: PyReadonlyArray1<'_, u64>,
        masks: Vec<u64>,
    ) -> PyResult<Vec<u64>> {
        let (clause, labels) = (read_clause(clause)?, labels.as_slice()?);
        Ok(py.detach(|| self.0.count(&clause, &weights, labels, &masks))?)
    }

    fn postings<'py>(&self, py: Python<'py>, field: u32, term: &str) -> PyResult<Counts<'py>> {
        let (documents, counts) = py.detach(|| self.0.postings(field, term))?;
        Ok((documents.into_pyarray(py), counts.into_pyarray(py)))
    }

    fn positions<'py>(
        &self,
        py: Python<'py>,
        field: u32,
        term: &str,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let found = py.detach(|| self.0.positions(field, term))?;
        Ok(found.into_pyarray(py))
    }

    fn length_codes<'py>(&self, py: Python<'py>, field: u32) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(py.detach(|| self.0.length_codes(field))?.into_pyarray(py))
    }

    fn terms(
        &self,
        py: Python<'_>,
        field: u32,
        prefix: &str,
        limit: usize,
    ) -> PyResult<BTreeMap<String, u64>> {
        Ok(py.detach(|| self.0.terms(field, prefix, limit))?)
    }
}
