//! How the next page is fetched: at once, or on the clock, with what fails and what is asked for besides.

use super::answers::{Answer, Outcome};
use super::policies::Visit;
use super::queue::Entry;
use super::{Crawl, State};
use std::cmp::Reverse;

/// In place of a page: the robots.txt of a host.
const ROBOTS: u32 = u32::MAX;

impl Crawl {
    /// The next page that is fetched, or another answer that came.
    pub fn fetch(&mut self) -> Option<Visit> {
        let (node, key, time) = if self.timing.is_some() {
            self.land()?
        } else {
            let entry = loop {
                if self.taken >= self.limits.pages {
                    return None;
                }
                let entry = self.queues[0].pop(&mut self.places)?;
                if self.take(&entry) && self.ask(&entry) {
                    break entry;
                }
            };
            (entry.node, entry.key, self.answers.requests as f64)
        };
        let answer = self.answers.of(node);
        self.visited += u64::from(answer == Answer::Page);
        Some(Visit {
            node,
            key,
            number: self.visited,
            time,
            answer,
        })
    }

    /// Asks for a page until it comes, where no time passes; false if it does not.
    fn ask(&mut self, entry: &Entry) -> bool {
        loop {
            self.answers.count();
            match self.answers.hear(entry.node, entry.key) {
                Outcome::Works => {
                    self.settle_host(entry.node, true);
                    return true;
                }
                Outcome::Again(_) => {}
                Outcome::Lost => {
                    self.put_back(entry.node);
                    self.settle_host(entry.node, false);
                    return false;
                }
            }
        }
    }

    /// A page that was taken has not come.
    fn put_back(&mut self, node: u32) {
        self.taken -= u64::from(self.answers.of(node) == Answer::Page);
    }

    /// A page has come of its host, or has not for good, and the host may be given up.
    fn settle_host(&mut self, node: u32, has_come: bool) {
        let host = self.hosts[node as usize];
        if self.answers.judge(host, has_come) {
            self.taken_of[host as usize] = u32::MAX;
            // where one queue is for all, its pages are passed over when their turn comes
            if self.is_timed {
                self.queues[host as usize].clear();
            }
        }
    }

    /// Lets time pass until a page has come.
    fn land(&mut self) -> Option<(u32, f64, f64)> {
        let mut timing = self.timing.take()?;
        let landed = loop {
            let begins = timing.flights.len() < timing.fetchers
                && self.taken < self.limits.pages
                && timing.clock.now < self.limits.seconds;
            if begins && let Some(host) = timing.clock.take(&self.queues) {
                let now = timing.clock.now;
                if let Some(seconds) = self.answers.due_robots(host, now) {
                    let end = (now + seconds).to_bits();
                    let flight = (end, self.answers.count(), ROBOTS, u64::from(host));
                    timing.flights.push(Reverse(flight));
                    continue;
                }
                let queue = &mut self.queues[host as usize];
                let entry = queue.pop(&mut self.places);
                if let Some(mut entry) = entry.filter(|entry| self.take(entry)) {
                    entry.key = self.answers.errand(entry.node).unwrap_or(entry.key);
                    if self.taken_of[host as usize] >= self.limits.pages_per_host {
                        self.queues[host as usize].clear();
                    }
                    let end = now + timing.durations[entry.node as usize];
                    timing.flights.push(Reverse((
                        end.to_bits(),
                        self.answers.count(),
                        entry.node,
                        entry.key.to_bits(),
                    )));
                }
                continue;
            }
            let wake = timing.clock.next_wake().filter(|_| begins);
            let end = timing
                .flights
                .peek()
                .map(|Reverse(flight)| f64::from_bits(flight.0));
            match (end, wake) {
                (Some(end), wake) if wake.is_none_or(|wake| end <= wake) => {
                    let Some(Reverse((_, _, node, key))) = timing.flights.pop() else {
                        break None;
                    };
                    timing.clock.now = end;
                    if node == ROBOTS {
                        self.answers.hear_robots(key as u32, end);
                        timing.clock.release(key as u32, &self.queues, 0.0);
                        continue;
                    }
                    let (host, key) = (self.hosts[node as usize], f64::from_bits(key));
                    let outcome = self.answers.hear(node, key);
                    if let Outcome::Again(pause) = outcome {
                        self.put_back(node);
                        let again = Entry {
                            key: f64::INFINITY,
                            order: self.answers.failed as u32,
                            node,
                        };
                        self.queues[host as usize].push(again, &mut self.places);
                        timing.clock.release(host, &self.queues, pause);
                        continue;
                    }
                    let has_come = matches!(outcome, Outcome::Works);
                    if !has_come {
                        self.put_back(node);
                    }
                    self.settle_host(node, has_come);
                    timing.clock.release(host, &self.queues, 0.0);
                    if has_come {
                        break Some((node, key, end));
                    }
                }
                (_, Some(wake)) => timing.clock.now = wake,
                _ => break None,
            }
        };
        self.timing = Some(timing);
        landed
    }

    /// False if the host of the page has had its share; a page that is asked for again has its place in it.
    fn take(&mut self, entry: &Entry) -> bool {
        self.states[entry.node as usize] = State::Taken;
        let is_page = self.answers.of(entry.node) == Answer::Page;
        if self.answers.errand(entry.node).is_some() {
            self.taken += u64::from(is_page);
            return true;
        }
        let taken = &mut self.taken_of[self.hosts[entry.node as usize] as usize];
        if *taken >= self.limits.pages_per_host {
            return false;
        }
        *taken += u32::from(is_page);
        self.taken += u64::from(is_page);
        self.policy.chosen(entry.key);
        true
    }
}
