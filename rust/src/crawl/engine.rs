//! The threads of a crawl, and the handle by which it is watched and steered.

use super::config::Config;
use super::counters::Counters;
use super::fetcher::{Fetcher, Tools};
use super::flusher;
use super::frontier::Frontier;
use super::messages::{Clock, End, Event, Notice};
use super::record::{Batch, Record};
use super::{CrawlError, Result, sieve};
use crate::collection::space::Space;
use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

/// Captures that wait for the disk before fetchers have to.
const WAITING_CAPTURES: usize = 2048;

pub struct Engine {
    pub counters: Arc<Counters>,
    pub notices: Receiver<Notice>,
    /// where its threads wait while the disk is full
    pub space: Arc<Space>,
    events: Sender<Event>,
    main: Mutex<Option<JoinHandle<Result<End>>>>,
}

impl Engine {
    pub fn start(config: Config) -> Result<Self> {
        let config = Arc::new(config);
        let counters = Arc::new(Counters::default());
        let clock = Clock(Instant::now());
        let period = config.limits.disk_check.clamp(0.001, 1e9);
        let space = Space::new(Duration::from_secs_f64(period));
        let (events, incoming) = unbounded();
        let (stored, records) = bounded(WAITING_CAPTURES);
        let (notice, notices) = unbounded();
        let (mut doors, mut threads) = (Vec::new(), Vec::new());
        for number in 0..config.limits.workers.max(1) {
            let (door, orders) = unbounded_channel();
            let tools = Tools::new(
                number,
                &config,
                counters.clone(),
                clock,
                events.clone(),
                notice.clone(),
            )?;
            doors.push(door);
            threads.push((tools, orders));
        }
        let channel = (events.clone(), incoming);
        let frontier = Frontier::new(
            config.clone(),
            counters.clone(),
            clock,
            channel,
            doors,
            (stored, notice),
            space.clone(),
        )?;
        let threads = threads
            .into_iter()
            .enumerate()
            .map(|(number, (tools, orders))| {
                // what a fetcher keeps is not for two threads, so it is made where it is used
                let config = config.clone();
                let work = move || Fetcher::run(tools, config, orders);
                spawn(&format!("fetcher-{number}"), work)
            });
        let threads = threads.collect::<Result<Vec<_>>>()?;
        let (flushed, failed) = (counters.clone(), events.clone());
        let waiting = space.clone();
        let flusher = spawn("flusher", move || {
            waiting.enter();
            let outcome = flusher::run(&config, &flushed, &records, &failed);
            if let Err(error) = &outcome {
                let _ = failed.send(Event::Failed(CrawlError::Internal(error.to_string())));
            }
            outcome
        })?;
        let waiting = space.clone();
        let main = spawn("frontier", move || {
            waiting.enter();
            // leaving here closes the doors of the fetchers, and theirs that of the flusher
            let end = frontier.run();
            for thread in threads {
                thread.join().map_err(|_| panicked())?;
            }
            flusher.join().map_err(|_| panicked())??;
            end
        })?;
        Ok(Self {
            counters,
            notices,
            space,
            events,
            main: Mutex::new(Some(main)),
        })
    }

    /// URLs to begin with, or of other agents; each with its depth and what an earlier capture was known by.
    pub fn add(&self, urls: &[(String, u8, Option<String>)]) {
        let _ = self.events.send(Event::Given(batch(urls)));
    }

    /// URLs to ask for now, whether they were asked for before or not.
    pub fn visit(&self, urls: &[(String, u8, Option<String>)]) {
        let _ = self.events.send(Event::Visit(batch(urls)));
    }

    pub fn send(&self, event: Event) {
        match event {
            Event::Pause(false) => self.space.look_again(),
            // what cannot be written now is fetched again by who goes on
            Event::Stop(_) => self.space.give_up(),
            _ => {}
        }
        let _ = self.events.send(event);
    }

    pub fn is_over(&self) -> bool {
        let main = self.main.lock();
        main.is_ok_and(|main| main.as_ref().is_none_or(JoinHandle::is_finished))
    }

    /// Waits for the end; what comes after a crawl has its memory. Others may watch it meanwhile.
    pub fn join(&self) -> Result<End> {
        let main = self.main.lock().map_err(|_| panicked())?.take();
        let end = match main {
            Some(main) => main.join().map_err(|_| panicked())?,
            None => Ok(End::Stopped),
        };
        crate::give_memory_back();
        end
    }
}

impl Drop for Engine {
    /// Nobody is left who could end it.
    fn drop(&mut self) {
        self.send(Event::Stop(true));
    }
}

fn batch(urls: &[(String, u8, Option<String>)]) -> Batch {
    let mut batch = Batch::default();
    for (url, depth, validators) in urls {
        let record = Record {
            depth: *depth,
            redirects: 0,
            is_part: false,
            validators: validators.as_deref(),
            url,
        };
        batch.push(sieve::hash(url.as_bytes()), &record);
    }
    batch
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    let thread = Builder::new().name(name.into()).spawn(work);
    thread.map_err(|error| {
        CrawlError::Internal(format!(
            "the system cannot start a thread of the crawl ({error})"
        ))
    })
}

fn panicked() -> CrawlError {
    CrawlError::Internal("a thread of the crawl panicked; this is a defect of webstrata".into())
}
