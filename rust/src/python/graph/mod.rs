//! `webstrata._core.graph`.

mod arc_labelled;
mod compress;
mod structure;

use super::progress::{supervise, supervise_batch};
use crate::bits::content::Mode;
use crate::collection::progress::Meter;
use crate::graph::bvgraph;
use crate::graph::list_source::ListSource;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BvGraph>()?;
    arc_labelled::fill(module)?;
    structure::fill(module)?;
    compress::fill(module)
}

type Rows<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>);

/// An open BVGraph.
#[pyclass(frozen, module = "webstrata._core.graph")]
pub(super) struct BvGraph(pub(super) bvgraph::BvGraph);

/// Rows, or the files of a graph.
#[derive(FromPyObject)]
pub(super) enum Lists<'py> {
    Rows(PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>),
    Files(Bound<'py, BvGraph>),
}

impl Lists<'_> {
    pub(super) fn source(&self) -> PyResult<ListSource<'_>> {
        Ok(match self {
            Self::Rows(offsets, targets) => {
                ListSource::Rows(offsets.as_slice()?, targets.as_slice()?)
            }
            Self::Files(graph) => ListSource::Files(&graph.get().0),
        })
    }
}

#[pymethods]
impl BvGraph {
    #[new]
    #[pyo3(signature = (basename, mapped = true, progress = None))]
    fn new(
        py: Python<'_>,
        basename: PathBuf,
        mapped: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mode = if mapped { Mode::Map } else { Mode::Load };
        let open = |meter: &Meter| bvgraph::BvGraph::open(&basename, mode, meter);
        Ok(Self(supervise(py, progress, open)?))
    }

    #[getter]
    fn num_nodes(&self) -> usize {
        self.0.num_nodes()
    }

    #[getter]
    fn num_arcs(&self) -> u64 {
        self.0.num_arcs()
    }

    #[getter]
    fn window(&self) -> usize {
        self.0.flags().compression_window
    }

    fn successors<'py>(&self, py: Python<'py>, node: u32) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(self.0.successors(node)?.into_pyarray(py))
    }

    fn outdegree(&self, node: u32) -> PyResult<u32> {
        Ok(self.0.outdegree(node)?)
    }

    #[pyo3(signature = (nodes, progress = None))]
    fn outdegrees<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, u32>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let nodes = nodes.as_slice()?;
        let found = supervise(py, progress, |meter| self.0.outdegrees(nodes, meter))?;
        Ok(found.into_pyarray(py))
    }

    #[pyo3(signature = (nodes, progress = None))]
    fn batch_successors<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, u32>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        let nodes = nodes.as_slice()?;
        let (offsets, targets) = supervise_batch(py, nodes.len(), progress, |meter| {
            self.0.batch(nodes, meter)
        })?;
        Ok((offsets.into_pyarray(py), targets.into_pyarray(py)))
    }

    /// Arcs and the sum of targets of the lists of the nodes, which are not kept: what a batch is held against.
    fn walk(&self, py: Python<'_>, nodes: PyReadonlyArray1<'_, u32>) -> PyResult<(u64, u64)> {
        let nodes = nodes.as_slice()?;
        Ok(py.detach(|| self.0.walk(nodes))?)
    }

    fn places<'py>(&self, py: Python<'py>, start: usize, end: usize) -> Bound<'py, PyArray1<u64>> {
        py.detach(|| self.0.places(start..end)).into_pyarray(py)
    }

    #[pyo3(signature = (start, end, progress = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        let (offsets, targets) = supervise(py, progress, |meter| self.0.rows(start..end, meter))?;
        Ok((offsets.into_pyarray(py), targets.into_pyarray(py)))
    }
}
