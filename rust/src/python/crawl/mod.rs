//! `webstrata._core.crawl`.

mod filters;
pub(super) mod records;
mod run;

use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    filters::fill(module)?;
    records::fill(module)?;
    run::fill(module)
}
