//! `webstrata._core.summaries`.

use super::progress::supervise;
use super::web::words::Words;
use crate::summaries::{Decoded, Rows, codes, contexts, counting, places, sets};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Codes>()?;
    module.add_class::<Contexts>()?;
    module.add_class::<Counter>()?;
    module.add_class::<Places>()?;
    module.add_class::<Set>()?;
    module.add("MAX_WINDOW", contexts::MAX_WINDOW)?;
    module.add("NUM_FLAGS", contexts::NUM_FLAGS)?;
    module.add("NUM_TABLES", contexts::NUM_TABLES)?;
    module.add_function(wrap_pyfunction!(choose_references, module)?)?;
    module.add_function(wrap_pyfunction!(code_costs, module)?)?;
    module.add_function(wrap_pyfunction!(tally_contexts, module)?)?;
    module.add_function(wrap_pyfunction!(stemmers, module)?)
}

type Bytes<'py> = Bound<'py, PyArray1<u8>>;
type Halves<'py> = Bound<'py, PyArray1<u32>>;
type Numbers<'py> = Bound<'py, PyArray1<u64>>;
/// Lengths, offsets, terms and counts.
type RowArrays<'py> = (Halves<'py>, Numbers<'py>, Halves<'py>, Halves<'py>);
type GivenRows<'py> = (
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
);

fn given<'a>(rows: &'a GivenRows<'_>, num_terms: u32) -> PyResult<Rows<'a>> {
    let (lengths, offsets) = (rows.0.as_slice()?, rows.1.as_slice()?);
    let (terms, counts) = (rows.2.as_slice()?, rows.3.as_slice()?);
    Ok(Rows::new(lengths, offsets, terms, counts, num_terms)?)
}

fn to_arrays(py: Python<'_>, found: Decoded) -> RowArrays<'_> {
    (
        found.lengths.into_pyarray(py),
        found.offsets.into_pyarray(py),
        found.terms.into_pyarray(py),
        found.counts.into_pyarray(py),
    )
}

/// Counts the terms of pages.
#[pyclass(frozen, module = "webstrata._core.summaries")]
struct Counter(Mutex<counting::Counter>);

#[pymethods]
impl Counter {
    #[new]
    fn new(words: Py<Words>, stemmer: Option<&str>, stop_words: Vec<String>) -> PyResult<Self> {
        let stemmer = stemmer.map(frostem::Stemmer::try_from_name).transpose();
        let stemmer = stemmer.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let words = words.get().0.clone();
        let stop_words = stop_words.into_iter().collect();
        Ok(Self(Mutex::new(counting::Counter::new(
            words, stemmer, stop_words,
        ))))
    }

    #[getter]
    fn num_terms(&self) -> usize {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .num_terms()
    }

    /// Takes texts as Arrow keeps them: where each ends in the bytes.
    fn add(
        &self,
        py: Python<'_>,
        offsets: PyReadonlyArray1<'_, i64>,
        data: PyReadonlyArray1<'_, u8>,
    ) -> PyResult<()> {
        let (offsets, data) = (offsets.as_slice()?, data.as_slice()?);
        py.detach(|| {
            let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for bounds in offsets.windows(2) {
                let text = data.get(bounds[0] as usize..bounds[1] as usize);
                let text = text.and_then(|text| std::str::from_utf8(text).ok());
                counter.add(
                    text.ok_or_else(|| PyValueError::new_err("offsets: expected those of texts"))?,
                );
            }
            Ok(())
        })
    }

    /// The vocabulary (offsets, bytes, counts of documents and of words), then the rows; it begins anew.
    #[allow(clippy::type_complexity)] // arrays, as Python takes them
    fn finish<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        (
            Bound<'py, PyArray1<i64>>,
            Bytes<'py>,
            Halves<'py>,
            Numbers<'py>,
        ),
        RowArrays<'py>,
    ) {
        let (vocabulary, rows) = py.detach(|| {
            let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let vocabulary = counter.finish();
            let rows = Decoded {
                lengths: std::mem::take(&mut counter.lengths),
                offsets: std::mem::replace(&mut counter.offsets, vec![0]),
                terms: std::mem::take(&mut counter.found),
                counts: std::mem::take(&mut counter.counts),
            };
            (vocabulary, rows)
        });
        let terms = (
            vocabulary.ends.into_pyarray(py),
            vocabulary.bytes.into_pyarray(py),
            vocabulary.document_counts.into_pyarray(py),
            vocabulary.total_counts.into_pyarray(py),
        );
        (terms, to_arrays(py, rows))
    }
}

/// Names of stemmers.
#[pyfunction]
fn stemmers() -> Vec<&'static str> {
    frostem::Algorithm::all()
        .iter()
        .map(|stemmer| stemmer.name())
        .collect()
}

/// Where summaries begin in a stream.
#[pyclass(frozen, module = "webstrata._core.summaries")]
struct Places(places::Places);

#[pymethods]
impl Places {
    #[new]
    fn new(path: PathBuf, count: u64) -> PyResult<Self> {
        Ok(Self(places::Places::open(&path, count)?))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Where a summary begins and ends.
    fn get(&self, ordinal: u64) -> Option<(u64, u64)> {
        self.0.get(ordinal)
    }
}

/// A set of numbers with rank and select.
#[pyclass(frozen, module = "webstrata._core.summaries")]
struct Set(sets::Set);

#[pymethods]
impl Set {
    #[new]
    fn new(numbers: PyReadonlyArray1<'_, u64>, end: u64) -> PyResult<Self> {
        Ok(Self(sets::Set::new(numbers.as_slice()?, end)?))
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(Self(sets::Set::open(&path)?))
    }

    fn write(&self, path: PathBuf) -> PyResult<()> {
        Ok(self.0.write(&path)?)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn rank<'py>(
        &self,
        py: Python<'py>,
        numbers: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Numbers<'py>> {
        let numbers = numbers.as_slice()?.iter();
        Ok(numbers
            .map(|&number| self.0.rank(number))
            .collect::<Vec<_>>()
            .into_pyarray(py))
    }

    fn select<'py>(
        &self,
        py: Python<'py>,
        ranks: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Numbers<'py>> {
        let found: Option<Vec<u64>> = ranks
            .as_slice()?
            .iter()
            .map(|&rank| self.0.select(rank))
            .collect();
        let message = "ranks: expected numbers below that of the elements";
        Ok(found
            .ok_or_else(|| PyValueError::new_err(message))?
            .into_pyarray(py))
    }

    fn contains<'py>(
        &self,
        py: Python<'py>,
        numbers: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let numbers = numbers.as_slice()?.iter();
        Ok(numbers
            .map(|&number| self.0.contains(number))
            .collect::<Vec<_>>()
            .into_pyarray(py))
    }
}

/// The coding of SUM.
#[pyclass(frozen, module = "webstrata._core.summaries")]
struct Codes(codes::Coding);

#[pymethods]
impl Codes {
    /// `codes` are those of lengths, sizes, gaps and counts, as the crate writes them.
    #[new]
    fn new(codes: [String; 4], differences: bool, num_terms: u32) -> PyResult<Self> {
        let mut found = [dsi_bitstream::prelude::Codes::Gamma; 4];
        for (code, name) in found.iter_mut().zip(&codes) {
            *code = name
                .parse()
                .map_err(|error| PyValueError::new_err(format!("codes: {name}: {error}")))?;
        }
        Ok(Self(codes::Coding::new(found, differences, num_terms)))
    }

    #[pyo3(signature = (rows, progress = None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        rows: GivenRows<'_>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let rows = given(&rows, self.0.num_terms)?;
        let (words, ends) = supervise(py, progress, |meter| codes::encode(&rows, &self.0, meter))?;
        Ok((words.into_pyarray(py), ends.into_pyarray(py)))
    }

    #[pyo3(signature = (stream, places, ordinals, order, progress = None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        stream: PyReadonlyArray1<'_, u32>,
        places: &Places,
        ordinals: PyReadonlyArray1<'_, u64>,
        order: PyReadonlyArray1<'_, u32>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RowArrays<'py>> {
        let (stream, ordinals, order) =
            (stream.as_slice()?, ordinals.as_slice()?, order.as_slice()?);
        let found = supervise(py, progress, |meter| {
            codes::decode(&self.0, stream, &places.0, ordinals, order, meter)
        })?;
        Ok(to_arrays(py, found))
    }
}

/// Bits of numbers in each code that the crate keeps statistics of.
#[pyfunction]
fn code_costs(
    numbers: PyReadonlyArray1<'_, u64>,
    counts: PyReadonlyArray1<'_, u64>,
) -> PyResult<Vec<(String, u64)>> {
    let found = codes::costs(numbers.as_slice()?, counts.as_slice()?);
    Ok(found
        .into_iter()
        .map(|(code, bits)| (code.to_string(), bits))
        .collect())
}

/// The coding by contexts.
#[pyclass(frozen, module = "webstrata._core.summaries")]
struct Contexts(contexts::Model, u32);

#[pymethods]
impl Contexts {
    #[new]
    fn new(
        classes: PyReadonlyArray1<'_, u8>,
        sizes: PyReadonlyArray1<'_, u16>,
        flags: PyReadonlyArray1<'_, u16>,
        chain: usize,
    ) -> PyResult<Self> {
        let classes = classes.as_slice()?.to_vec();
        let num_terms = classes.len() as u32;
        let shape = contexts::Shape::new(classes);
        let model = contexts::Model::new(shape, sizes.as_slice()?, flags.as_slice()?, chain)?;
        Ok(Self(model, num_terms))
    }

    #[pyo3(signature = (rows, distances, progress = None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        rows: GivenRows<'_>,
        distances: PyReadonlyArray1<'_, u8>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bytes<'py>, Numbers<'py>)> {
        let (rows, distances) = (given(&rows, self.1)?, distances.as_slice()?);
        let (data, ends) = supervise(py, progress, |meter| {
            contexts::encode(&rows, distances, &self.0, meter)
        })?;
        Ok((data.into_pyarray(py), ends.into_pyarray(py)))
    }

    #[pyo3(signature = (stream, places, ordinals, order, progress = None))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        stream: PyReadonlyArray1<'_, u8>,
        places: &Places,
        ordinals: PyReadonlyArray1<'_, u64>,
        order: PyReadonlyArray1<'_, u32>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<RowArrays<'py>> {
        let (stream, ordinals, order) =
            (stream.as_slice()?, ordinals.as_slice()?, order.as_slice()?);
        let found = supervise(py, progress, |meter| {
            contexts::decode(&self.0, stream, &places.0, ordinals, order, meter)
        })?;
        Ok(to_arrays(py, found))
    }
}

/// For each row how far back its reference is, 0 for none.
#[pyfunction]
fn choose_references<'py>(
    py: Python<'py>,
    rows: GivenRows<'_>,
    window: usize,
    chain: usize,
    classes: PyReadonlyArray1<'_, u8>,
) -> PyResult<Bytes<'py>> {
    let classes = classes.as_slice()?;
    let rows = given(&rows, classes.len() as u32)?;
    let found = py.detach(|| contexts::choose(&rows, window, chain, classes));
    Ok(found.into_pyarray(py))
}

/// How often each symbol comes in each table, and no and yes at each choice.
#[pyfunction]
#[pyo3(signature = (rows, distances, classes, progress = None))]
fn tally_contexts<'py>(
    py: Python<'py>,
    rows: GivenRows<'_>,
    distances: PyReadonlyArray1<'_, u8>,
    classes: PyReadonlyArray1<'_, u8>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
    let (distances, classes) = (distances.as_slice()?, classes.as_slice()?.to_vec());
    let rows = given(&rows, classes.len() as u32)?;
    let shape = contexts::Shape::new(classes);
    let found = supervise(py, progress, |meter| {
        contexts::tally(&rows, distances, &shape, meter)
    })?;
    Ok((found.symbols.into_pyarray(py), found.flags.into_pyarray(py)))
}
