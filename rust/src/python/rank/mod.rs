//! `webstrata._core.rank`.

use super::graph::{BvGraph, Lists};
use super::progress::supervise;
use crate::rank::pagerank::push::push as push_from;
use crate::rank::pagerank::{Pulled, Walk, solve as solve_walk};
use crate::rank::walk::Arcs;
use crate::rank::walk::cut::Pool;
use crate::rank::walk::fold::{Chunk, fold};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1};
use numpy::{PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Folds>()?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add_function(wrap_pyfunction!(multiply, module)?)?;
    module.add_function(wrap_pyfunction!(push, module)?)
}

type Numbers<'py> = PyReadonlyArray1<'py, f64>;

fn slice<'a>(numbers: &'a Option<Numbers<'_>>) -> PyResult<Option<&'a [f64]>> {
    Ok(numbers
        .as_ref()
        .map(PyReadonlyArray1::as_slice)
        .transpose()?)
}

/// Lists cut into chunks and told by their differences, for as many passes as are asked for.
#[pyclass(module = "webstrata._core.rank", frozen)]
struct Folds(Vec<Chunk>);

#[pymethods]
impl Folds {
    #[new]
    #[pyo3(signature = (lists, weights, shares, progress = None))]
    fn new(
        py: Python<'_>,
        lists: Lists<'_>,
        weights: Option<Numbers<'_>>,
        shares: Numbers<'_>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let arcs = Arcs {
            source: lists.source()?,
            weights: slice(&weights)?,
        };
        let shares = shares.as_slice()?;
        Ok(Self(supervise(py, progress, |meter| {
            fold(&arcs, shares, meter)
        })?))
    }
}

#[derive(FromPyObject)]
enum Folded<'py> {
    Folds(Bound<'py, Folds>),
    Files(Bound<'py, BvGraph>),
}

/// Brings scores to their solution by sweeps; how many, and the sum of changes of the last one.
#[pyfunction]
#[pyo3(signature = (lists, shares, jumps, spread, scores, enough, most, progress = None))]
#[allow(clippy::too_many_arguments)]
fn solve(
    py: Python<'_>,
    lists: Folded<'_>,
    shares: Numbers<'_>,
    jumps: Numbers<'_>,
    spread: Option<Numbers<'_>>,
    mut scores: PyReadwriteArray1<'_, f64>,
    enough: f64,
    most: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, f64)> {
    let walk = Walk {
        arcs: match &lists {
            Folded::Folds(folds) => Pulled::Folded(&folds.get().0),
            Folded::Files(graph) => Pulled::Files(&graph.get().0, Pool::default()),
        },
        shares: shares.as_slice()?,
        jumps: jumps.as_slice()?,
        spread: slice(&spread)?,
    };
    let scores = scores.as_slice_mut()?;
    supervise(py, progress, |meter| {
        solve_walk(&walk, scores, enough, most, meter)
    })
}

/// Sums over lists: a row of `sums` for each node, of the rows of `values` of those in its list.
#[pyfunction]
#[pyo3(signature = (lists, weights, values, sums, progress = None))]
fn multiply(
    py: Python<'_>,
    lists: Lists<'_>,
    weights: Option<Numbers<'_>>,
    values: PyReadonlyArray2<'_, f64>,
    mut sums: PyReadwriteArray2<'_, f64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let arcs = Arcs {
        source: lists.source()?,
        weights: slice(&weights)?,
    };
    let columns = values.shape()[1];
    let (values, sums) = (values.as_slice()?, sums.as_slice_mut()?);
    supervise(py, progress, |meter| {
        arcs.multiply(values, sums, columns, meter)
    })
}

type Found<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    f64,
    u64,
);

/// Nodes in order with their scores, what is missing in the sum of all scores, and how many arcs were looked at.
#[pyfunction]
#[pyo3(signature = (lists, weights, num_nodes, seeds, shares, alpha, tolerance, progress = None))]
#[allow(clippy::too_many_arguments)]
fn push<'py>(
    py: Python<'py>,
    lists: Lists<'_>,
    weights: Option<Numbers<'_>>,
    num_nodes: usize,
    seeds: PyReadonlyArray1<'_, u32>,
    shares: Numbers<'_>,
    alpha: f64,
    tolerance: f64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Found<'py>> {
    let arcs = Arcs {
        source: lists.source()?,
        weights: slice(&weights)?,
    };
    let seeds: Vec<(u32, f64)> = seeds
        .as_slice()?
        .iter()
        .copied()
        .zip(shares.as_slice()?.iter().copied())
        .collect();
    let found = supervise(py, progress, |meter| {
        push_from(&arcs, num_nodes, &seeds, alpha, tolerance, meter)
    })?;
    Ok((
        found.nodes.into_pyarray(py),
        found.scores.into_pyarray(py),
        found.left,
        found.num_arcs,
    ))
}
