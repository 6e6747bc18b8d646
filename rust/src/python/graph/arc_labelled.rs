//! The part of `webstrata._core.graph` that reads labels of arcs.

use crate::graph::arc_labelled::{self, Kind};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_arc_labels, module)?)?;
    module.add_function(wrap_pyfunction!(read_label_offsets, module)?)
}

type Labels<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, u64);

/// Values, their number by label where labels are lists, and the bit behind them; `kind` is `gamma`, `fixed` or `list`.
#[pyfunction]
fn read_arc_labels<'py>(
    py: Python<'py>,
    data: PyReadonlyArray1<'_, u8>,
    start: u64,
    count: usize,
    kind: &str,
    width: u32,
) -> PyResult<Labels<'py>> {
    let kind = match (kind, width) {
        ("gamma", _) => Kind::Gamma,
        ("fixed", 0..=64) => Kind::Fixed(width),
        ("list", 0..=64) => Kind::List(width),
        _ => {
            let message =
                format!("kind: expected gamma, fixed or list, got {kind} of {width} bits");
            return Err(PyValueError::new_err(message));
        }
    };
    let data = data.as_slice()?;
    let found = py.detach(|| arc_labelled::read(data, start, count, kind))?;
    Ok((
        found.values.into_pyarray(py),
        found.lengths.into_pyarray(py),
        found.end,
    ))
}

/// Where the labels of each node begin, and where the last ones end.
#[pyfunction]
fn read_label_offsets<'py>(
    py: Python<'py>,
    data: PyReadonlyArray1<'_, u8>,
    num_nodes: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let data = data.as_slice()?;
    Ok(py
        .detach(|| arc_labelled::read_offsets(data, num_nodes))?
        .into_pyarray(py))
}
