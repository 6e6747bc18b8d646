//! `webstrata._core.classify`.

use super::web::words::Words;
use crate::classify::{content, samples};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LEVELS", content::LEVELS)?;
    module.add("NUM_COUNTS", content::NUM_COUNTS)?;
    module.add_class::<Measures>()?;
    module.add_function(wrap_pyfunction!(count_words, module)?)
}

/// Texts as Arrow keeps them: where each ends in the bytes.
type Texts<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u8>);

fn split<'a>(texts: &'a Texts<'_>) -> PyResult<Vec<&'a str>> {
    let (offsets, data) = (texts.0.as_slice()?, texts.1.as_slice()?);
    let found = offsets.windows(2).map(|bounds| {
        let text = data.get(bounds[0] as usize..bounds[1] as usize);
        text.and_then(|text| std::str::from_utf8(text).ok())
    });
    found
        .collect::<Option<_>>()
        .ok_or_else(|| PyValueError::new_err("offsets: expected those of texts"))
}

/// Counts, words of links, where the words of each page end, their hashes, and linked hosts with ports.
type Seen<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u64>>,
    Vec<Vec<String>>,
);

/// What pages are measured by.
#[pyclass(frozen, module = "webstrata._core.classify")]
struct Measures(content::Measures);

#[pymethods]
impl Measures {
    /// Takes the hashes of listed words, for each a level in both lists, and a level of DEFLATE.
    #[new]
    fn new(
        words: PyReadonlyArray1<'_, u64>,
        levels: PyReadonlyArray1<'_, u8>,
        ngram: usize,
        compression: i32,
    ) -> PyResult<Self> {
        content::Measures::new(words.as_slice()?, levels.as_slice()?, ngram, compression)
            .map(Self)
            .ok_or_else(|| {
                PyValueError::new_err(
                    "levels: expected one for each word and list, and a compression from 0 to 12",
                )
            })
    }

    /// The counts of each page, a row behind the other.
    fn measure<'py>(
        &self,
        py: Python<'py>,
        words: &Words,
        titles: Texts<'_>,
        texts: Texts<'_>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (titles, texts) = (split(&titles)?, split(&texts)?);
        if titles.len() != texts.len() {
            return Err(PyValueError::new_err("titles: expected one for each text"));
        }
        let pages: Vec<_> = titles.into_iter().zip(texts).collect();
        let found = py.detach(|| self.0.measure(&words.0, &pages));
        Ok(found.into_pyarray(py))
    }

    /// What is seen on pages, given as address and body.
    fn look<'py>(
        &self,
        py: Python<'py>,
        words: &Words,
        pages: Vec<(PyBackedStr, PyBackedBytes)>,
        max_text: usize,
    ) -> Seen<'py> {
        let pages: Vec<(&str, &[u8])> = pages.iter().map(|(url, body)| (&**url, &**body)).collect();
        let seen = py.detach(|| samples::look(&self.0, &words.0, &pages, max_text));
        (
            seen.counts.into_pyarray(py),
            seen.anchor_words.into_pyarray(py),
            seen.ends.into_pyarray(py),
            seen.hashes.into_pyarray(py),
            seen.authorities,
        )
    }
}

/// The number of words of each text.
#[pyfunction]
fn count_words<'py>(
    py: Python<'py>,
    words: &Words,
    texts: Texts<'_>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let texts = split(&texts)?;
    let found = py.detach(|| content::count_words(&words.0, &texts));
    Ok(found.into_pyarray(py))
}
