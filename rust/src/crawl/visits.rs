//! What is asked of which host, and what follows from how it went.

use super::Result;
use super::config::nanos;
use super::counters::{add, get};
use super::filters::Filter;
use super::frontier::Frontier;
use super::judging::admit_urls;
use super::log;
use super::messages::{Ended, Order, Outcome, Reason, RobotsAnswer, Visit};
use super::record::Record;
use super::resolving::wall_clock;
use super::sitemaps;
use super::skip_reasons::Reason as Skipped;
use super::workbench::{Moment, State, Task};
use crate::web::http::Failure;
use crate::web::url;
use std::sync::Arc;

/// The list of delays behind those of failures: for answers 429 and 5xx.
const UNAVAILABLE: usize = Failure::NAMES.len();
/// URLs that one visit may take along, if it may last.
const PER_VISIT: usize = 64;
/// Hosts are given up when so many of their URLs in a row failed for good.
const MAX_FAILURES: u8 = 4;
/// The same for URLs that were answered, but with 429 or 5xx each time.
const MAX_ERRORS: u8 = 10;
/// RFC 9309, section 2.3.1.2.
const MAX_ROBOTS_REDIRECTS: u8 = 5;

impl Frontier {
    pub(super) fn hand_out(&mut self) -> Result<()> {
        for host in self.distributor.due_look_ups(self.clock.now()) {
            self.look_up(host)?;
        }
        let limits = self.config.limits.clone();
        let room = |frontier: &Self| {
            let asked = get(&frontier.counters.pages) + frontier.num_asked;
            frontier.in_flight < limits.fetchers
                && (limits.max_pages == 0 || asked < limits.max_pages)
        };
        while self.end.is_none() && self.may_visit() && room(self) {
            let now = self.clock.now();
            let Some(host) = self.bench.acquire(now) else {
                self.distributor
                    .fetcher_waits(self.bench.front(), limits.fetchers - self.in_flight);
                break;
            };
            let state = self.bench.get(host);
            let pages = state.pages;
            // who asks for a delay means that between any two requests
            let rules = state.robots.as_ref();
            let asks_delay =
                rules.is_some_and(|rules| rules.crawl_delay.min(limits.max_crawl_delay) > 0.0);
            let mut most = match limits.keep_alive > 0.0 && !asks_delay {
                true => PER_VISIT.min(limits.max_pages_per_host.saturating_sub(pages) as usize),
                false => 1,
            };
            if f64::from(pages) < limits.gate_after {
                most = most.min(limits.gate_after as usize - pages as usize);
            }
            let asked = get(&self.counters.pages) + self.num_asked;
            let left = if limits.max_pages == 0 {
                u64::MAX
            } else {
                limits.max_pages.saturating_sub(asked)
            };
            let tasks = self.tasks_of(host, now, most.min(left.max(1) as usize))?;
            if tasks.is_empty() {
                self.bench.release(host, None);
                continue;
            }
            self.count_contact(host);
            let may_send_sitemaps = self.may_send_sitemaps(host);
            let state = self.bench.get(host);
            let visit = Visit {
                host,
                origin: state.origin.clone(),
                address: state.address,
                is_sample: f64::from(state.pages) < limits.gate_after,
                is_next_soon: state.delay == 0 && self.ip_delay(state.address.ip()) == 0,
                soft: state.soft,
                may_send_sitemaps,
                robots: state.robots.clone(),
                tasks,
            };
            let least = (0..self.busy.len())
                .min_by_key(|&place| self.busy[place])
                .unwrap_or(0);
            self.busy[least] += 1;
            self.in_flight += 1;
            self.num_asked += visit.tasks.len() as u64;
            let _ = self.fetchers[least].send(Order::Visit(visit));
        }
        Ok(())
    }

    /// What to ask of a host now: an errand, its robots.txt, or what comes next in its queue and is allowed.
    fn tasks_of(&mut self, host: u32, now: Moment, most: usize) -> Result<Vec<Task>> {
        let config = self.config.clone();
        let limits = &config.limits;
        let state = self.bench.get_mut(host);
        if let Some(errand) = state.errands.pop_front() {
            return Ok(vec![errand]);
        }
        if limits.obey_robots && now >= state.robots_until {
            state.asks_robots = true;
            return Ok(vec![robots_task(host)]);
        }
        let filters = &config.filters;
        // the user is asked about many at once, though not all are for this visit
        let is_external = filters.fetch.as_ref().is_some_and(Filter::has_external);
        let wanted = if is_external {
            PER_VISIT.max(most)
        } else {
            most
        };
        let mut tasks = Vec::new();
        while tasks.len() < most {
            let mut found = Vec::new();
            let mut popped = std::mem::take(&mut self.record);
            while tasks.len() + found.len() < wanted && self.bench.pop(host, &mut popped) {
                let Some(record) = Record::read(&popped) else {
                    continue;
                };
                let state = self.bench.get(host);
                let rules = state.robots.as_ref();
                let is_allowed = !self.config.limits.obey_robots
                    || rules.is_some_and(|rules| rules.allows(record.url.as_bytes()));
                let example = || format!("{}{}", state.origin, record.url);
                if !is_allowed {
                    add(&self.counters.disallowed, 1);
                    self.counters.cuts.note(Skipped::Disallowed, example);
                    let task = record.task();
                    self.log(host, &task, log::ROBOTS, "");
                } else if let Some(reason) =
                    self.patterns.refuses(host, record.url, &self.config.limits)
                {
                    add(&self.counters.trapped, 1);
                    self.counters.cuts.note(reason, example);
                    let task = record.task();
                    self.log(host, &task, log::FILTER, reason.name());
                } else if sitemaps::level_of(record.validators) > 0 && !self.may_send_sitemaps(host)
                {
                    self.counters.cuts.note(Skipped::Sitemap, example);
                    let task = record.task();
                    self.log(host, &task, log::FILTER, Skipped::Sitemap.name());
                } else if !self.replace(host, &record)? {
                    found.push(record.task());
                }
            }
            self.record = popped;
            if found.is_empty() {
                break;
            }
            let filters = &self.config.filters;
            if filters.fetch.is_some() {
                let origin = &self.bench.get(host).origin;
                let url = |task: &Task| (format!("{origin}{}", task.target), task.depth);
                let urls: Vec<_> = found.iter().map(url).collect();
                let told = admit_urls(filters, 1, None, &urls)?;
                let refused = told.iter().filter(|told| !**told).count();
                add(&self.counters.filtered, refused as u64);
                for (task, _) in found.iter().zip(&told).filter(|(_, told)| !**told) {
                    let example = || format!("{}{}", self.bench.get(host).origin, task.target);
                    self.counters.cuts.note(Skipped::Fetch, example);
                    self.log(host, task, log::FILTER, "");
                }
                let mut told = told.into_iter();
                found.retain(|_| told.next().unwrap_or(false));
            }
            tasks.append(&mut found);
        }
        let later = tasks.split_off(most.min(tasks.len()));
        self.bench.get_mut(host).errands.extend(later);
        if self.bench.get(host).queue.is_empty() {
            self.distributor.enter_limbo(&mut self.bench, host);
        }
        Ok(tasks)
    }

    pub(super) fn end_visit(&mut self, ended: Ended) -> Result<()> {
        let Ended {
            host,
            fetcher,
            num_tasks,
            moment,
            outcomes,
            took,
            rest,
        } = ended;
        let is_strained = outcomes.iter().any(Outcome::is_strain);
        self.busy[fetcher] -= 1;
        self.in_flight -= 1;
        self.num_asked -= num_tasks as u64;
        let was_asked = !outcomes.is_empty();
        // what was handed out under other filters comes under those of now
        let rest = match self.has_changed && !rest.is_empty() {
            true => self.judge_again(host, rest)?,
            false => rest,
        };
        let state = self.bench.get_mut(host);
        if state.state == State::Closed {
            add(&self.counters.dropped, rest.len() as u64);
        } else {
            rest.into_iter()
                .rev()
                .for_each(|task| state.errands.push_front(task));
        }
        for outcome in outcomes {
            match outcome {
                Outcome::Answered {
                    is_page,
                    is_farewell,
                    is_error,
                    pattern,
                    sitemap_size,
                } => {
                    let state = self.bench.get_mut(host);
                    state.sitemaps += u32::from(sitemap_size > 0);
                    state.sitemap_bytes += sitemap_size;
                    state.failures = if is_error { state.failures + 1 } else { 0 };
                    state.pages += u32::from(is_page);
                    if let Some((pattern, is_repeat)) = pattern {
                        self.patterns.note(host, pattern, is_repeat);
                    }
                    if is_farewell || (is_error && state.failures >= MAX_ERRORS) {
                        self.give_up(host, Reason::Unavailable)?;
                    }
                }
                Outcome::Probed { soft } => {
                    let state = self.bench.get_mut(host);
                    state.failures = 0;
                    state.soft = soft;
                }
                Outcome::Robots { of, task, said } => self.hear_robots(of, task, said, moment)?,
                Outcome::Failed { task, failure } => {
                    self.try_again(host, task, failure as usize, 0.0, moment)?
                }
                Outcome::Unavailable { task, after } => {
                    self.try_again(host, task, UNAVAILABLE, after, moment)?;
                }
            }
        }
        let (limits, state) = (&self.config.limits, self.bench.get(host));
        if state.state == State::Open {
            if state.pages >= limits.max_pages_per_host {
                self.give_up(host, Reason::Full)?;
            } else if limits.gate_after > 0.0
                && f64::from(state.pages) >= limits.gate_after
                && !self.distributor.was_gated(host)
            {
                self.hold(host);
            } else if moment >= state.resolved_until {
                // it may have moved; until that is known, nobody asks it
                self.bench.get_mut(host).state = State::Resolving;
            }
        }
        self.probe(host);
        let mean = (took.1 > 0).then(|| took.0 / f64::from(took.1));
        self.adapt(host, mean, is_strained);
        self.bench.release(host, was_asked.then_some(moment));
        match self.bench.get(host).state {
            State::Resolving => self.look_up(host),
            _ => Ok(()),
        }
    }

    /// Puts a task back before all others of its host, to be done after a pause that grows, or gives it up.
    fn try_again(
        &mut self,
        host: u32,
        mut task: Task,
        kind: usize,
        after: f64,
        moment: Moment,
    ) -> Result<()> {
        let delays = &self.config.retries[kind];
        if self.bench.get(host).state != State::Open {
            // it was given up meanwhile, and so is who waits for a robots.txt from it
            return task
                .robots_for
                .filter(|of| *of != host)
                .map_or(Ok(()), |of| self.give_up(of, Reason::Robots));
        }
        if let Some(delay) = delays.get(usize::from(task.attempt)) {
            add(&self.counters.retries, 1);
            task.attempt += 1;
            let state = self.bench.get_mut(host);
            state.next = state.next.max(moment + nanos(delay.max(after)));
            state.errands.push_front(task);
            return Ok(());
        }
        let origin = &self.bench.get(host).origin;
        let example = || format!("{origin}{}", task.target);
        let cause = Skipped::of_failure(kind);
        self.counters.cuts.note(cause, example);
        let failures = self.bench.get(host).failures.saturating_add(1);
        self.bench.get_mut(host).failures = failures;
        self.log(host, &task, log::FAILED[kind], reason_of(kind).name());
        match task.robots_for {
            // a host that cannot be reached is one, whatever it was asked for
            Some(of) if of == host => self.give_up(of, reason_of(kind)),
            Some(of) => self.give_up(of, Reason::Robots),
            None => {
                add(&self.counters.dropped, 1);
                add(&self.counters.unreached, 1);
                match kind == Failure::Connect as usize || failures >= MAX_FAILURES {
                    true => self.give_up(host, reason_of(kind)),
                    false => Ok(()),
                }
            }
        }
    }

    fn hear_robots(
        &mut self,
        of: u32,
        task: Task,
        said: RobotsAnswer,
        moment: Moment,
    ) -> Result<()> {
        let limits = &self.config.limits;
        let until = moment + nanos(limits.robots_expiry);
        let rules = match said {
            RobotsAnswer::Rules(rules) => rules,
            RobotsAnswer::Redirect(target) if task.redirects < MAX_ROBOTS_REDIRECTS => {
                let (origin, path) = url::split(&target);
                let other = self.open_host(origin)?;
                if self.bench.get(other).state == State::Closed {
                    return self.give_up(of, Reason::Robots);
                }
                let next = Task {
                    target: path.into(),
                    redirects: task.redirects + 1,
                    ..robots_task(of)
                };
                self.bench.get_mut(other).errands.push_back(next);
                self.bench.offer(other);
                return Ok(());
            }
            // nowhere in particular: there is no file
            RobotsAnswer::Redirect(_) => Arc::default(),
            RobotsAnswer::Unavailable(after) => {
                let delays = &self.config.retries[UNAVAILABLE];
                let delay = delays.get(usize::from(task.attempt));
                let Some(delay) = delay.filter(|_| after <= limits.max_retry_after) else {
                    return self.give_up(of, Reason::Unavailable);
                };
                let again = Task {
                    attempt: task.attempt + 1,
                    ..robots_task(of)
                };
                let state = self.bench.get_mut(of);
                state.next = state.next.max(moment + nanos(delay.max(after)));
                state.errands.push_front(again);
                self.bench.offer(of);
                return Ok(());
            }
        };
        let asked = nanos(rules.crawl_delay.min(limits.max_crawl_delay));
        let (expiry, origin) = (nanos(limits.robots_expiry), &self.bench.get(of).origin);
        let agents = self.config.agents_hash();
        self.journal
            .push_robots(origin, wall_clock() + expiry, agents, &rules);
        let state = self.bench.get_mut(of);
        // the visit before this one is over already, if another host had the file
        state.next += asked.saturating_sub(state.delay);
        state.delay = state.delay.max(asked);
        state.robots = Some(rules);
        state.robots_until = until;
        state.asks_robots = false;
        self.bench.offer(of);
        Ok(())
    }
}

/// Why a host is given up, by the list of delays that came to its end.
fn reason_of(kind: usize) -> Reason {
    let failure = Failure::ALL.get(kind);
    failure.map_or(Reason::Unavailable, |failure| Reason::Failed(*failure))
}

fn robots_task(of: u32) -> Task {
    Task {
        target: "/robots.txt".into(),
        depth: 0,
        redirects: 0,
        attempt: 0,
        robots_for: Some(of),
        is_probe: false,
        is_part: false,
        validators: None,
    }
}
