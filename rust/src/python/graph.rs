//! `webstrata._core.graph`.

use super::progress::supervise;
use crate::graph::bvgraph;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(bv_compress, module)?)?;
    module.add_function(wrap_pyfunction!(bv_load, module)?)
}

type Rows<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>);

/// Numbers of nodes and arcs, bits of the graph and of its offsets.
#[pyfunction]
#[pyo3(signature = (offsets, targets, basename, progress = None))]
fn bv_compress(
    py: Python<'_>,
    offsets: PyReadonlyArray1<'_, u64>,
    targets: PyReadonlyArray1<'_, u32>,
    basename: PathBuf,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, u64, u64, u64)> {
    let (offsets, targets) = (offsets.as_slice()?, targets.as_slice()?);
    let size = supervise(py, progress, |meter| {
        bvgraph::compress(offsets, targets, &basename, meter)
    })?;
    Ok((
        size.num_nodes,
        size.num_arcs,
        size.graph_bits,
        size.offsets_bits,
    ))
}

/// Offsets and targets.
#[pyfunction]
#[pyo3(signature = (basename, progress = None))]
fn bv_load<'py>(
    py: Python<'py>,
    basename: PathBuf,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Rows<'py>> {
    let (offsets, targets) = supervise(py, progress, |meter| bvgraph::load(&basename, meter))?;
    Ok((offsets.into_pyarray(py), targets.into_pyarray(py)))
}
