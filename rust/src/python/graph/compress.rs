//! The part of `webstrata._core.graph` that sorts arcs and writes BVGraphs.

use crate::graph::{arc_sort, bvgraph};
use crate::python::progress::supervise;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use webgraph::graphs::bvgraph::CompFlags;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BvParameters>()?;
    module.add_class::<BvPiece>()?;
    module.add_class::<BvJoiner>()?;
    module.add_function(wrap_pyfunction!(bv_encode, module)?)?;
    module.add_function(wrap_pyfunction!(bv_write_ef, module)?)?;
    module.add_function(wrap_pyfunction!(sort_keys, module)?)?;
    module.add_function(wrap_pyfunction!(keys_to_rows, module)?)
}

/// How lists are coded.
#[pyclass(frozen, module = "webstrata._core.graph")]
struct BvParameters(bvgraph::Parameters);

#[pymethods]
impl BvParameters {
    /// `codes` are those of outdegrees, references, blocks, intervals and residuals.
    #[new]
    fn new(
        window: usize,
        max_references: usize,
        min_interval: usize,
        codes: [String; 5],
        together: usize,
    ) -> PyResult<Self> {
        let mut found = [dsi_bitstream::prelude::Codes::Gamma; 5];
        for (code, name) in found.iter_mut().zip(&codes) {
            *code = CompFlags::code_from_str(name, 3).ok_or_else(|| {
                PyValueError::new_err(format!("codes: expected the name of a code, got {name}"))
            })?;
        }
        let [outdegrees, references, blocks, intervals, residuals] = found;
        Ok(Self(bvgraph::Parameters {
            flags: CompFlags {
                outdegrees,
                references,
                blocks,
                intervals,
                residuals,
                min_interval_length: min_interval,
                compression_window: window,
                max_ref_count: max_references,
            },
            together,
        }))
    }
}

/// Lists of some nodes, compressed.
#[pyclass(frozen, module = "webstrata._core.graph")]
struct BvPiece(bvgraph::Piece);

#[pyfunction]
#[pyo3(signature = (offsets, targets, first, num_nodes, parameters, progress = None))]
fn bv_encode(
    py: Python<'_>,
    offsets: PyReadonlyArray1<'_, u64>,
    targets: PyReadonlyArray1<'_, u32>,
    first: usize,
    num_nodes: usize,
    parameters: &BvParameters,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<BvPiece> {
    let (offsets, targets) = (offsets.as_slice()?, targets.as_slice()?);
    let piece = supervise(py, progress, |meter| {
        bvgraph::encode(offsets, targets, first, num_nodes, &parameters.0, meter)
    })?;
    Ok(BvPiece(piece))
}

/// Puts pieces one behind the other in files.
#[pyclass(frozen, module = "webstrata._core.graph")]
struct BvJoiner(Mutex<Option<bvgraph::Joiner>>);

fn finished() -> PyErr {
    PyValueError::new_err("the files of this graph are finished")
}

#[pymethods]
impl BvJoiner {
    #[new]
    fn new(basename: PathBuf, parameters: &BvParameters) -> PyResult<Self> {
        let joiner = bvgraph::Joiner::create(&basename, parameters.0.flags)?;
        Ok(Self(Mutex::new(Some(joiner))))
    }

    fn append(&self, py: Python<'_>, piece: &BvPiece) -> PyResult<()> {
        py.detach(|| {
            let mut joiner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let joiner = joiner.as_mut().ok_or_else(finished)?;
            Ok(joiner.append(&piece.0)?)
        })
    }

    /// Numbers of nodes and arcs, bits of the graph and of its offsets.
    #[pyo3(signature = (with_ef, progress = None))]
    fn finish(
        &self,
        py: Python<'_>,
        with_ef: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64, u64, u64)> {
        let joiner = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let joiner = joiner.ok_or_else(finished)?;
        let size = supervise(py, progress, |meter| joiner.finish(with_ef, meter))?;
        Ok((
            size.num_nodes,
            size.num_arcs,
            size.graph_bits,
            size.offsets_bits,
        ))
    }
}

#[pyfunction]
#[pyo3(signature = (basename, path, num_nodes, progress = None))]
fn bv_write_ef(
    py: Python<'_>,
    basename: PathBuf,
    path: PathBuf,
    num_nodes: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    supervise(py, progress, |meter| {
        bvgraph::write_ef(&basename, &path, num_nodes, meter)
    })
}

#[pyfunction]
#[pyo3(signature = (keys, scratch, once, by_source = false))]
fn sort_keys(
    py: Python<'_>,
    mut keys: PyReadwriteArray1<'_, u64>,
    mut scratch: PyReadwriteArray1<'_, u64>,
    once: bool,
    by_source: bool,
) -> PyResult<usize> {
    let (keys, scratch) = (keys.as_slice_mut()?, scratch.as_slice_mut()?);
    py.detach(|| arc_sort::sort(keys, scratch, once, by_source))
        .map_err(Into::into)
}

type CountedRows<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
);

#[pyfunction]
fn keys_to_rows<'py>(
    py: Python<'py>,
    keys: PyReadonlyArray1<'_, u64>,
    first: usize,
    end: usize,
    with_counts: bool,
) -> PyResult<CountedRows<'py>> {
    let keys = keys.as_slice()?;
    let ((offsets, targets), counts) =
        py.detach(|| arc_sort::to_rows(keys, first, end, with_counts))?;
    Ok((
        offsets.into_pyarray(py),
        targets.into_pyarray(py),
        counts.into_pyarray(py),
    ))
}
