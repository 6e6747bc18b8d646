//! `webstrata._core.collection`.

use super::progress::supervise;
use crate::collection::progress::Meter;
use crate::collection::verify::blocks::{Blocks, Expected};
use crate::collection::verify::{blocks, digest};
use crate::collection::{faults, files};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Writer>()?;
    module.add_function(wrap_pyfunction!(crash_point, module)?)?;
    module.add("BLOCK_SIZE", blocks::BLOCK)?;
    module.add_function(wrap_pyfunction!(block_sum, module)?)?;
    module.add_function(wrap_pyfunction!(digest_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(digest_files, module)?)?;
    module.add_function(wrap_pyfunction!(rename, module)?)?;
    module.add_function(wrap_pyfunction!(set_faults, module)?)?;
    module.add_function(wrap_pyfunction!(sync_path, module)?)?;
    module.add_function(wrap_pyfunction!(verify_files, module)?)
}

#[pyclass(module = "webstrata._core.collection")]
struct Writer {
    inner: Option<files::Writer>,
}

impl Writer {
    fn open_writer(&mut self) -> PyResult<&mut files::Writer> {
        self.inner
            .as_mut()
            .ok_or_else(|| PyValueError::new_err("the writer is closed"))
    }
}

#[pymethods]
impl Writer {
    #[new]
    #[pyo3(signature = (path, *, append = false))]
    fn new(path: PathBuf, append: bool) -> PyResult<Self> {
        let inner = if append {
            files::Writer::append(&path)?
        } else {
            files::Writer::create(&path)?
        };
        Ok(Self { inner: Some(inner) })
    }

    fn write(&mut self, py: Python<'_>, data: PyBuffer<u8>) -> PyResult<usize> {
        let writer = self.open_writer()?;
        let Some(cells) = data.as_slice(py) else {
            return Err(PyValueError::new_err("data: expected contiguous bytes"));
        };
        // SAFETY: a ReadOnlyCell<u8> has the layout of u8, and the buffer stays exported until this returns
        let bytes = unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<u8>(), cells.len()) };
        py.detach(|| writer.put(bytes))?;
        Ok(bytes.len())
    }

    fn sync(&mut self, py: Python<'_>) -> PyResult<()> {
        let writer = self.open_writer()?;
        Ok(py.detach(|| writer.sync())?)
    }

    fn close(&mut self) {
        self.inner = None;
    }

    #[getter]
    fn position(&mut self) -> PyResult<u64> {
        Ok(self.open_writer()?.position())
    }
}

#[pyfunction]
fn crash_point(name: &str) {
    faults::crash_point(name);
}

#[pyfunction]
fn block_sum(data: &[u8]) -> u64 {
    blocks::sum(data)
}

#[pyfunction]
#[pyo3(signature = (paths, *, workers = 0, progress = None))]
fn digest_blocks(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    workers: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, u64, Vec<u64>)>> {
    let digests = supervise(py, progress, |meter| {
        digest::digest_blocks(&paths, workers, meter)
    })?;
    let rows = digests.into_iter();
    Ok(rows
        .map(|(digest, blocks)| (digest, blocks.size, blocks.sums))
        .collect())
}

#[pyfunction]
#[pyo3(signature = (files, *, limit = None, known = 0, workers = 0, progress = None))]
fn verify_files(
    py: Python<'_>,
    files: Vec<(PathBuf, u64, Vec<u64>)>,
    limit: Option<u64>,
    known: u64,
    workers: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, Vec<(usize, String)>)> {
    let mut expected = Vec::with_capacity(files.len());
    for (path, size, sums) in files {
        if sums.len() as u64 != size.div_ceil(blocks::BLOCK) {
            return Err(PyValueError::new_err(format!(
                "files: expected one sum per block of {}, got {} for {size} bytes",
                path.display(),
                sums.len()
            )));
        }
        let blocks = Blocks { size, sums };
        expected.push(Expected { path, blocks });
    }
    let limit = limit.unwrap_or(u64::MAX);
    if progress.is_none() {
        let meter = Meter::new();
        return Ok(py.detach(|| blocks::verify(&expected, limit, known, workers, &meter))?);
    }
    supervise(py, progress, |meter| {
        blocks::verify(&expected, limit, known, workers, meter)
    })
}

#[pyfunction]
#[pyo3(signature = (paths, *, workers = 0, progress = None))]
fn digest_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    workers: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    supervise(py, progress, |meter| {
        digest::digest_files(&paths, workers, meter)
    })
}

#[pyfunction]
fn rename(py: Python<'_>, source: PathBuf, target: PathBuf) -> PyResult<()> {
    Ok(py.detach(|| files::rename(&source, &target))?)
}

#[pyfunction]
fn set_faults(plan: &str) -> PyResult<()> {
    Ok(faults::set_plan(plan)?)
}

#[pyfunction]
fn sync_path(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    Ok(py.detach(|| files::sync_path(&path))?)
}
