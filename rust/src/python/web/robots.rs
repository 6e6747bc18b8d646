//! The rules of a robots.txt in `webstrata._core.web`.

use crate::web::robots;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

#[pyclass(frozen, module = "webstrata._core.web")]
pub struct Robots(robots::Robots);

#[pymethods]
impl Robots {
    #[new]
    fn new(
        py: Python<'_>,
        content: PyBackedBytes,
        agents: Vec<PyBackedBytes>,
        max_bytes: usize,
        like_google: bool,
    ) -> Self {
        let agents: Vec<&[u8]> = agents.iter().map(|agent| &agent[..]).collect();
        Robots(py.detach(|| robots::Robots::parse(&content, &agents, max_bytes, like_google)))
    }

    fn allows(&self, target: &[u8]) -> bool {
        self.0.allows(target)
    }

    fn allows_many<'py>(
        &self,
        py: Python<'py>,
        targets: Vec<PyBackedBytes>,
    ) -> Bound<'py, PyArray1<bool>> {
        let answers: Vec<bool> =
            py.detach(|| targets.iter().map(|target| self.0.allows(target)).collect());
        answers.into_pyarray(py)
    }

    #[getter]
    fn crawl_delay(&self) -> f64 {
        self.0.crawl_delay
    }

    #[getter]
    fn num_rules(&self) -> usize {
        self.0.num_rules()
    }

    #[getter]
    fn num_bytes(&self) -> usize {
        self.0.num_bytes()
    }

    #[getter]
    fn sitemaps(&self) -> Vec<&str> {
        self.0.sitemaps.iter().map(|line| &**line).collect()
    }

    #[getter]
    fn signals(&self) -> Vec<&str> {
        self.0.signals.iter().map(|line| &**line).collect()
    }
}
