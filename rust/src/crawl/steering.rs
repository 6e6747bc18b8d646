//! What can change while a crawl runs, and whom it never asks.

use super::Result;
use super::config::{Change, nanos};
use super::counters::add;
use super::frontier::Frontier;
use super::judging::admit_urls;
use super::messages::{Order, Reason};
use super::workbench::{Moment, Task};
use std::net::IpAddr;
use std::sync::Arc;

impl Frontier {
    /// Between two visits to a host, whatever its robots.txt says: that of its authority, or of its name on all ports.
    pub(super) fn host_delay(&self, origin: &str) -> Moment {
        let authority = origin.split_once("://").map_or(origin, |(_, name)| name);
        let delays = &self.config.host_delays;
        let own = delays
            .get(authority)
            .or_else(|| delays.get(name_of(origin)));
        nanos(*own.unwrap_or(&self.config.limits.host_delay))
    }

    pub(super) fn ip_delay(&self, address: IpAddr) -> Moment {
        let own = self.config.ip_delays.get(&address);
        nanos(*own.unwrap_or(&self.config.limits.ip_delay))
    }

    /// Obeys other settings and filters from now on, and lets the fetchers do so.
    pub(super) fn change(&mut self, change: Change) -> Result<()> {
        if change.limits.fetchers != self.config.limits.fetchers {
            self.distributor.require(change.limits.fetchers);
        }
        self.config = Arc::new(self.config.with(change));
        self.has_changed = true;
        for fetcher in &self.fetchers {
            let _ = fetcher.send(Order::Obey(self.config.clone()));
        }
        // who waits, waits as long as the new delay wants, counted from the end of the last visit
        let most = self.config.limits.max_crawl_delay;
        for host in 0..self.bench.num_hosts() as u32 {
            let state = self.bench.get(host);
            let asked = state.robots.as_ref().map_or(0.0, |rules| rules.crawl_delay);
            let delay = self.host_delay(&state.origin);
            self.bench
                .set_delay(host, delay.max(nanos(asked.min(most))));
        }
        for address in self.bench.addresses() {
            let delay = self.ip_delay(address);
            self.bench.set_ip_delay(address, delay);
        }
        self.bench.reorder();
        for host in 0..self.bench.num_hosts() as u32 {
            if !self.bench.get(host).errands.is_empty() {
                let errands = std::mem::take(&mut self.bench.get_mut(host).errands);
                let kept = self.judge_again(host, errands.into())?;
                self.bench.get_mut(host).errands = kept.into();
            }
        }
        Ok(())
    }

    /// Those of some tasks that the filter of visits, as it is now, still lets through.
    pub(super) fn judge_again(&self, host: u32, tasks: Vec<Task>) -> Result<Vec<Task>> {
        if self.config.filters.fetch.is_none() {
            return Ok(tasks);
        }
        let (mut kept, asked): (Vec<Task>, Vec<Task>) = tasks
            .into_iter()
            .partition(|task| task.robots_for.is_some());
        let origin = &self.bench.get(host).origin;
        let urls: Vec<_> = asked
            .iter()
            .map(|task| (format!("{origin}{}", task.target), task.depth))
            .collect();
        let told = admit_urls(&self.config.filters, 1, None, &urls)?;
        let before = kept.len() + asked.len();
        let admitted = asked.into_iter().zip(told).filter(|(_, told)| *told);
        kept.extend(admitted.map(|(task, _)| task));
        add(&self.counters.filtered, (before - kept.len()) as u64);
        Ok(kept)
    }

    /// Asks a host or an address for nothing any more.
    pub(super) fn shut_out(&mut self, what: String) -> Result<()> {
        self.blacklist.insert(what);
        for host in 0..self.bench.num_hosts() as u32 {
            let state = self.bench.get(host);
            if self.is_shut_out(&state.origin, state.address.ip()) {
                self.give_up(host, Reason::Blacklist)?;
            }
        }
        Ok(())
    }

    pub(super) fn is_shut_out(&self, origin: &str, address: IpAddr) -> bool {
        !self.blacklist.is_empty()
            && (self.blacklist.contains(name_of(origin))
                || self.blacklist.contains(&address.to_string()))
    }
}

/// The name in an origin, without scheme and port.
pub fn name_of(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, name)| name);
    match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => authority,
    }
}
