//! What `webstrata._core.graph` has for understanding graphs: balls and orders.

use super::progress::supervise;
use crate::graph::{hyperball, order};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(grow_balls, module)?)?;
    module.add_function(wrap_pyfunction!(breadth_first_order, module)?)?;
    module.add_function(wrap_pyfunction!(layered_labels, module)?)
}

type Rows<'py> = (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>);

/// Registers and flags before, of all nodes; registers, flags and sizes after, of the nodes whose rows these are.
#[pyfunction]
#[pyo3(signature = (rows, first, old, new, progress = None))]
#[allow(clippy::type_complexity)]
fn grow_balls(
    py: Python<'_>,
    rows: Rows<'_>,
    first: usize,
    old: (PyReadonlyArray1<'_, u8>, PyReadonlyArray1<'_, bool>),
    mut new: (
        PyReadwriteArray1<'_, u8>,
        PyReadwriteArray1<'_, bool>,
        PyReadwriteArray1<'_, f64>,
    ),
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let rows = (rows.0.as_slice()?, rows.1.as_slice()?);
    let old = hyperball::Balls {
        registers: old.0.as_slice()?,
        changed: old.1.as_slice()?,
    };
    let new = hyperball::Grown {
        registers: new.0.as_slice_mut()?,
        changed: new.1.as_slice_mut()?,
        sizes: new.2.as_slice_mut()?,
    };
    supervise(py, progress, |meter| {
        hyperball::grow(rows, first, &old, new, meter)
    })
}

/// The nodes in the order of breadth-first visits.
#[pyfunction]
#[pyo3(signature = (rows, progress = None))]
fn breadth_first_order<'py>(
    py: Python<'py>,
    rows: Rows<'_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (offsets, targets) = (rows.0.as_slice()?, rows.1.as_slice()?);
    let order = supervise(py, progress, |meter| {
        order::breadth_first(offsets, targets, meter)
    })?;
    Ok(order.into_pyarray(py))
}

/// The rank of each node by layered label propagation.
#[pyfunction]
#[pyo3(signature = (rows, gammas, seed, folder, progress = None))]
fn layered_labels<'py>(
    py: Python<'py>,
    rows: Rows<'_>,
    gammas: Vec<f64>,
    seed: u64,
    folder: PathBuf,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (offsets, targets) = (rows.0.as_slice()?, rows.1.as_slice()?);
    let ranks = supervise(py, progress, |meter| {
        order::layered_labels(offsets, targets, gammas, seed, &folder, meter)
    })?;
    Ok(ranks.into_pyarray(py))
}
