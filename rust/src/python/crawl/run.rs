//! `webstrata._core.crawl`: the engine.

use crate::archive::warc::Compression;
use crate::crawl::config::{Change, Config, Filters, Judge, Limits, Past, Prioritizer, Subjects};
use crate::crawl::counters::set;
use crate::crawl::earlier::Payloads;
use crate::crawl::engine::Engine as CoreEngine;
use crate::crawl::filters::Filter;
use crate::crawl::frontier::host_hash;
use crate::crawl::journal::{self, Entry, Journal, Mark};
use crate::crawl::messages::{Event, Notice};
use crate::crawl::{CrawlError, Result};
use crate::python::store::ContentRules;
use crate::web::http::Failure;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LIMITS", Limits::NAMES.to_vec())?;
    module.add("FAILURES", Failure::NAMES.to_vec())?;
    module.add_function(wrap_pyfunction!(hash_host, module)?)?;
    module.add_function(wrap_pyfunction!(mark_journal, module)?)?;
    module.add_function(wrap_pyfunction!(read_journal, module)?)?;
    module.add_class::<Engine>()
}

type Hashes<'py> = Bound<'py, PyArray1<u64>>;
/// Lengths of the journal and of the lines, the name of the last file and its length, when a checkpoint was over.
type GivenMark = (u64, u64, String, u64);

/// How many bytes of a journal are good, the hashes of URLs that it calls done and stored, the checksums of their
/// records, and its last mark.
#[pyfunction]
fn read_journal<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(u64, Hashes<'py>, Hashes<'py>, GivenMark)> {
    let (good, done, sums, mark) = py.detach(|| -> Result<_> {
        let (mut done, mut sums, mut last) = (Vec::new(), Vec::new(), Mark::default());
        let good = journal::read(&path, &mut |entry| {
            match entry {
                Entry::Done {
                    hash,
                    sum: Some(sum),
                } => {
                    done.push(hash);
                    sums.push(sum);
                }
                Entry::Mark(mark) => last = mark,
                _ => {}
            }
            Ok(())
        })?;
        Ok((good, done, sums, last))
    })?;
    let mark = (mark.journal, mark.captures, mark.name, mark.length);
    Ok((good, done.into_pyarray(py), sums.into_pyarray(py), mark))
}

/// Notes in a journal that everything of it so far, and of the other files what `mark` says, is on the disk.
#[pyfunction]
fn mark_journal(py: Python<'_>, path: PathBuf, mark: GivenMark) -> PyResult<()> {
    let (journal, captures, name, length) = mark;
    let mark = Mark {
        journal,
        captures,
        name,
        length,
    };
    Ok(py.detach(|| {
        let mut journal = Journal::append(&path)?;
        journal.push_mark(&mark);
        journal.write()
    })?)
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
    live: Live,
    folder: PathBuf,
    scratch: PathBuf,
    /// hashes of URLs with a capture
    past_stored: Vec<u64>,
    past_known: Vec<(Vec<u8>, Option<u64>, String, u64)>,
    past_pages: Vec<(String, u32)>,
    past_duplicates: u64,
    past_torn: u64,
    past_pause: f64,
    past_closed: Vec<(String, String)>,
    /// digests, URLs and WARC files of earlier snapshots
    earlier: Option<(PathBuf, Option<PathBuf>, Vec<PathBuf>)>,
    user_agent: String,
    agents: Vec<String>,
    headers: Vec<(String, String)>,
    hosts: HashMap<String, (IpAddr, Option<u16>)>,
    name_servers: Vec<String>,
    authority: Option<String>,
    compression: String,
    level: i32,
    dictionary: Option<Vec<u8>>,
    prefix: String,
    clock: i64,
    speed: (f64, u64),
    contents: Option<Py<ContentRules>>,
    warcinfo: Vec<(String, String)>,
    weights: Vec<f64>,
    prioritizer: Option<Py<PyAny>>,
    ring: Vec<(u64, u32)>,
}

/// The part of it that can change while the crawl runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Live {
    numbers: Vec<(String, f64)>,
    retries: Vec<Vec<f64>>,
    host_delays: HashMap<String, f64>,
    ip_delays: HashMap<IpAddr, f64>,
    /// programs of the filters schedule, fetch, parse, follow, store
    filters: [Option<String>; 5],
    judge: Option<Py<PyAny>>,
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

    /// URLs to ask for now, whether they were asked for before or not.
    fn visit(&self, urls: Vec<(String, u8, Option<String>)>) {
        self.engine.visit(&urls);
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

    /// Obeys what is told from now on: all of `live`, as the engine was given it.
    fn change(&self, live: Live) -> PyResult<()> {
        let change = settle(live, &self.raised)?;
        self.engine.send(Event::Change(Box::new(change)));
        Ok(())
    }

    /// Closes the open WARC file and syncs the index; how many captures they have, or nothing if that takes too long.
    fn flush(&self, py: Python<'_>, seconds: f64) -> Option<u64> {
        let (reply, told) = crossbeam::channel::bounded(1);
        self.engine.send(Event::Flush(reply));
        py.detach(|| told.recv_timeout(Duration::from_secs_f64(seconds)).ok())
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

    /// What cannot be written because the disk is full, how many bytes that are, and for how many seconds.
    fn shortage(&self) -> Option<(PathBuf, usize, f64)> {
        let found = self.engine.space.shortage()?;
        Some((found.path, found.bytes, found.since.elapsed().as_secs_f64()))
    }

    fn is_over(&self) -> bool {
        self.engine.is_over()
    }

    /// Waits for the end and says why it came.
    fn join(&self, py: Python<'_>) -> PyResult<&'static str> {
        let end = py.detach(|| self.engine.join());
        if let Some(error) = self.raised.lock().ok().and_then(|mut raised| raised.take()) {
            return Err(error);
        }
        Ok(end?.name())
    }

    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = &self.engine.counters;
        // threads that wait for room on the disk cannot count themselves
        set(&counters.disk_waits, self.engine.space.num_waits());
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
        for (depth, count) in counters.depths.iter().enumerate() {
            found.set_item(format!("depth_{depth}"), count.load(Ordering::Relaxed))?;
        }
        Ok(found)
    }

    /// What came since the last call: ("gate", origin), ("sample", origin, url, status, type, body),
    /// ("seen", origin, target, content), ("foreign", agent, [(url, depth)]), ("closed", origin, reason, urls),
    /// ("found", [(url, depth, validators)]) or
    /// ("visited", url, status, content, date, bytes, tag, modified, is_page, is_copy).
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
                Notice::Found(urls) => ("found", urls).into_pyobject(py)?.into_any(),
                Notice::Visited(end) => (
                    "visited",
                    end.url,
                    end.status,
                    end.content,
                    end.date,
                    end.bytes,
                    end.tag,
                    end.modified,
                    end.is_page,
                    end.is_copy,
                )
                    .into_pyobject(py)?
                    .into_any(),
                Notice::Foreign { agent, urls } => {
                    ("foreign", agent, urls).into_pyobject(py)?.into_any()
                }
                Notice::Closed {
                    origin,
                    reason,
                    urls,
                } => ("closed", origin, reason.name(), urls)
                    .into_pyobject(py)?
                    .into_any(),
            };
            found.append(tuple)?;
        }
        Ok(found)
    }
}

fn configure(given: Given, raised: &Raised) -> PyResult<Config> {
    let live = settle(given.live, raised)?;
    let servers = given.name_servers.iter().map(|server| {
        let address = server.parse::<SocketAddr>();
        let address =
            address.or_else(|_| server.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 53)));
        address.map_err(|_| {
            let message =
                format!("name_servers: `{server}` is not an address; write it as 192.0.2.1:53");
            PyErr::from(CrawlError::Setting(message))
        })
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
            let digest = digest
                .map_err(|_| PyValueError::new_err("past_known: expected digests of 20 bytes"))?;
            Ok((digest, fingerprint, url, date))
        });
    let earlier = given
        .earlier
        .map(|(digests, urls, files)| Payloads::open(&digests, urls.as_deref(), files))
        .transpose()?;
    Ok(Config {
        limits: live.limits,
        earlier: earlier.map(Arc::new),
        name_servers: servers.collect::<PyResult<_>>()?,
        filters: live.filters,
        folder: given.folder,
        scratch: given.scratch,
        pause: given.past_pause,
        past: Arc::new(Mutex::new(Past {
            stored: given.past_stored,
            known: known.collect::<PyResult<_>>()?,
            pages: given.past_pages,
            num_duplicates: given.past_duplicates,
            num_torn: given.past_torn,
            closed: given.past_closed,
        })),
        user_agent: given.user_agent,
        agents: given.agents,
        headers: given.headers,
        retries: live.retries,
        host_delays: live.host_delays,
        ip_delays: live.ip_delays,
        hosts: Arc::new(given.hosts.into_iter().collect()),
        authority: given.authority,
        compression,
        prefix: given.prefix,
        clock: given.clock,
        speed: given.speed,
        contents: given.contents.map(|rules| rules.get().0.clone()),
        warcinfo: given.warcinfo,
        weights: given.weights,
        prioritizer: given
            .prioritizer
            .map(|function| prioritizer(function, raised.clone())),
        ring: given.ring,
    })
}

fn settle(live: Live, raised: &Raised) -> PyResult<Change> {
    // names and programs are made by `crawl/configuration.py` and `crawl/filters`, not by the user
    let explain = |message: String| PyErr::from(CrawlError::Internal(message));
    let compile = |program: &Option<String>| {
        program
            .as_deref()
            .map(Filter::compile)
            .transpose()
            .map_err(explain)
    };
    let [schedule, fetch, parse, follow, store] = &live.filters;
    Ok(Change {
        limits: Limits::from_pairs(&live.numbers).map_err(explain)?,
        retries: live.retries,
        host_delays: live.host_delays.into_iter().collect(),
        ip_delays: live.ip_delays.into_iter().collect(),
        filters: Arc::new(Filters {
            schedule: compile(schedule)?,
            fetch: compile(fetch)?,
            parse: compile(parse)?,
            follow: compile(follow)?,
            store: compile(store)?,
            judge: live.judge.map(|function| judge(function, raised.clone())),
        }),
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
