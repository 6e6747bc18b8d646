//! Pages: charset, scan, fingerprint, language.

use crate::web::{charset, html, language};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(detect_charset, module)?)?;
    module.add_function(wrap_pyfunction!(detect_language, module)?)?;
    module.add_function(wrap_pyfunction!(fingerprint_page, module)?)?;
    module.add_function(wrap_pyfunction!(parse_robots_directives, module)?)?;
    module.add_function(wrap_pyfunction!(scan_page, module)?)
}

/// Name of the charset and what told it.
#[pyfunction]
fn detect_charset(
    py: Python<'_>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
    tld: PyBackedStr,
) -> (&'static str, &'static str) {
    let (encoding, source) = py.detach(|| charset::detect(&body, label.as_deref(), &tld));
    (encoding.name(), source.name())
}

/// Code of three letters and whether it is sure.
#[pyfunction]
fn detect_language(py: Python<'_>, text: PyBackedStr) -> Option<(&'static str, bool)> {
    let found = py.detach(|| language::detect(&text))?;
    Some((found.lang().code(), found.is_reliable()))
}

/// Fingerprint, where the page has one, and shape.
#[pyfunction]
fn fingerprint_page(
    py: Python<'_>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
) -> (Option<u64>, u64) {
    py.detach(|| {
        let mut scan = html::Scan::default();
        html::scan(&body, label.as_deref(), &html::Wants::default(), &mut scan);
        (scan.fingerprint, scan.shape())
    })
}

#[pyfunction]
fn parse_robots_directives(value: &str, agents: Vec<String>) -> u8 {
    html::parse_robots_directives(value, &agents)
}

#[pyfunction]
#[pyo3(signature = (body, label, *, tld, agents, resources, anchors, text))]
#[allow(clippy::too_many_arguments)] // flags of one call
fn scan_page<'py>(
    py: Python<'py>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
    tld: PyBackedStr,
    agents: Vec<String>,
    resources: bool,
    anchors: bool,
    text: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let scan = py.detach(|| {
        let mut scan = html::Scan::default();
        let wants = html::Wants {
            no_fingerprint: false,
            resources,
            anchors,
            text,
            agents: &agents,
            tld: &tld,
        };
        html::scan(&body, label.as_deref(), &wants, &mut scan);
        scan
    });
    let links: Vec<_> = scan
        .links
        .iter()
        .map(|link| {
            (
                link.kind as u8,
                scan.target(link),
                link.rel,
                scan.anchor(link),
            )
        })
        .collect();
    let found = PyDict::new(py);
    found.set_item("links", links)?;
    found.set_item("base", scan.base())?;
    found.set_item("title", &scan.title)?;
    found.set_item("text", &scan.text)?;
    found.set_item("tags", &scan.tags)?;
    found.set_item("headings", scan.headings().collect::<Vec<_>>())?;
    found.set_item("language", &scan.language)?;
    found.set_item("robots", scan.robots)?;
    found.set_item("refresh", scan.refresh_delay)?;
    found.set_item("fingerprint", scan.fingerprint)?;
    found.set_item("charset", scan.encoding.map(|encoding| encoding.name()))?;
    found.set_item("source", scan.source.name())?;
    Ok(found)
}
