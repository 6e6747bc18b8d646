//! `webstrata._core.archive`.

mod filters;
mod fixity;
mod record_groups;

use crate::archive::cdxj;
use crate::archive::warc::{self, Capture, Compression, Encoder, Profile, Revisit, Truncated};
use crate::collection::CollectionError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use std::net::IpAddr;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WarcFiles>()?;
    module.add_class::<record_groups::ResponseBatch>()?;
    module.add_class::<record_groups::ResponseReader>()?;
    module.add_class::<fixity::Surveyor>()?;
    module.add_class::<filters::Pattern>()?;
    module.add_function(wrap_pyfunction!(fixity::verify_record, module)?)?;
    module.add_function(wrap_pyfunction!(fixity::join_chunks, module)?)?;
    module.add_function(wrap_pyfunction!(clean_head, module)?)?;
    module.add_function(wrap_pyfunction!(record_groups::read_records, module)?)?;
    module.add_function(wrap_pyfunction!(cdxj_line, module)?)?;
    module.add_function(wrap_pyfunction!(surts, module)?)?;
    module.add_function(wrap_pyfunction!(train_dictionary, module)?)
}

/// A file that is read on several cores.
struct Source {
    path: PathBuf,
    pool: rayon::ThreadPool,
}

impl Source {
    fn new(path: PathBuf, workers: usize) -> PyResult<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .map_err(|error| PyValueError::new_err(format!("workers: {error}")))?;
        Ok(Self { path, pool })
    }
}

/// `webstrata.archive.warc.Capture`.
#[derive(FromPyObject)]
struct GivenCapture {
    url: PyBackedStr,
    date: u64,
    ip: Option<IpAddr>,
    request: PyBackedBytes,
    head: PyBackedBytes,
    body: PyBackedBytes,
    decoded: bool,
    truncated: Option<PyBackedStr>,
    digest: [u8; 20],
    identified_type: Option<PyBackedStr>,
    protocols: Vec<PyBackedStr>,
    cipher: Option<PyBackedStr>,
    metadata: Vec<(PyBackedStr, PyBackedStr)>,
    revisit: Option<(PyBackedStr, PyBackedStr, u64)>,
}

#[pyclass(module = "webstrata._core.archive")]
struct WarcFiles {
    encoder: Encoder,
    files: warc::Files,
}

#[pymethods]
impl WarcFiles {
    #[new]
    fn new(
        folder: PathBuf,
        prefix: &str,
        max_bytes: u64,
        compression: &str,
        level: i32,
        dictionary: Option<PyBackedBytes>,
        fields: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let compression = match compression {
            "none" => Compression::None,
            "gzip" => Compression::Gzip(level),
            _ => Compression::Zstd {
                level,
                dictionary: dictionary.map(|bytes| bytes[..].into()),
            },
        };
        Ok(Self {
            encoder: Encoder::new(&compression)?,
            files: warc::Files::new(&folder, prefix, max_bytes, &compression, &fields)?,
        })
    }

    fn write(&mut self, py: Python<'_>, capture: GivenCapture) -> PyResult<(String, u64, u64)> {
        let truncated = capture.truncated.as_deref().map(truncation).transpose()?;
        let revisit = capture.revisit.as_ref().map(|(profile, uri, date)| {
            Ok::<_, PyErr>(Revisit {
                profile: revisit_profile(profile)?,
                refers_to_uri: uri,
                refers_to_date: *date,
            })
        });
        let protocols: Vec<&str> = capture.protocols.iter().map(|text| &text[..]).collect();
        let metadata: Vec<(&str, &str)> = capture
            .metadata
            .iter()
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();
        let capture = Capture {
            uri: &capture.url,
            date: capture.date,
            ip: capture.ip,
            request: &capture.request,
            head: &capture.head,
            body: &capture.body,
            decoded: capture.decoded,
            truncated,
            payload_digest: capture.digest,
            block_digest: None,
            identified_type: capture.identified_type.as_deref(),
            protocols: &protocols,
            cipher: capture.cipher.as_deref(),
            metadata: &metadata,
            revisit: revisit.transpose()?,
        };
        py.detach(|| {
            let mut batch = Vec::new();
            let encoded = self.encoder.encode(&capture, &mut batch)?;
            let place = self.files.append(&batch, capture.date)?;
            let offset = place.offset + encoded.offset as u64;
            Ok((place.name.to_owned(), offset, encoded.length as u64))
        })
    }

    /// Stores a record with the headers and the block that are given; its file, offset and length.
    fn write_record(
        &mut self,
        py: Python<'_>,
        headers: Vec<(PyBackedStr, PyBackedStr)>,
        block: PyBackedBytes,
        date: u64,
    ) -> PyResult<(String, u64, u64)> {
        py.detach(|| {
            let lines = headers.iter().map(|(name, value)| (&name[..], &value[..]));
            let mut batch = Vec::new();
            self.encoder
                .encode_record(&lines.collect::<Vec<_>>(), &block, &mut batch)?;
            let place = self.files.append(&batch, date)?;
            Ok((place.name.to_owned(), place.offset, batch.len() as u64))
        })
    }

    /// Stores the records of some groups of a batch as they are; their index lines, and how many of these are of
    /// another time than `label`, digits that a timestamp begins with.
    fn copy<'py>(
        &mut self,
        py: Python<'py>,
        batch: &record_groups::ResponseBatch,
        places: Vec<usize>,
        label: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let copied = py.detach(|| {
            let mut lines = record_groups::Lines::new(label);
            for place in places {
                let group = &batch.batch.groups[place];
                let Some(facts) = &group.facts else {
                    continue;
                };
                let stored = self.files.append(batch.batch.piece(group), facts.date)?;
                lines.push(group, stored.name, stored.offset);
            }
            Ok::<_, CollectionError>(lines)
        })?;
        Ok((PyBytes::new(py, &copied.text), copied.num_others))
    }

    fn resume(&mut self, name: &str, length: u64) -> PyResult<()> {
        Ok(self.files.resume(name, length)?)
    }

    fn position(&self) -> Option<(&str, u64)> {
        self.files
            .position()
            .map(|place| (place.name, place.offset))
    }

    fn sync(&mut self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.files.sync())?)
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.files.close())?)
    }
}

fn truncation(name: &str) -> PyResult<Truncated> {
    use Truncated::{Disconnect, Length, Time, Unspecified};
    let known = [Length, Time, Disconnect, Unspecified];
    let found = known.into_iter().find(|known| known.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("truncated: {name:?} is no reason")))
}

fn revisit_profile(name: &str) -> PyResult<Profile> {
    match name {
        "identical-digest" => Ok(Profile::IdenticalDigest),
        "not-modified" => Ok(Profile::NotModified),
        "duplicate" => Ok(Profile::Duplicate),
        _ => Err(PyValueError::new_err(format!(
            "revisit: {name:?} is no profile"
        ))),
    }
}

/// `webstrata.archive.cdxj.Line`.
#[derive(FromPyObject)]
struct GivenLine {
    url: PyBackedStr,
    date: u64,
    mime: PyBackedStr,
    status: u16,
    digest: Option<[u8; 20]>,
    length: u64,
    offset: u64,
    filename: PyBackedStr,
    fingerprint: Option<u64>,
    duplicate_of: Option<PyBackedStr>,
    redirect: Option<PyBackedStr>,
    robots: Option<PyBackedStr>,
    truncated: Option<PyBackedStr>,
    fixity: Option<PyBackedStr>,
}

#[pyfunction]
fn cdxj_line<'py>(py: Python<'py>, line: GivenLine) -> Bound<'py, PyBytes> {
    let mut out = Vec::new();
    let line = cdxj::Line {
        url: &line.url,
        date: line.date,
        mime: &line.mime,
        status: line.status,
        digest: line.digest.unwrap_or_default(),
        lacks_digest: line.digest.is_none(),
        length: line.length,
        offset: line.offset,
        filename: &line.filename,
        fingerprint: line.fingerprint,
        duplicate_of: line.duplicate_of.as_deref(),
        redirect: line.redirect.as_deref(),
        robots: line.robots.as_deref(),
        truncated: line.truncated.as_deref(),
        fixity: line.fixity.as_deref(),
        ..cdxj::Line::default()
    };
    cdxj::push_line(&mut out, &line);
    PyBytes::new(py, &out)
}

#[pyfunction]
fn surts(urls: Vec<PyBackedStr>) -> Vec<String> {
    let surt = |url: &PyBackedStr| {
        let mut key = Vec::new();
        cdxj::push_surt(&mut key, url);
        String::from_utf8_lossy(&key).into_owned()
    };
    urls.iter().map(surt).collect()
}

#[pyfunction]
fn train_dictionary<'py>(
    py: Python<'py>,
    samples: Vec<PyBackedBytes>,
    size: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let trained = py.detach(|| zstd::dict::from_samples(&samples, size));
    let trained = trained.map_err(|error| PyValueError::new_err(format!("samples: {error}")))?;
    Ok(PyBytes::new(py, &trained))
}

/// An HTTP head with its empty line as it is stored with a payload of `length` bytes.
#[pyfunction]
fn clean_head<'py>(
    py: Python<'py>,
    head: &[u8],
    length: Option<usize>,
    decoded: bool,
) -> Bound<'py, PyBytes> {
    let mut out = Vec::new();
    warc::head::push_head(&mut out, head, length, decoded);
    PyBytes::new(py, &out)
}
