//! `webstrata._core.invitro`.

use crate::invitro::InvitroError;
use crate::invitro::archive::{Archive, Place};
use crate::invitro::events::{Event, EventUrls, Kind};
use crate::invitro::facts::Columns;
use crate::invitro::given::GivenGraph;
use crate::invitro::log::Log;
use crate::invitro::respond::Request;
use crate::invitro::server::{Options, Server};
use crate::invitro::site::Site;
use crate::invitro::spec::Spec;
use crate::invitro::survey::{AREAS, Manners};
use crate::invitro::theme::Theme;
use crate::invitro::truth::{GraphView, TrueGraph};
use crate::invitro::words::Vocabulary;
use crate::invitro::{NUM_QUERIES, Web};
use crate::python::progress::supervise;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<InvitroWeb>()?;
    module.add_class::<InvitroServer>()
}

/// One value of each row.
fn column<'a, R, T>(rows: &'a [R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

type Numbers<'py, T> = Bound<'py, PyArray1<T>>;
/// Name, topic, month, addresses born, changed and linked to.
type PlantedEvent = (String, u64, u32, Vec<String>, Vec<String>, Vec<String>);
/// Words, topic, month, slots, kind, and a word that its pages mention.
type GivenEvent = ([String; 2], u64, u32, Vec<u64>, String, String);

#[pyclass(module = "webstrata._core.invitro", frozen)]
struct InvitroWeb {
    web: Web,
}

#[pymethods]
impl InvitroWeb {
    #[new]
    fn new(
        py: Python<'_>,
        spec: Vec<(String, f64)>,
        seed: u64,
        vocabularies: [(Vec<String>, Vec<String>); 4],
        theme: [Vec<u8>; 7],
        events: Vec<GivenEvent>,
    ) -> PyResult<Self> {
        let spec = Spec::from_pairs(&spec).map_err(InvitroError::Internal)?;
        let vocabularies = vocabularies.map(|(function_words, syllables)| Vocabulary {
            function_words,
            syllables,
        });
        let events = events
            .into_iter()
            .map(|(words, topic, month, slots, kind, mention)| Event {
                name: words.join(" "),
                topic,
                month,
                slots,
                words,
                kind: match kind.as_str() {
                    "edits" => Kind::Edits,
                    "links" => Kind::Links,
                    _ => Kind::Linked,
                },
                mention,
            })
            .collect();
        let web = py.detach(|| Web::new(spec, seed, &vocabularies, Theme::new(theme), events));
        Ok(Self { web })
    }

    #[getter]
    fn num_slots(&self) -> u64 {
        self.web.layout.num_slots()
    }

    #[getter]
    fn num_pages(&self) -> u64 {
        self.web.layout.num_pages()
    }

    /// Columns about all hosts of a month.
    fn hosts<'py>(&self, py: Python<'py>, month: u32) -> PyResult<Bound<'py, PyDict>> {
        let web = &self.web;
        let rows = py.detach(|| {
            let slots = 0..web.layout.num_slots();
            slots
                .map(|slot| {
                    let host = web.host(slot, month);
                    let mirror = host.has_mirror.then(|| web.host_name(&host, true));
                    (
                        web.host_name(&host, false),
                        mirror,
                        host,
                        web.is_present(slot, month),
                    )
                })
                .collect::<Vec<_>>()
        });
        let columns = PyDict::new(py);
        let dotted = |slot: u64| {
            let [a, b, c, d] = web.address(slot);
            format!("{a}.{b}.{c}.{d}")
        };
        columns.set_item("name", column(&rows, |row| row.0.as_str()))?;
        columns.set_item("mirror", column(&rows, |row| row.1.as_deref()))?;
        columns.set_item("present", column(&rows, |row| row.3))?;
        columns.set_item("size", column(&rows, |row| row.2.size))?;
        columns.set_item("topic", column(&rows, |row| row.2.topic))?;
        columns.set_item("spam", column(&rows, |row| row.2.farm.is_some()))?;
        columns.set_item(
            "farm",
            column(&rows, |row| row.2.farm.map(|farm| farm.number)),
        )?;
        columns.set_item("domain", column(&rows, |row| row.2.domain))?;
        columns.set_item("failing", column(&rows, |row| row.2.failing.is_some()))?;
        columns.set_item("language", column(&rows, |row| row.2.language.code()))?;
        columns.set_item("address", column(&rows, |row| dotted(row.2.slot)))?;
        Ok(columns)
    }

    /// Name of the host of a slot.
    fn host_name(&self, slot: u64, month: u32) -> String {
        self.web.host_name(&self.web.host(slot, month), false)
    }

    /// Slot, whether it is spam, topic and address of a host; none if nobody has this name in that month.
    fn find_host(&self, name: &str, month: u32) -> Option<(u64, bool, u64, String)> {
        let (host, _) = self.web.find_host(name.as_bytes(), month)?;
        let [a, b, c, d] = self.web.address(host.slot);
        Some((
            host.slot,
            host.farm.is_some(),
            host.topic,
            format!("{a}.{b}.{c}.{d}"),
        ))
    }

    #[pyo3(signature = (month, view, progress = None))]
    fn graph<'py>(
        &self,
        py: Python<'py>,
        month: u32,
        view: &str,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let view = match view {
            "served" => GraphView::Served,
            "collection" => GraphView::Collection,
            other => {
                return Err(PyValueError::new_err(format!(
                    "view: expected served or collection, got {other}"
                )));
            }
        };
        let (graph, columns) = supervise(py, progress, |meter| {
            let web = self.web.with_table(month);
            let graph = web.true_graph(month, view, meter)?;
            let columns = web.columns(&graph.nodes, month);
            Ok::<_, InvitroError>((graph, columns))
        })?;
        graph_columns(py, graph, columns)
    }

    /// The served and the collection view of a month.
    #[pyo3(signature = (month, progress = None))]
    fn graphs<'py>(
        &self,
        py: Python<'py>,
        month: u32,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let found = supervise(py, progress, |meter| {
            let web = self.web.with_table(month);
            let graphs = web.true_graphs(month, meter)?;
            Ok::<_, InvitroError>(graphs.map(|graph| {
                let columns = web.columns(&graph.nodes, month);
                (graph, columns)
            }))
        })?;
        found
            .into_iter()
            .map(|(graph, columns)| graph_columns(py, graph, columns))
            .collect()
    }

    /// Counts over the pages of ordinary hosts, and the manners of all hosts.
    #[pyo3(signature = (month, progress = None))]
    fn survey<'py>(
        &self,
        py: Python<'py>,
        month: u32,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (survey, manners) = supervise(py, progress, |meter| {
            let web = self.web.with_table(month);
            Ok::<_, InvitroError>((web.survey(month, meter)?, web.manners(month)))
        })?;
        let found = PyDict::new(py);
        for (name, count) in [
            ("pages", survey.pages),
            ("copies", survey.copies),
            ("variations", survey.variations),
            ("noindex", survey.noindex),
            ("disallowed", survey.disallowed),
            ("nofollow", survey.nofollow),
        ] {
            found.set_item(name, count)?;
        }
        let links = PyDict::new(py);
        for (area, [all, inner]) in AREAS.into_iter().zip(survey.links) {
            links.set_item(area, (all, inner))?;
        }
        found.set_item("links", links)?;
        found.set_item("text_degrees", survey.text_degrees.into_pyarray(py))?;
        found.set_item("text_in_links", survey.text_in_links.into_pyarray(py))?;
        let column =
            |pick: fn(&Manners) -> &'static str| -> Vec<_> { manners.iter().map(pick).collect() };
        found.set_item("charset", column(|host| host.charset))?;
        found.set_item("robots", column(|host| host.robots))?;
        found.set_item("addresses", column(|host| host.addresses))?;
        Ok(found)
    }

    fn links(&self, url: &str, month: u32) -> Vec<(String, String, bool)> {
        self.web
            .links_of(url, month)
            .into_iter()
            .map(|(link, address, anchor)| (address, anchor, link.nofollow))
            .collect()
    }

    fn facts<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        month: u32,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(facts) = self.web.facts(url, month) else {
            return Ok(None);
        };
        let found = PyDict::new(py);
        found.set_item("status", facts.status)?;
        found.set_item("allowed", facts.allowed)?;
        found.set_item("topic", facts.topic)?;
        found.set_item("spam", facts.is_spam)?;
        found.set_item("trap", facts.is_trap)?;
        found.set_item("noindex", facts.is_noindex)?;
        found.set_item("language", facts.language)?;
        found.set_item("title", facts.title)?;
        found.set_item("text", facts.text)?;
        found.set_item("duplicate_of", facts.duplicate_of)?;
        found.set_item("near_duplicate_of", facts.near_duplicate_of)?;
        Ok(Some(found))
    }

    /// Name, topic and month of each event, with the addresses it brought, changed and linked to by `month`.
    fn events(&self, month: u32) -> Vec<PlantedEvent> {
        (0..self.web.events.len())
            .map(|number| {
                let event = &self.web.events[number];
                let EventUrls {
                    born,
                    changed,
                    linked,
                } = if event.month <= month {
                    self.web.event_urls(number, month)
                } else {
                    EventUrls::default()
                };
                let name = event.name.clone();
                (name, event.topic, event.month, born, changed, linked)
            })
            .collect()
    }

    /// The different queries of the log, the most popular first.
    #[staticmethod]
    fn num_queries() -> u64 {
        NUM_QUERIES
    }

    fn query(&self, rank: u64) -> String {
        let mut text = Vec::new();
        self.web.push_query(&mut text, rank);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Status, head and body of an answer, without a network.
    #[pyo3(signature = (url, month, *, user_agent = "", accept_encoding = "", attempt = 1))]
    fn fetch<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        month: u32,
        user_agent: &str,
        accept_encoding: &str,
        attempt: u32,
    ) -> Option<(u16, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (name, target) = self.web.split_url(url)?;
        let (host, is_mirror) = self.web.find_host(name.as_bytes(), month)?;
        let request = Request {
            target: target.as_bytes(),
            user_agent: user_agent.as_bytes(),
            accept_encoding: accept_encoding.as_bytes(),
            attempt,
            ..Request::default()
        };
        let reply = self.web.respond(&host, is_mirror, month, &request);
        Some((
            reply.status,
            PyBytes::new(py, &reply.head),
            PyBytes::new(py, &reply.body),
        ))
    }

    /// Of an address from one tick until another: when each state began, its status and its content.
    fn history<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        since: u32,
        until: u32,
    ) -> (Numbers<'py, u32>, Numbers<'py, u16>, Numbers<'py, u64>) {
        let found = py.detach(|| self.web.history(url, since, until));
        let since: Vec<_> = found.iter().map(|state| state.since).collect();
        let status: Vec<_> = found.iter().map(|state| state.status).collect();
        let content: Vec<_> = found.iter().map(|state| state.content).collect();
        (
            since.into_pyarray(py),
            status.into_pyarray(py),
            content.into_pyarray(py),
        )
    }

    #[pyo3(signature = (*, month, address, port, origins, workers, log, log_header, append_log, speed = 0.0, started = 0, urls = None, rows = None, archive = None))]
    #[allow(clippy::too_many_arguments)]
    fn serve(
        &self,
        py: Python<'_>,
        month: u32,
        address: &str,
        port: u16,
        origins: bool,
        workers: usize,
        log: Option<PathBuf>,
        log_header: &str,
        append_log: bool,
        speed: f64,
        started: u64,
        urls: Option<Vec<String>>,
        rows: Option<(PyReadonlyArray1<'_, u64>, PyReadonlyArray1<'_, u32>)>,
        archive: Option<(PathBuf, Vec<ArchivedCapture>)>,
    ) -> PyResult<InvitroServer> {
        let address: Ipv4Addr = address.parse().map_err(|_| {
            PyValueError::new_err(format!("address: expected an IPv4 address, got {address}"))
        })?;
        let site = match (urls, archive) {
            (None, None) => Site::Web(self.web.clone()),
            (None, Some((path, captures))) => {
                let place = |(key, status, offset, head, body): ArchivedCapture| {
                    let place = Place {
                        status,
                        offset,
                        head,
                        body,
                    };
                    (key.to_vec(), place)
                };
                let captures = captures.into_iter().map(place).collect();
                Site::Archive(self.web.clone(), Archive::open(&path, captures)?)
            }
            (Some(urls), _) => {
                let urls = urls.into_iter().map(String::into_bytes).collect();
                let (offsets, targets) = match &rows {
                    Some((offsets, targets)) => (offsets.as_slice()?, targets.as_slice()?),
                    None => Default::default(),
                };
                let graph = GivenGraph::new(urls, offsets.to_vec(), targets.to_vec())?;
                Site::Given(self.web.clone(), graph)
            }
        };
        let log = log
            .map(|path| Log::create(&path, log_header, append_log))
            .transpose()
            .map_err(InvitroError::from)?;
        let options = Options {
            address,
            port,
            origins,
            workers,
            month,
            speed,
            started,
        };
        let server = py.detach(|| Server::start(site, options, log))?;
        Ok(InvitroServer {
            server: Some(server),
        })
    }
}

fn graph_columns(
    py: Python<'_>,
    graph: TrueGraph,
    columns: Columns,
) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("offsets", graph.offsets.into_pyarray(py))?;
    found.set_item("targets", graph.targets.into_pyarray(py))?;
    found.set_item("url_offsets", graph.url_offsets.into_pyarray(py))?;
    found.set_item("urls", PyBytes::new(py, &graph.urls))?;
    for (name, column) in [
        ("slots", columns.slots),
        ("topics", columns.topics),
        ("pages", columns.pages),
        ("places", columns.places),
        ("families", columns.families),
        ("contents", columns.contents),
    ] {
        found.set_item(name, column.into_pyarray(py))?;
    }
    Ok(found)
}

/// Host and target, status, and where head and body lie.
type ArchivedCapture = (PyBackedBytes, u16, u64, u32, u64);

#[pyclass(module = "webstrata._core.invitro")]
struct InvitroServer {
    server: Option<Server>,
}

impl InvitroServer {
    fn running(&self) -> PyResult<&Server> {
        self.server
            .as_ref()
            .ok_or_else(|| PyValueError::new_err("the server is stopped"))
    }
}

#[pymethods]
impl InvitroServer {
    #[getter]
    fn port(&self) -> PyResult<u16> {
        Ok(self.running()?.port())
    }

    #[getter]
    fn authority(&self) -> PyResult<Option<String>> {
        Ok(self.running()?.authority())
    }

    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = self.running()?.counters();
        let found = PyDict::new(py);
        for (name, counter) in [
            ("requests", &counters.requests),
            ("connections", &counters.connections),
            ("open", &counters.open),
            ("refused", &counters.refused),
            ("bytes", &counters.bytes),
            ("malformed", &counters.malformed),
        ] {
            found.set_item(name, counter.load(Ordering::Relaxed))?;
        }
        Ok(found)
    }

    fn mark_restart(&self) -> PyResult<()> {
        self.running()?.mark_restart();
        Ok(())
    }

    fn flush_log(&self) -> PyResult<()> {
        self.running()?.flush_log();
        Ok(())
    }

    fn stop(&mut self, py: Python<'_>) {
        if let Some(mut server) = self.server.take() {
            py.detach(|| server.stop());
        }
    }
}
