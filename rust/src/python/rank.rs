//! `webstrata._core.rank`.

use super::progress::supervise;
use crate::rank;
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pagerank, module)?)
}

/// Brings scores to their solution; the number of steps, and the sum of changes of the last one.
#[pyfunction]
#[pyo3(signature = (rows, outdegrees, scores, alpha, least_change, most_steps, preference = None, progress = None))]
#[allow(clippy::too_many_arguments)]
fn pagerank(
    py: Python<'_>,
    rows: (PyReadonlyArray1<'_, u64>, PyReadonlyArray1<'_, u32>),
    outdegrees: PyReadonlyArray1<'_, u32>,
    mut scores: PyReadwriteArray1<'_, f64>,
    alpha: f64,
    least_change: f64,
    most_steps: usize,
    preference: Option<PyReadonlyArray1<'_, f64>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, f64)> {
    let walk = rank::pagerank::Walk {
        offsets: rows.0.as_slice()?,
        predecessors: rows.1.as_slice()?,
        outdegrees: outdegrees.as_slice()?,
        alpha,
        preference: preference
            .as_ref()
            .map(PyReadonlyArray1::as_slice)
            .transpose()?,
    };
    let scores = scores.as_slice_mut()?;
    supervise(py, progress, |meter| {
        rank::pagerank::pagerank(&walk, scores, least_change, most_steps, meter)
    })
}
