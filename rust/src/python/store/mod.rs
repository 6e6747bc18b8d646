//! `webstrata._core.store`.

mod contents;
mod duplicates;
mod main_content;

pub use main_content::ContentRules;
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    duplicates::fill(module)?;
    module.add_class::<ContentRules>()?;
    module.add_class::<contents::Contents>()
}
