//! `webstrata._core.crawl`.

mod filters;
mod run;
pub(super) mod sieve;

use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    filters::fill(module)?;
    run::fill(module)?;
    sieve::fill(module)
}
