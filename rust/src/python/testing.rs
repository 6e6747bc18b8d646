//! `webstrata._core.testing`: the structures of the frontier one by one, for tests and benchmarks. The feature `testing`
//! has them; wheels are built without it.

use crate::collection::{CollectionError, Result};
use crate::crawl::{duplicates, queue, sieve, url_cache, virtualizer};
use crate::python::crawl::sieve::for_each;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// Records are given to Python when they are so many bytes together.
const BATCH: usize = 1 << 20;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<UrlCache>()?;
    module.add_class::<DiskQueue>()?;
    module.add_class::<Sieve>()?;
    module.add_class::<Virtualizer>()?;
    module.add_class::<DiskMap>()
}

/// Records as one text and the place where each ends.
#[derive(Default)]
struct Records {
    text: Vec<u8>,
    ends: Vec<u64>,
}

type RecordArrays<'py> = (Bound<'py, PyBytes>, Bound<'py, PyArray1<u64>>);

/// Values, and whether each was there.
type FoundArrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<bool>>);

impl Records {
    fn push(&mut self, record: &[u8]) {
        self.text.extend_from_slice(record);
        self.ends.push(self.text.len() as u64);
    }

    fn take<'py>(&mut self, py: Python<'py>) -> RecordArrays<'py> {
        let text = PyBytes::new(py, &self.text);
        self.text.clear();
        (text, std::mem::take(&mut self.ends).into_pyarray(py))
    }
}

fn same_length(numbers: usize, ends: usize) -> PyResult<()> {
    if numbers == ends {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{numbers} numbers for {ends} records"
    )))
}

#[pyclass(module = "webstrata._core.testing")]
struct UrlCache(url_cache::UrlCache);

#[pymethods]
impl UrlCache {
    #[new]
    fn new(num_bytes: usize) -> Self {
        Self(url_cache::UrlCache::new(num_bytes))
    }

    fn insert(&mut self, hash: u64) -> bool {
        self.0.insert(hash)
    }

    fn insert_many<'py>(
        &mut self,
        py: Python<'py>,
        hashes: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let hashes = hashes.as_slice()?;
        let cache = &mut self.0;
        let mut are_new = Vec::with_capacity(hashes.len());
        py.detach(|| cache.insert_many(hashes, |is_new| are_new.push(is_new)));
        Ok(are_new.into_pyarray(py))
    }

    #[getter]
    fn num_bytes(&self) -> usize {
        self.0.num_bytes()
    }
}

#[pyclass(module = "webstrata._core.testing")]
struct DiskQueue(queue::DiskQueue);

#[pymethods]
impl DiskQueue {
    #[new]
    fn new(folder: PathBuf, name: &str, buffer: usize) -> PyResult<Self> {
        Ok(Self(queue::DiskQueue::create(&folder, name, buffer)?))
    }

    fn push(&mut self, record: &[u8]) -> PyResult<()> {
        Ok(self.0.push(record)?)
    }

    fn pop<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut record = Vec::new();
        let found = self.0.pop(&mut record)?;
        Ok(found.then(|| PyBytes::new(py, &record)))
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }
}

#[pyclass(module = "webstrata._core.testing")]
struct Sieve(sieve::Sieve);

#[pymethods]
impl Sieve {
    #[new]
    fn new(folder: PathBuf, capacity: usize) -> PyResult<Self> {
        Ok(Self(sieve::Sieve::create(&folder, capacity)?))
    }

    fn enqueue(&mut self, hash: u64, record: &[u8]) -> PyResult<()> {
        Ok(self.0.enqueue(hash, record)?)
    }

    fn enqueue_many(
        &mut self,
        py: Python<'_>,
        hashes: PyReadonlyArray1<'_, u64>,
        text: &[u8],
        ends: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<()> {
        let (hashes, ends) = (hashes.as_slice()?, ends.as_slice()?);
        same_length(hashes.len(), ends.len())?;
        let sieve = &mut self.0;
        py.detach(|| {
            for_each(text, ends, &mut |number, record| {
                sieve.enqueue(hashes[number], record)
            })
        })
    }

    /// Calls `release` with batches of records; what it raises is raised.
    fn flush(&mut self, py: Python<'_>, release: Bound<'_, PyAny>) -> PyResult<u64> {
        let release = release.unbind();
        let sieve = &mut self.0;
        py.detach(|| {
            let mut records = Records::default();
            let mut raised = None;
            let give = |records: &mut Records| {
                Python::attach(|py| release.call1(py, records.take(py)).map(|_| ()))
            };
            let flushed = sieve.flush(&mut |record| {
                records.push(record);
                if records.text.len() < BATCH {
                    return Ok(());
                }
                give(&mut records).map_err(|error| {
                    raised = Some(error);
                    CollectionError::Interrupted
                })
            });
            if let Some(error) = raised {
                return Err(error);
            }
            let num_new = flushed?;
            if !records.ends.is_empty() {
                give(&mut records)?;
            }
            Ok(num_new)
        })
    }

    #[getter]
    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    #[getter]
    fn num_pending(&self) -> usize {
        self.0.num_pending()
    }

    #[getter]
    fn num_known(&self) -> u64 {
        self.0.num_known()
    }

    #[getter]
    fn num_runs(&self) -> usize {
        self.0.num_runs()
    }

    #[getter]
    fn last_flush_seconds(&self) -> f64 {
        self.0.last_flush_seconds()
    }
}

#[pyclass(module = "webstrata._core.testing")]
struct Virtualizer(virtualizer::Virtualizer);

#[pymethods]
impl Virtualizer {
    #[new]
    fn new(folder: PathBuf, staging_bytes: usize) -> PyResult<Self> {
        Ok(Self(virtualizer::Virtualizer::create(
            &folder,
            staging_bytes,
        )?))
    }

    fn push(&mut self, host: u32, record: &[u8]) -> PyResult<()> {
        Ok(self.0.push(host, record)?)
    }

    fn push_many(
        &mut self,
        py: Python<'_>,
        hosts: PyReadonlyArray1<'_, u32>,
        text: &[u8],
        ends: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<()> {
        let (hosts, ends) = (hosts.as_slice()?, ends.as_slice()?);
        same_length(hosts.len(), ends.len())?;
        let virtualizer = &mut self.0;
        py.detach(|| {
            for_each(text, ends, &mut |number, record| {
                virtualizer.push(hosts[number], record)
            })
        })
    }

    fn pull<'py>(
        &mut self,
        py: Python<'py>,
        host: u32,
        max_bytes: usize,
    ) -> PyResult<RecordArrays<'py>> {
        let mut records = Records::default();
        let virtualizer = &mut self.0;
        py.detach(|| virtualizer.pull(host, max_bytes, &mut |record| records.push(record)))?;
        Ok(records.take(py))
    }

    fn drop_host(&mut self, host: u32) -> PyResult<()> {
        Ok(self.0.drop_host(host)?)
    }

    fn len_of(&self, host: u32) -> u64 {
        self.0.len_of(host)
    }

    #[getter]
    fn num_hosts(&self) -> usize {
        self.0.num_hosts()
    }

    #[getter]
    fn num_records(&self) -> u64 {
        self.0.num_records()
    }

    #[getter]
    fn num_bytes(&self) -> u64 {
        self.0.num_bytes()
    }
}

#[pyclass(module = "webstrata._core.testing")]
struct DiskMap(duplicates::DiskMap);

#[pymethods]
impl DiskMap {
    #[new]
    fn new(path: PathBuf, cache_bytes: usize) -> PyResult<Self> {
        Ok(Self(duplicates::DiskMap::create(&path, cache_bytes)?))
    }

    fn get_or_insert(&mut self, key: u64, value: u64) -> PyResult<Option<u64>> {
        Ok(self.0.get_or_insert(key, value)?)
    }

    /// The values that were there, and whether there was one.
    fn get_or_insert_many<'py>(
        &mut self,
        py: Python<'py>,
        keys: PyReadonlyArray1<'_, u64>,
        values: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<FoundArrays<'py>> {
        let (keys, values) = (keys.as_slice()?, values.as_slice()?);
        same_length(keys.len(), values.len())?;
        let map = &mut self.0;
        let found: Vec<Option<u64>> = py.detach(|| {
            let pairs = keys.iter().zip(values);
            pairs
                .map(|(&key, &value)| map.get_or_insert(key, value))
                .collect::<Result<_>>()
        })?;
        let there: Vec<bool> = found.iter().map(Option::is_some).collect();
        let found: Vec<u64> = found.into_iter().map(Option::unwrap_or_default).collect();
        Ok((found.into_pyarray(py), there.into_pyarray(py)))
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }
}
