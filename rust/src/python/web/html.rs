//! Pages: charset, scan, fingerprint, language.

use crate::web::{charset, css, html, language, manifest};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(css_references, module)?)?;
    module.add_function(wrap_pyfunction!(detect_charset, module)?)?;
    module.add_function(wrap_pyfunction!(manifest_pictures, module)?)?;
    module.add_function(wrap_pyfunction!(detect_language, module)?)?;
    module.add_function(wrap_pyfunction!(fingerprint_page, module)?)?;
    module.add_function(wrap_pyfunction!(parse_robots_directives, module)?)?;
    module.add_function(wrap_pyfunction!(scan_outline, module)?)?;
    module.add_function(wrap_pyfunction!(scan_page, module)?)
}

/// Addresses that a stylesheet names, as written.
#[pyfunction]
fn css_references(py: Python<'_>, body: PyBackedBytes, label: Option<PyBackedStr>) -> Vec<String> {
    py.detach(|| {
        let mut found = Vec::new();
        let text = css::decode(&body, label.as_deref());
        css::references(&text, &mut |address| found.push(address.to_owned()));
        found
    })
}

/// Addresses of the pictures that a web manifest names, as written.
#[pyfunction]
fn manifest_pictures(py: Python<'_>, body: PyBackedBytes) -> Vec<String> {
    py.detach(|| manifest::pictures(&body))
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

/// Elements whose names are longer than seven bytes and that have a meaning of their own.
const LONG: [&str; 8] = [
    "blockquote",
    "colgroup",
    "fieldset",
    "figcaption",
    "noscript",
    "optgroup",
    "textarea",
    "template",
];

fn tag(key: u64) -> String {
    if key >> 63 == 1 {
        let known = LONG
            .iter()
            .find(|name| html::names::key(name.as_bytes()) == key);
        return (*known.unwrap_or(&"?")).to_owned();
    }
    // the length is the last byte that is not zero
    let bytes = key.to_le_bytes();
    let length = 7 - key.leading_zeros().min(63) as usize / 8;
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

/// The text of a page and its outline: parents, tags and names of elements; of blocks nodes, begins, ends, bytes in
/// links, whether they have a link to the next page or the like, bytes in small print, images, whether separated.
#[pyfunction]
#[pyo3(signature = (body, label))]
pub fn scan_outline<'py>(
    py: Python<'py>,
    body: PyBackedBytes,
    label: Option<PyBackedStr>,
) -> PyResult<Bound<'py, PyDict>> {
    let scan = py.detach(|| {
        let mut scan = html::Scan::default();
        let wants = html::Wants {
            no_fingerprint: true,
            anchors: true,
            text: true,
            ..html::Wants::default()
        };
        html::scan(&body, label.as_deref(), &wants, &mut scan);
        scan
    });
    let outline = &scan.outline;
    let found = PyDict::new(py);
    found.set_item("text", &scan.text)?;
    let parents: Vec<_> = outline.nodes.iter().map(|node| node.parent).collect();
    found.set_item("parents", parents)?;
    let tags: Vec<_> = outline.nodes.iter().map(|node| tag(node.name)).collect();
    found.set_item("tags", tags)?;
    let names = (0..outline.nodes.len()).map(|node| String::from_utf8_lossy(outline.names(node)));
    found.set_item("names", names.collect::<Vec<_>>())?;
    let blocks = outline.blocks.iter();
    let blocks: Vec<_> = blocks
        .map(|block| {
            (
                block.node,
                block.begin,
                block.end,
                block.linked,
                block.is_step,
                block.small,
                block.images,
                block.is_separated,
            )
        })
        .collect();
    found.set_item("blocks", blocks)?;
    Ok(found)
}
