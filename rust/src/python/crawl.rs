//! `webstrata._core.crawl`.

mod filters;
mod frontier;
mod run;

use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    filters::fill(module)?;
    frontier::fill(module)?;
    run::fill(module)
}
