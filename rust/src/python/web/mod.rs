//! `webstrata._core.web`.

mod html;
mod rewriting;
mod robots;
pub mod words;

use crate::web::{host, row_key, url};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    html::fill(module)?;
    rewriting::fill(module)?;
    module.add("MAX_URL_LENGTH", url::MAX_LENGTH)?;
    module.add_class::<robots::Robots>()?;
    module.add_class::<words::Words>()?;
    module.add_function(wrap_pyfunction!(normalize_urls, module)?)?;
    module.add_function(wrap_pyfunction!(public_suffix, module)?)?;
    module.add_function(wrap_pyfunction!(registered_domain, module)?)?;
    module.add_function(wrap_pyfunction!(registry_domain, module)?)?;
    module.add_function(wrap_pyfunction!(row_keys, module)?)
}

/// Places and reasons.
type Rejects = Vec<(usize, &'static str)>;

/// Normal forms, None for a reject; places and reasons of the rejects.
#[pyfunction]
fn normalize_urls<'py>(
    py: Python<'py>,
    references: Vec<PyBackedStr>,
    base: Option<PyBackedStr>,
    max_length: usize,
) -> PyResult<(Bound<'py, PyList>, Rejects)> {
    let (text, ends, rejects) = py.detach(|| {
        let (mut text, mut ends, mut rejects) = (Vec::new(), Vec::new(), Rejects::new());
        let mut form = Vec::new();
        for (place, reference) in references.iter().enumerate() {
            match url::normalize(reference, base.as_deref(), max_length, &mut form) {
                Ok(()) => text.extend_from_slice(&form),
                Err(reject) => rejects.push((place, reject.name())),
            }
            ends.push(text.len());
        }
        (text, ends, rejects)
    });
    Ok((strings(py, &text, &ends)?, rejects))
}

#[pyfunction]
fn public_suffix(host: &str) -> Option<&str> {
    host::public_suffix(host)
}

#[pyfunction]
fn registered_domain(host: &str) -> Option<&str> {
    host::registered_domain(host)
}

#[pyfunction]
fn registry_domain(host: &str) -> Option<&str> {
    host::registry_domain(host)
}

#[pyfunction]
fn row_keys<'py>(py: Python<'py>, urls: Vec<PyBackedStr>) -> PyResult<Bound<'py, PyList>> {
    let (text, ends) = py.detach(|| {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for url in &urls {
            row_key::push_row_key(&mut text, url);
            ends.push(text.len());
        }
        (text, ends)
    });
    strings(py, &text, &ends)
}

/// A list of the pieces of a text; an empty one is None.
fn strings<'py>(py: Python<'py>, text: &[u8], ends: &[usize]) -> PyResult<Bound<'py, PyList>> {
    let mut start = 0;
    let pieces = ends.iter().map(|&end| {
        let piece = &text[start..end];
        start = end;
        (!piece.is_empty()).then(|| PyString::new(py, &String::from_utf8_lossy(piece)))
    });
    PyList::new(py, pieces)
}
