//! `webstrata._core.temporal`.

use super::graph::BvGraph;
use super::progress::{supervise, supervise_batch};
use crate::bits::canonical::Books;
use crate::bits::content::Mode;
use crate::graph::bvgraph::pieces::LabelledRows;
use crate::temporal::labels::read::{self, Coding, Sections, Wanted};
use crate::temporal::labels::runs;
use crate::temporal::labels::terms::Term;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Labels>()?;
    module.add_function(wrap_pyfunction!(find_runs, module)?)
}

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Rows<'py> = (Array<'py, u64>, Array<'py, u32>);
type Labelled<'py> = (Array<'py, u64>, Array<'py, u32>, Array<'py, u64>);
type Found<'py> = (
    Array<'py, u32>,
    Array<'py, u64>,
    Array<'py, u32>,
    Array<'py, u32>,
    Array<'py, u8>,
    Array<'py, u64>,
);

/// The labels of an open graph.
#[pyclass(frozen, module = "webstrata._core.temporal")]
struct Labels {
    graph: Py<BvGraph>,
    labels: read::Labels,
}

fn labelled(py: Python<'_>, ((offsets, targets), labels): LabelledRows) -> Labelled<'_> {
    let labels = labels.into_pyarray(py);
    (offsets.into_pyarray(py), targets.into_pyarray(py), labels)
}

fn terms_of(terms: Vec<(u64, u64, u64)>) -> Vec<Term> {
    let term = |(all, none, any)| Term { all, none, any };
    terms.into_iter().map(term).collect()
}

#[pymethods]
impl Labels {
    /// `sections` are begin and end in words of stream, lows, highs, samples, marks and ranks.
    #[new]
    #[pyo3(signature = (graph, path, mapped, sections, low_bits, books, sources = None, bounds = None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        graph: Py<BvGraph>,
        path: PathBuf,
        mapped: bool,
        sections: [(usize, usize); 6],
        low_bits: u32,
        books: (
            PyReadonlyArray1<'_, u32>,
            PyReadonlyArray1<'_, u8>,
            PyReadonlyArray1<'_, u64>,
        ),
        sources: Option<PyReadonlyArray1<'_, u32>>,
        bounds: Option<PyReadonlyArray1<'_, u64>>,
    ) -> PyResult<Self> {
        let [stream, lows, highs, samples, marks, ranks] = sections.map(|(begin, end)| begin..end);
        let sections = Sections {
            stream,
            low_bits: low_bits.min(63),
            lows,
            highs,
            samples,
            marks,
            ranks,
        };
        let symbols = books.2.as_slice()?.to_vec();
        let books = Books::new(books.0.as_slice()?, books.1.as_slice()?, symbols)
            .map_err(PyValueError::new_err)?;
        let coding = match (sources, bounds) {
            (Some(sources), None) => Coding::Sources(sources.as_slice()?.to_vec()),
            (None, Some(bounds)) => Coding::Runs(bounds.as_slice()?.to_vec()),
            _ => return Err(PyValueError::new_err("expected either sources or bounds")),
        };
        let mode = if mapped { Mode::Map } else { Mode::Load };
        let labels = read::Labels::open(&path, mode, sections, books, coding)?;
        Ok(Self { graph, labels })
    }

    #[pyo3(signature = (nodes, progress = None))]
    fn batch<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, u32>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Labelled<'py>> {
        let (nodes, graph) = (nodes.as_slice()?, &self.graph.get().0);
        let found = supervise_batch(py, nodes.len(), progress, |meter| {
            self.labels.batch(graph, nodes, Wanted::Labelled, meter)
        })?;
        Ok(labelled(py, found))
    }

    #[pyo3(signature = (start, end, progress = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Labelled<'py>> {
        let graph = &self.graph.get().0;
        let found = supervise(py, progress, |meter| {
            self.labels.rows(graph, start..end, Wanted::Labelled, meter)
        })?;
        Ok(labelled(py, found))
    }

    /// Arcs, and the sums of targets and labels, of the lists of the nodes, which are not kept: what a batch is held against.
    fn walk(&self, py: Python<'_>, nodes: PyReadonlyArray1<'_, u32>) -> PyResult<(u64, u64, u64)> {
        let (nodes, graph) = (nodes.as_slice()?, &self.graph.get().0);
        Ok(py.detach(|| self.labels.walk(graph, nodes))?)
    }

    #[pyo3(signature = (nodes, terms, progress = None))]
    fn batch_kept<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, u32>,
        terms: Vec<(u64, u64, u64)>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        let (nodes, graph, terms) = (nodes.as_slice()?, &self.graph.get().0, terms_of(terms));
        let (rows, _) = supervise_batch(py, nodes.len(), progress, |meter| {
            self.labels.batch(graph, nodes, Wanted::Kept(&terms), meter)
        })?;
        Ok((rows.0.into_pyarray(py), rows.1.into_pyarray(py)))
    }

    #[pyo3(signature = (start, end, terms, progress = None))]
    fn rows_kept<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
        terms: Vec<(u64, u64, u64)>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Rows<'py>> {
        let (graph, terms) = (&self.graph.get().0, terms_of(terms));
        let (rows, _) = supervise(py, progress, |meter| {
            self.labels
                .rows(graph, start..end, Wanted::Kept(&terms), meter)
        })?;
        Ok((rows.0.into_pyarray(py), rows.1.into_pyarray(py)))
    }
}

/// Nodes with labels that are not as predicted, where their rows begin, and the rows: gaps, lengths, widths, symbols.
#[pyfunction]
#[pyo3(signature = (graph, bounds, start, end, before, labels, progress = None))]
#[allow(clippy::too_many_arguments)]
fn find_runs<'py>(
    py: Python<'py>,
    graph: &Bound<'_, BvGraph>,
    bounds: PyReadonlyArray1<'_, u64>,
    start: usize,
    end: usize,
    before: usize,
    labels: PyReadonlyArray1<'_, u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found<'py>> {
    let (graph, bounds, labels) = (&graph.get().0, bounds.as_slice()?, labels.as_slice()?);
    let found = supervise(py, progress, |meter| {
        runs::find(graph, bounds, start..end, before, labels, meter)
    })?;
    Ok((
        found.nodes.into_pyarray(py),
        found.begins.into_pyarray(py),
        found.gaps.into_pyarray(py),
        found.lengths.into_pyarray(py),
        found.widths.into_pyarray(py),
        found.symbols.into_pyarray(py),
    ))
}
