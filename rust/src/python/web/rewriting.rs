//! Pages and stylesheets for replay.

use crate::web::css;
use crate::web::rewriting::{self, Place};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(rewrite_page, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_stylesheet, module)?)
}

/// The page, and the name of its charset.
#[pyfunction]
fn rewrite_page<'py>(
    py: Python<'py>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
    tld: PyBackedStr,
    base: PyBackedStr,
    prefix: PyBackedStr,
) -> PyResult<(Bound<'py, PyBytes>, &'static str)> {
    let place = Place {
        base: &base,
        prefix: &prefix,
    };
    let (made, name) = py
        .detach(|| rewriting::page(&body, label.as_deref(), &tld, &place))
        .map_err(PyValueError::new_err)?;
    Ok((PyBytes::new(py, &made), name))
}

/// The stylesheet, as UTF-8.
#[pyfunction]
fn rewrite_stylesheet<'py>(
    py: Python<'py>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
    base: PyBackedStr,
    prefix: PyBackedStr,
) -> Bound<'py, PyBytes> {
    let place = Place {
        base: &base,
        prefix: &prefix,
    };
    let made = py.detach(|| {
        let text = css::decode(&body, label.as_deref());
        rewriting::stylesheet(&text, &place)
    });
    PyBytes::new(py, made.as_bytes())
}
