//! `webstrata._core.simulate`.

use crate::python::graph::Lists;
use crate::python::progress::supervise;
use crate::simulate::run::answers::Answers;
use crate::simulate::run::clock::Clock;
use crate::simulate::run::policies::{Learned, NUM_FEATURES, Policy};
use crate::simulate::run::{Crawl, Limits, Timing};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("NUM_FEATURES", NUM_FEATURES)?;
    module.add_class::<SimulatedCrawl>()
}

type Numbers<'py> = PyReadonlyArray1<'py, f64>;
/// Addresses of hosts, delays of hosts, delays of addresses, durations, fetchers.
type Times<'py> = (
    PyReadonlyArray1<'py, u32>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    usize,
);
/// Kinds of nodes, failures of nodes, delays of retries, what a robots.txt takes and for how long it counts.
type Told<'py> = (
    Option<PyReadonlyArray1<'py, u8>>,
    Option<PyReadonlyArray1<'py, u8>>,
    Vec<f64>,
    Option<(f64, f64)>,
);
type Visits<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

#[pyclass(module = "webstrata._core.simulate")]
struct SimulatedCrawl {
    crawl: Crawl,
}

#[pymethods]
impl SimulatedCrawl {
    #[new]
    #[pyo3(signature = (policy, hosts, num_hosts, limits, *, numbers = None, parameter = 0.0, share = 0.0, weights = None, clock = None, answers = None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        policy: &str,
        hosts: PyReadonlyArray1<'_, u32>,
        num_hosts: usize,
        limits: (u64, u32, u16, f64, u32),
        numbers: Option<Numbers<'_>>,
        parameter: f64,
        share: f64,
        weights: Option<[f64; NUM_FEATURES]>,
        clock: Option<Times<'_>>,
        answers: Option<Told<'_>>,
    ) -> PyResult<Self> {
        let hosts = hosts.as_slice()?.to_vec();
        let numbers = numbers
            .map(|numbers| numbers.as_slice().map(<[f64]>::to_vec))
            .transpose()?;
        let wrong = |what: &str| PyValueError::new_err(format!("{what}: expected others"));
        let policy = match (policy, numbers) {
            ("breadth-first", _) => Policy::First,
            ("depth-first", _) => Policy::Last,
            ("random", Some(times)) => Policy::Race { times, now: 0.0 },
            ("fixed", Some(keys)) => Policy::Fixed(keys),
            ("best-first", _) => Policy::Parent,
            ("shark", _) => Policy::Shark {
                decay: parameter,
                share,
                inherited: vec![0.0; hosts.len()],
            },
            ("opic", _) => Policy::Cash,
            ("in-degree", _) => Policy::InDegree,
            ("learned", prior) => {
                if prior
                    .as_ref()
                    .is_some_and(|prior| prior.len() != hosts.len())
                {
                    return Err(wrong("numbers"));
                }
                let weights = weights.ok_or_else(|| wrong("weights"))?;
                let model = Learned::new(weights, parameter, prior, hosts.len(), num_hosts);
                Policy::Learned(Box::new(model))
            }
            ("given", _) => Policy::Given,
            _ => return Err(wrong("policy")),
        };
        let timing = match clock {
            None => None,
            Some((addresses, host_delays, address_delays, durations, fetchers)) => {
                let (addresses, delays) = (addresses.as_slice()?, address_delays.as_slice()?);
                let host_delays = host_delays.as_slice()?;
                let fits = addresses.len() == num_hosts
                    && host_delays.len() == num_hosts
                    && addresses.iter().all(|&it| (it as usize) < delays.len());
                let times = [host_delays, delays, durations.as_slice()?];
                if !fits
                    || times
                        .iter()
                        .any(|times| times.iter().any(|time| time.is_nan() || *time < 0.0))
                {
                    return Err(wrong("clock"));
                }
                let clock = Clock::new(addresses, host_delays, delays);
                Some(Timing::new(clock, fetchers, times[2].to_vec()))
            }
        };
        let mut told = Answers::default();
        if let Some((kinds, failures, retry_delays, robots)) = answers {
            if let Some(kinds) = kinds {
                told.kinds = kinds.as_slice()?.to_vec();
            }
            if let Some(failures) = failures {
                told.failures = failures.as_slice()?.to_vec();
            }
            let (first, second) = robots.unwrap_or_default();
            let is_time = |time: &f64| *time >= 0.0;
            if !retry_delays.iter().chain(&[first, second]).all(is_time) {
                return Err(wrong("answers"));
            }
            (told.retry_delays, told.robots) = (retry_delays, robots);
        }
        let (pages, pages_per_host, depth, seconds, urls) = limits;
        let limits = Limits {
            pages,
            pages_per_host,
            depth,
            seconds,
            urls,
        };
        Ok(Self {
            crawl: Crawl::new(hosts, num_hosts, limits, timing, told, policy)?,
        })
    }

    fn begin(&mut self, seeds: PyReadonlyArray1<'_, u32>) -> PyResult<()> {
        Ok(self.crawl.begin(seeds.as_slice()?)?)
    }

    /// The pages fetched until there are so many in all, and when each was.
    #[pyo3(signature = (lists, scores, until, progress = None, arcs = None))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        lists: Lists<'_>,
        scores: Numbers<'_>,
        until: u64,
        progress: Option<&Bound<'_, PyAny>>,
        arcs: Option<PyReadonlyArray1<'_, f32>>,
    ) -> PyResult<Visits<'py>> {
        let source = lists.source()?;
        let scores = scores.as_slice()?;
        let arcs = arcs.as_ref().map(|arcs| arcs.as_slice()).transpose()?;
        let crawl = &mut self.crawl;
        let (nodes, times) = supervise(py, progress, |meter| {
            crawl.run(source, scores, arcs, until, meter)
        })?;
        Ok((nodes.into_pyarray(py), times.into_pyarray(py)))
    }

    /// The next page that is fetched, or what is none: node, key and time.
    fn next(&mut self) -> Option<(u32, f64, f64)> {
        self.crawl
            .fetch()
            .map(|visit| (visit.node, visit.key, visit.time))
    }

    fn offer(
        &mut self,
        node: u32,
        links: PyReadonlyArray1<'_, u32>,
        keys: Numbers<'_>,
    ) -> PyResult<()> {
        Ok(self
            .crawl
            .offer(node, links.as_slice()?, keys.as_slice()?)?)
    }

    fn set_keys(&mut self, keys: Numbers<'_>) -> PyResult<()> {
        Ok(self.crawl.set_keys(keys.as_slice()?.to_vec())?)
    }

    /// All requests, those that failed, pages that never came, and robots.txt.
    #[getter]
    fn requests(&self) -> [u64; 4] {
        let told = &self.crawl.answers;
        [told.requests, told.failed, told.lost, told.robots_asked]
    }

    #[getter]
    fn weights(&self) -> Option<[f64; NUM_FEATURES]> {
        match &self.crawl.policy {
            Policy::Learned(model) => Some(model.weights),
            _ => None,
        }
    }
}
