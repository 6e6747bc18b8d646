//! Hosts as they become known: where they live, and what an earlier run knew of them.

use super::Result;
use super::config::nanos;
use super::counters::add;
use super::dns::Found;
use super::frontier::Frontier;
use super::messages::Reason;
use super::skip_reasons::Reason as Skipped;
use super::workbench::State;
use crate::web::http::Failure;
use crate::web::robots::Robots;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Rules of a robots.txt that an earlier run fetched, and until when they hold, in nanoseconds since 1970.
pub type Remembered = (u64, Arc<Robots>);

impl Frontier {
    /// The host of an origin, known or new.
    pub fn open_host(&mut self, origin: &str) -> Result<u32> {
        let delay = self.host_delay(origin);
        let (host, is_new) = self.bench.host(origin, delay);
        if is_new {
            if let Some((until, rules)) = self.remembered.remove(origin) {
                self.apply_remembered(host, until, rules);
            }
            self.look_up(host)?;
        }
        Ok(host)
    }

    /// Obeys the rules that an earlier run fetched, as long as they hold.
    fn apply_remembered(&mut self, host: u32, until: u64, rules: Arc<Robots>) {
        let limits = &self.config.limits;
        // a clock that was put back does not make them hold longer
        let left = until
            .saturating_sub(wall_clock())
            .min(nanos(limits.robots_expiry));
        if left == 0 {
            return;
        }
        let now = self.clock.now();
        let asked = nanos(rules.crawl_delay.min(limits.max_crawl_delay));
        let state = self.bench.get_mut(host);
        state.delay = state.delay.max(asked);
        // the last visit of that run may have been just before this one began
        state.next = state.next.max(now + asked);
        state.robots = Some(rules);
        state.robots_until = now + left;
        self.count_contact(host);
    }

    /// Counts a host that was contacted, once.
    pub(super) fn count_contact(&mut self, host: u32) {
        let state = self.bench.get_mut(host);
        if !state.was_contacted {
            state.was_contacted = true;
            add(&self.counters.hosts, 1);
        }
    }

    pub(super) fn look_up(&mut self, host: u32) -> Result<()> {
        if self.bench.get(host).state == State::Closed {
            return Ok(());
        }
        self.bench.get_mut(host).state = State::Resolving;
        match self.resolver.ask(host, &self.bench.get(host).origin) {
            Some(found) => self.resolve(host, found),
            None => {
                self.num_resolving += 1;
                Ok(())
            }
        }
    }

    pub(super) fn resolve(&mut self, host: u32, found: Found) -> Result<()> {
        let now = self.clock.now();
        if self.bench.get(host).state == State::Closed {
            return Ok(());
        }
        let (address, lasts) = match found {
            Found::At(address, lasts) => (address, lasts),
            Found::Nowhere => return self.lack_address(host, Failure::Dns),
            Found::Forbidden => return self.lack_address(host, Failure::Forbidden),
        };
        if self.is_shut_out(&self.bench.get(host).origin, address.ip()) {
            return self.give_up(host, Reason::Blacklist);
        }
        self.bench.place(host, address, self.ip_delay(address.ip()));
        let state = self.bench.get_mut(host);
        state.failures = 0;
        state.resolved_until =
            now.saturating_add(lasts.as_nanos().min(u128::from(u64::MAX)) as u64);
        state.state = State::Open;
        if self.config.limits.gate_after == 0.0 && state.pages == 0 {
            self.hold(host);
        }
        self.bench.offer(host);
        Ok(())
    }

    /// Looks a name up again later, or gives the host up: at once if its address is forbidden.
    fn lack_address(&mut self, host: u32, failure: Failure) -> Result<()> {
        add(&self.counters.failures[failure as usize], 1);
        let state = self.bench.get_mut(host);
        state.failures += 1;
        let attempt = usize::from(state.failures) - 1;
        if let Some(delay) = self.config.retries[failure as usize].get(attempt) {
            let moment = self.clock.now() + nanos(*delay);
            self.distributor.look_up_later(moment, host);
            return Ok(());
        }
        if failure == Failure::Dns && !state.has_address() {
            add(&self.counters.hosts_unresolved, 1);
        }
        let origin = state.origin.to_string();
        let cause = Skipped::of_failure(failure as usize);
        self.counters.cuts.note(cause, || origin);
        self.log_name(host, failure);
        self.give_up(host, Reason::Failed(failure))
    }
}

/// Nanoseconds since 1970.
pub fn wall_clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64)
}
