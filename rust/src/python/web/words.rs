//! `webstrata._core.web.Words`.

use crate::store::duplicates::simhash::simhash;
use crate::web::words;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::sync::Arc;

#[pyclass(module = "webstrata._core.web", frozen)]
pub struct Words(pub Arc<words::Words>);

#[pymethods]
impl Words {
    #[new]
    fn new(classes: PyBackedBytes, folds: Vec<(char, String)>) -> Self {
        Self(Arc::new(words::Words::new(classes.to_vec(), folds)))
    }

    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        self.0
            .for_each(text, |begin, end| found.push(&text[begin..end]));
        found
    }

    fn hashes(&self, text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        self.0.push_hashes(text, &mut found);
        found
    }

    /// The number of words, and their simhash.
    fn simhash(&self, py: Python<'_>, text: &str) -> (usize, u64) {
        py.detach(|| {
            let mut found = Vec::new();
            self.0.push_hashes(text, &mut found);
            (found.len(), simhash(&found))
        })
    }
}
