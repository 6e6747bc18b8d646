//! Words of texts.

use crate::web::words::Words;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::sync::Arc;

/// What is known of characters, made by `webstrata.web.words`.
#[pyclass(module = "webstrata._core.web", frozen)]
pub struct WordTable(pub Arc<Words>);

#[pymethods]
impl WordTable {
    #[new]
    fn new(classes: PyBackedBytes, folds: Vec<(char, String)>) -> Self {
        Self(Arc::new(Words::new(
            classes.to_vec(),
            folds.into_iter().collect(),
        )))
    }

    /// The words of a text.
    fn words<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.0.each(text, |word| found.push(word));
        found
    }
}
