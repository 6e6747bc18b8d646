//! `webstrata._core.store`.

mod contents;
mod main_content;
mod near_duplicates;
mod records;

use crate::collection::CollectionError;
use crate::store::cdxj;
use crate::store::warc::{self, Capture, Compression, Encoder, Profile, Revisit, Truncated};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use std::fs::File;
use std::net::IpAddr;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    near_duplicates::fill(module)?;
    module.add_class::<main_content::ContentRules>()?;
    module.add_class::<WarcFiles>()?;
    module.add_class::<contents::Contents>()?;
    module.add_class::<records::AnswerReader>()?;
    module.add_function(wrap_pyfunction!(records::read_records, module)?)?;
    module.add_function(wrap_pyfunction!(cdxj_line, module)?)?;
    module.add_function(wrap_pyfunction!(surts, module)?)?;
    module.add_function(wrap_pyfunction!(train_dictionary, module)?)
}

/// `webstrata.store.warc.Capture`.
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

#[pyclass(module = "webstrata._core.store")]
struct WarcFiles {
    encoder: Encoder,
    files: warc::Files,
    /// the file that was copied from last, and room for a piece of it
    source: Option<(PathBuf, File)>,
    piece: Vec<u8>,
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
            source: None,
            piece: Vec::new(),
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

    /// Stores a piece of another file, whole records in their order, as it is; where it begins.
    fn copy(
        &mut self,
        py: Python<'_>,
        path: PathBuf,
        offset: u64,
        length: usize,
        date: u64,
    ) -> PyResult<(String, u64)> {
        py.detach(|| {
            let explain = |source| CollectionError::from_io(&path, "read", source);
            if self.source.as_ref().is_none_or(|(open, _)| *open != path) {
                self.source = Some((path.clone(), File::open(&path).map_err(explain)?));
            }
            self.piece.resize(length, 0);
            if let Some((_, file)) = &self.source {
                file.read_exact_at(&mut self.piece, offset)
                    .map_err(explain)?;
            }
            let place = self.files.append(&self.piece, date)?;
            self.piece.truncate(0);
            self.piece.shrink_to(1 << 20);
            Ok((place.name.to_owned(), place.offset))
        })
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

/// `webstrata.store.cdxj.Line`.
#[derive(FromPyObject)]
struct GivenLine {
    url: PyBackedStr,
    date: u64,
    mime: PyBackedStr,
    status: u16,
    digest: [u8; 20],
    length: u64,
    offset: u64,
    filename: PyBackedStr,
    fingerprint: Option<u64>,
    duplicate_of: Option<PyBackedStr>,
    redirect: Option<PyBackedStr>,
    robots: Option<PyBackedStr>,
    truncated: Option<PyBackedStr>,
}

#[pyfunction]
fn cdxj_line<'py>(py: Python<'py>, line: GivenLine) -> Bound<'py, PyBytes> {
    let mut out = Vec::new();
    let line = cdxj::Line {
        url: &line.url,
        date: line.date,
        mime: &line.mime,
        status: line.status,
        digest: line.digest,
        length: line.length,
        offset: line.offset,
        filename: &line.filename,
        fingerprint: line.fingerprint,
        duplicate_of: line.duplicate_of.as_deref(),
        redirect: line.redirect.as_deref(),
        robots: line.robots.as_deref(),
        truncated: line.truncated.as_deref(),
        signals: None,
        span: None,
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
