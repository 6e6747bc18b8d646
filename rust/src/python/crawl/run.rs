//! `webstrata._core.crawl`: the engine.

use crate::crawl::config::{Config, Filters, Judge, Limits, Past, Prioritizer, Subjects};
use crate::crawl::engine::Engine as CoreEngine;
use crate::crawl::filters::Filter;
use crate::crawl::frontier::host_hash;
use crate::crawl::journal::{self, Entry};
use crate::crawl::messages::{Event, Notice};
use crate::crawl::{CrawlError, Result};
use crate::store::warc::Compression;
use crate::web::http::Failure;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LIMITS", Limits::NAMES.to_vec())?;
    module.add_function(wrap_pyfunction!(hash_host, module)?)?;
    module.add_function(wrap_pyfunction!(read_journal, module)?)?;
    module.add_class::<Engine>()
}

/// How many bytes of a journal are good, and the hashes of URLs that it calls done and stored.
#[pyfunction]
fn read_journal<'py>(py: Python<'py>, path: PathBuf) -> PyResult<(u64, Bound<'py, PyArray1<u64>>)> {
    let (good, done) = py.detach(|| -> Result<_> {
        let mut done = Vec::new();
        let good = journal::read(&path, &mut |entry| {
            if let Entry::Done {
                hash,
                is_stored: true,
            } = entry
            {
                done.push(hash);
            }
            Ok(())
        })?;
        Ok((good, done))
    })?;
    Ok((good, done.into_pyarray(py)))
}

/// The place of a URL's host on the ring of agents.
#[pyfunction]
fn hash_host(url: &str) -> u64 {
    host_hash(url)
}

/// What `Crawl` in `crawl/run.py` puts together.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given {
    numbers: Vec<(String, f64)>,
    folder: PathBuf,
    scratch: PathBuf,
    /// hashes of URLs with a capture
    past_stored: Vec<u64>,
    past_known: Vec<(Vec<u8>, Option<u64>, String, u64)>,
    past_pages: Vec<(String, u32)>,
    past_duplicates: u64,
    user_agent: String,
    agents: Vec<String>,
    headers: Vec<(String, String)>,
    retries: Vec<Vec<f64>>,
    host_delays: HashMap<String, f64>,
    ip_delays: HashMap<IpAddr, f64>,
    hosts: HashMap<String, (IpAddr, Option<u16>)>,
    name_servers: Vec<String>,
    authority: Option<String>,
    compression: String,
    level: i32,
    dictionary: Option<Vec<u8>>,
    prefix: String,
    warcinfo: Vec<(String, String)>,
    /// programs of the filters schedule, fetch, parse, follow, store
    filters: [Option<String>; 5],
    judge: Option<Py<PyAny>>,
    weights: Vec<f64>,
    prioritizer: Option<Py<PyAny>>,
    ring: Vec<(u64, u32)>,
}

/// The exception that a function of the user's raised.
type Raised = Arc<Mutex<Option<PyErr>>>;

#[pyclass(module = "webstrata._core.crawl")]
struct Engine {
    engine: CoreEngine,
    raised: Raised,
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, given: Given) -> PyResult<Self> {
        let raised = Raised::default();
        let config = configure(given, &raised)?;
        let engine = py.detach(|| CoreEngine::start(config))?;
        Ok(Self { engine, raised })
    }

    fn add(&self, urls: Vec<(String, u8, Option<String>)>) {
        self.engine.add(&urls);
    }

    fn answer_gate(&self, origin: String, keeps: bool) {
        self.engine.send(Event::Gate { origin, keeps });
    }

    fn pause(&self, is_paused: bool) {
        self.engine.send(Event::Pause(is_paused));
    }

    /// No more URLs will come from outside: the end is when there is nothing to do.
    fn finish(&self) {
        self.engine.send(Event::Finish);
    }

    #[pyo3(signature = (is_now = false))]
    fn stop(&self, is_now: bool) {
        self.engine.send(Event::Stop(is_now));
    }

    fn set(&self, name: String, value: f64) {
        self.engine.send(Event::Set { name, value });
    }

    /// Parameters of an origin that make no difference.
    fn rule(&self, origin: String, names: Vec<String>) {
        self.engine.send(Event::Rule { origin, names });
    }

    /// What was refused: reason, number, examples.
    fn cuts(&self) -> Vec<(&'static str, u64, Vec<String>)> {
        self.engine.counters.cuts.read()
    }

    fn blacklist(&self, what: String) {
        self.engine.send(Event::Blacklist(what));
    }

    fn is_over(&self) -> bool {
        self.engine.is_over()
    }

    /// Waits for the end and says why it came.
    fn join(&mut self, py: Python<'_>) -> PyResult<&'static str> {
        let end = py.detach(|| self.engine.join());
        if let Some(error) = self.raised.lock().ok().and_then(|mut raised| raised.take()) {
            return Err(error);
        }
        Ok(end?.name())
    }

    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = &self.engine.counters;
        let found = PyDict::new(py);
        for (name, value) in counters.read() {
            found.set_item(name, value)?;
        }
        for (hundreds, count) in counters.statuses.iter().enumerate() {
            found.set_item(
                format!("status_{hundreds}xx"),
                count.load(Ordering::Relaxed),
            )?;
        }
        for (name, count) in Failure::NAMES.iter().zip(&counters.failures) {
            found.set_item(format!("failed_{name}"), count.load(Ordering::Relaxed))?;
        }
        Ok(found)
    }

    /// What came since the last call: ("gate", origin), ("sample", origin, url, status, type, body),
    /// ("seen", origin, target, content) or ("foreign", agent, [(url, depth)]).
    fn notices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = PyList::empty(py);
        for notice in self.engine.notices.try_iter() {
            let tuple = match notice {
                Notice::Gate { origin } => ("gate", origin).into_pyobject(py)?.into_any(),
                Notice::Sample {
                    origin,
                    url,
                    status,
                    content_type,
                    body,
                } => {
                    let body = PyBytes::new(py, &body);
                    ("sample", origin, url, status, content_type, body)
                        .into_pyobject(py)?
                        .into_any()
                }
                Notice::Seen {
                    origin,
                    target,
                    content,
                } => ("seen", origin, target, content)
                    .into_pyobject(py)?
                    .into_any(),
                Notice::Foreign { agent, urls } => {
                    ("foreign", agent, urls).into_pyobject(py)?.into_any()
                }
            };
            found.append(tuple)?;
        }
        Ok(found)
    }
}

fn configure(given: Given, raised: &Raised) -> PyResult<Config> {
    let explain = |message: String| PyErr::from(CrawlError::Setting(message));
    let compile = |program: &Option<String>| {
        program
            .as_deref()
            .map(Filter::compile)
            .transpose()
            .map_err(explain)
    };
    let [schedule, fetch, parse, follow, store] = &given.filters;
    let servers = given.name_servers.iter().map(|server| {
        let address = server.parse::<SocketAddr>();
        let address =
            address.or_else(|_| server.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53)));
        address.map_err(|_| explain(format!("name_servers: `{server}` is no address")))
    });
    let compression = match given.compression.as_str() {
        "gzip" => Compression::Gzip(given.level),
        "zstd" => Compression::Zstd {
            level: given.level,
            dictionary: given.dictionary.map(Into::into),
        },
        _ => Compression::None,
    };
    let known = given
        .past_known
        .into_iter()
        .map(|(digest, fingerprint, url, date)| {
            let digest = <[u8; 20]>::try_from(digest);
            let digest = digest.map_err(|_| explain("a digest has twenty bytes".into()))?;
            Ok((digest, fingerprint, url, date))
        });
    Ok(Config {
        limits: Limits::from_pairs(&given.numbers).map_err(explain)?,
        name_servers: servers.collect::<PyResult<_>>()?,
        filters: Filters {
            schedule: compile(schedule)?,
            fetch: compile(fetch)?,
            parse: compile(parse)?,
            follow: compile(follow)?,
            store: compile(store)?,
            judge: given.judge.map(|function| judge(function, raised.clone())),
        },
        folder: given.folder,
        scratch: given.scratch,
        past: Past {
            stored: given.past_stored,
            known: known.collect::<PyResult<_>>()?,
            pages: given.past_pages,
            num_duplicates: given.past_duplicates,
        },
        user_agent: given.user_agent,
        agents: given.agents,
        headers: given.headers,
        retries: given.retries,
        host_delays: given.host_delays.into_iter().collect(),
        ip_delays: given.ip_delays.into_iter().collect(),
        hosts: given.hosts.into_iter().collect(),
        authority: given.authority,
        compression,
        prefix: given.prefix,
        warcinfo: given.warcinfo,
        weights: given.weights,
        prioritizer: given
            .prioritizer
            .map(|function| prioritizer(function, raised.clone())),
        ring: given.ring,
    })
}

/// Keeps the first exception for the one who waits for the end.
fn keep<T>(raised: &Raised, outcome: PyResult<T>) -> Result<T> {
    outcome.map_err(|error| {
        if let Ok(mut raised) = raised.lock() {
            raised.get_or_insert(error);
        }
        CrawlError::Callback
    })
}

fn judge(function: Py<PyAny>, raised: Raised) -> Judge {
    Arc::new(move |predicate: (usize, usize), subjects: &[Subjects]| {
        let outcome = Python::attach(|py| -> PyResult<Vec<bool>> {
            let shown = PyList::empty(py);
            for subject in subjects {
                let body = subject.body.as_ref().map(|body| PyBytes::new(py, body));
                let (url, source) = (subject.url.as_str(), subject.source.as_deref());
                let tuple: Bound<'_, PyTuple> = (
                    url,
                    source,
                    subject.depth,
                    subject.status,
                    subject.content_type.as_str(),
                    body,
                    PyBytes::new(py, &subject.digest),
                    subject.is_duplicate,
                )
                    .into_pyobject(py)?;
                shown.append(tuple)?;
            }
            function.call1(py, (predicate, shown))?.extract(py)
        });
        keep(&raised, outcome)
    })
}

fn prioritizer(function: Py<PyAny>, raised: Raised) -> Prioritizer {
    Arc::new(move |urls: &[(&str, u8)]| {
        let outcome = Python::attach(|py| -> PyResult<Vec<u32>> {
            let (names, depths): (Vec<&str>, Vec<u32>) = urls
                .iter()
                .map(|(url, depth)| (*url, u32::from(*depth)))
                .unzip();
            function.call1(py, (names, depths))?.extract(py)
        });
        keep(&raised, outcome)
    })
}
