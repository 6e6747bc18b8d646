//! `webstrata._core.web`.

use crate::web::row_key;
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(host_key, module)?)
}

#[pyfunction]
fn host_key(host: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + 1);
    row_key::push_host_key(&mut key, host);
    key
}
