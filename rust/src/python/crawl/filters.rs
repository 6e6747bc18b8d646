//! `webstrata._core.crawl`: filters.

use crate::crawl::filters::{self, Facts, Subject};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Filter>()
}

#[pyclass(frozen, module = "webstrata._core.crawl")]
pub struct Filter(pub filters::Filter);

/// Status, content type, body, digest, whether it is a duplicate, language.
type Response = (
    u16,
    PyBackedStr,
    PyBackedBytes,
    [u8; 20],
    bool,
    Option<String>,
);

#[pymethods]
impl Filter {
    #[new]
    fn new(program: &str) -> PyResult<Self> {
        let filter = filters::Filter::compile(program);
        filter.map(Filter).map_err(PyValueError::new_err)
    }

    #[getter]
    fn has_external(&self) -> bool {
        self.0.has_external()
    }

    /// The oracle is given a number and places, and returns as many truth values.
    fn admits_many<'py>(
        &self,
        py: Python<'py>,
        urls: Vec<PyBackedStr>,
        sources: Vec<Option<PyBackedStr>>,
        depths: Vec<u32>,
        responses: Vec<Option<Response>>,
        oracle: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let languages: Vec<_> = responses
            .iter()
            .map(|response| move || response.as_ref()?.5.clone())
            .collect();
        let facts: Vec<Option<Facts>> = responses
            .iter()
            .zip(&languages)
            .map(|(response, language)| {
                let (status, content_type, body, digest, is_duplicate, _) = response.as_ref()?;
                Some(Facts {
                    status: *status,
                    content_type,
                    body,
                    digest,
                    is_duplicate: *is_duplicate,
                    language,
                })
            })
            .collect();
        let subjects: Vec<Subject> = urls
            .iter()
            .enumerate()
            .map(|(place, url)| Subject {
                url,
                source: sources.get(place).and_then(|source| source.as_deref()),
                depth: depths.get(place).copied().unwrap_or(0),
                response: facts.get(place).and_then(Option::as_ref),
            })
            .collect();
        let mut failed = None;
        let admitted = self.0.admits_batch(&subjects, &mut |number, places| {
            let told = oracle
                .call1((number, places))
                .and_then(|told| told.extract());
            told.unwrap_or_else(|error| {
                failed.get_or_insert(error);
                Vec::new()
            })
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(admitted.into_pyarray(py)),
        }
    }
}
