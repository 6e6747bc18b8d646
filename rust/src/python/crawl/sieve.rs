//! Records that Python hands over as one text and the places where each ends.

use crate::collection::Result;
use crate::crawl::sieve;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hash_records, module)?)
}

/// Calls `each` with the number of each record and the record.
pub fn for_each(
    text: &[u8],
    ends: &[u64],
    each: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
) -> PyResult<()> {
    let mut start = 0;
    for (number, &end) in ends.iter().enumerate() {
        let record = text.get(start..end as usize).ok_or_else(|| {
            PyValueError::new_err(format!(
                "ends[{number}] is {end}, expected {start} to {}",
                text.len()
            ))
        })?;
        each(number, record)?;
        start = end as usize;
    }
    Ok(())
}

/// The hash by which the sieve knows each record.
#[pyfunction]
fn hash_records<'py>(
    py: Python<'py>,
    text: &[u8],
    ends: PyReadonlyArray1<'_, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let ends = ends.as_slice()?;
    let mut hashes = Vec::with_capacity(ends.len());
    py.detach(|| {
        for_each(text, ends, &mut |_, record| {
            hashes.push(sieve::hash(record));
            Ok(())
        })
    })?;
    Ok(hashes.into_pyarray(py))
}
