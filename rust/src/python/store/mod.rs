//! `webstrata._core.store`.

mod contents;
mod duplicates;
mod main_content;

use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    duplicates::fill(module)?;
    module.add_class::<main_content::ContentRules>()?;
    module.add_class::<contents::Contents>()
}
