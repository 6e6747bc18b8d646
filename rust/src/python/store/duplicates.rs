//! The part of `webstrata._core.store` that looks for near-duplicates.

use crate::python::progress::supervise;
use crate::python::web::words::Words;
use crate::store::duplicates::near::{self, Search, Selection, Sets, Texts};
use crate::store::duplicates::simhash;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sign_texts, module)?)?;
    module.add_function(wrap_pyfunction!(compare_texts, module)?)?;
    module.add_function(wrap_pyfunction!(sharing_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(close_pairs, module)?)
}

type Numbers<'py> = Bound<'py, PyArray1<u64>>;
type Counts<'py> = Bound<'py, PyArray1<u32>>;
type Shares<'py> = Bound<'py, PyArray1<f64>>;

/// Offsets and fingerprints, numbers of words, simhashes.
#[pyfunction]
#[pyo3(signature = (words, offsets, data, n, p, overlapping, simhash, progress = None))]
#[allow(clippy::too_many_arguments)] // as Python calls it
fn sign_texts<'py>(
    py: Python<'py>,
    words: Py<Words>,
    offsets: PyReadonlyArray1<'_, i64>,
    data: PyReadonlyArray1<'_, u8>,
    n: usize,
    p: u64,
    overlapping: bool,
    simhash: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Numbers<'py>, Numbers<'py>, Counts<'py>, Numbers<'py>)> {
    let texts = Texts {
        offsets: offsets.as_slice()?,
        bytes: data.as_slice()?,
    };
    let selection = Selection {
        n: n.max(1),
        p: p.max(1),
        overlapping,
        simhash,
    };
    let words = &words.get().0;
    let found = supervise(py, progress, |meter| {
        near::sign(texts, words, selection, meter)
    })?;
    Ok((
        found.offsets.into_pyarray(py),
        found.fingerprints.into_pyarray(py),
        found.num_words.into_pyarray(py),
        found.simhashes.into_pyarray(py),
    ))
}

/// Shares of common words and cosines, by pair.
#[pyfunction]
#[pyo3(signature = (words, offsets, data, pairs, progress = None))]
fn compare_texts<'py>(
    py: Python<'py>,
    words: Py<Words>,
    offsets: PyReadonlyArray1<'_, i64>,
    data: PyReadonlyArray1<'_, u8>,
    pairs: PyReadonlyArray2<'_, u32>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Shares<'py>, Shares<'py>)> {
    let texts = Texts {
        offsets: offsets.as_slice()?,
        bytes: data.as_slice()?,
    };
    let pairs: Vec<(u32, u32)> = pairs
        .as_slice()?
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    let words = &words.get().0;
    let (shares, cosines) = supervise(py, progress, |meter| {
        near::compare(texts, &pairs, words, meter)
    })?;
    Ok((shares.into_pyarray(py), cosines.into_pyarray(py)))
}

/// Pairs, a row each.
#[pyfunction]
#[pyo3(signature = (collections, limits, sure, resemblance, first_new, budget, progress = None))]
#[allow(clippy::too_many_arguments)] // as Python calls it
fn sharing_pairs<'py>(
    py: Python<'py>,
    collections: Vec<(PyReadonlyArray1<'_, u64>, PyReadonlyArray1<'_, u64>)>,
    limits: (usize, usize),
    sure: f64,
    resemblance: f64,
    first_new: usize,
    budget: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let mut sets = Vec::new();
    for (offsets, values) in &collections {
        sets.push(Sets {
            offsets: offsets.as_slice()?,
            values: values.as_slice()?,
        });
    }
    let search = Search {
        limit: limits.0,
        frequent_limit: limits.1,
        sure,
        resemblance,
        first_new,
        budget,
    };
    let pairs = supervise(py, progress, |meter| {
        near::sharing_pairs(&sets, search, meter)
    })?;
    to_rows(py, pairs)
}

/// Pairs, a row each.
#[pyfunction]
#[pyo3(signature = (simhashes, k, blocks, progress = None))]
fn close_pairs<'py>(
    py: Python<'py>,
    simhashes: PyReadonlyArray1<'_, u64>,
    k: u32,
    blocks: Vec<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let simhashes = simhashes.as_slice()?;
    let pairs = supervise(py, progress, |meter| {
        simhash::close_pairs(simhashes, k, &blocks, meter)
    })?;
    to_rows(py, pairs)
}

fn to_rows(py: Python<'_>, pairs: Vec<(u32, u32)>) -> PyResult<Bound<'_, PyArray2<i64>>> {
    let count = pairs.len();
    let flat: Vec<i64> = pairs
        .into_iter()
        .flat_map(|(a, b)| [i64::from(a), i64::from(b)])
        .collect();
    numpy::PyArrayMethods::reshape(&flat.into_pyarray(py), [count, 2])
}
