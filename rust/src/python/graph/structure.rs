//! What `webstrata._core.graph` has for understanding graphs: components, balls and orders.

use super::Lists;
use crate::collection::progress::Meter;
use crate::graph::list_source::MeteredGraph;
use crate::graph::{GraphError, balls, components, order};
use crate::python::progress::supervise;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(count_balls, module)?)?;
    module.add_function(wrap_pyfunction!(strong_components, module)?)?;
    module.add_function(wrap_pyfunction!(join_nodes, module)?)?;
    module.add_function(wrap_pyfunction!(breadth_first_order, module)?)?;
    module.add_function(wrap_pyfunction!(layered_labels, module)?)
}

type Rows<'py> = (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>);

type Counted<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f32>>);

/// Pairs within each distance, and of each node the sum of 1 / d over those that it reaches.
#[pyfunction]
#[pyo3(signature = (lists, transpose, log_registers, seed, progress = None))]
fn count_balls<'py>(
    py: Python<'py>,
    lists: Lists<'_>,
    transpose: Lists<'_>,
    log_registers: u32,
    seed: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Counted<'py>> {
    let (graph, transpose) = (lists.source()?, transpose.source()?);
    let (pairs, sums) = supervise(py, progress, |meter| {
        let (graph, transpose) = (
            MeteredGraph::new(graph, meter)?,
            MeteredGraph::new(transpose, meter)?,
        );
        balls::grow(graph, transpose, log_registers, seed)
    })?;
    Ok((pairs.into_pyarray(py), sums.into_pyarray(py)))
}

/// The strong component of each node.
#[pyfunction]
#[pyo3(signature = (lists, progress = None))]
fn strong_components<'py>(
    py: Python<'py>,
    lists: Lists<'_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let source = lists.source()?;
    let find = |meter: &Meter| components::strong(MeteredGraph::new(source, meter)?);
    Ok(supervise(py, progress, find)?.into_pyarray(py))
}

/// Joins the trees of the nodes from `first` on with those of their successors.
#[pyfunction]
fn join_nodes(
    py: Python<'_>,
    mut parents: PyReadwriteArray1<'_, u32>,
    rows: Rows<'_>,
    first: usize,
) -> PyResult<()> {
    let parents = parents.as_slice_mut()?;
    let rows = (rows.0.as_slice()?, rows.1.as_slice()?);
    py.detach(|| components::join(parents, rows, first))
        .map_err(Into::into)
}

/// The nodes in the order of breadth-first visits.
#[pyfunction]
#[pyo3(signature = (lists, progress = None))]
fn breadth_first_order<'py>(
    py: Python<'py>,
    lists: Lists<'_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let source = lists.source()?;
    let visit = |meter: &Meter| order::breadth_first(MeteredGraph::new(source, meter)?);
    Ok(supervise(py, progress, visit)?.into_pyarray(py))
}

/// The rank of each node by layered label propagation.
#[pyfunction]
#[pyo3(signature = (lists, gammas, seed, folder, progress = None))]
fn layered_labels<'py>(
    py: Python<'py>,
    lists: Lists<'_>,
    gammas: Vec<f64>,
    seed: u64,
    folder: PathBuf,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let source = lists.source()?;
    let ranks = supervise(py, progress, |meter| -> Result<_, GraphError> {
        order::layered_labels(MeteredGraph::new(source, meter)?, gammas, seed, &folder)
    })?;
    Ok(ranks.into_pyarray(py))
}
