//! A delay that follows how a host bears what is asked of it.
//!
//! Response times are smoothed, and a host that is in trouble (429, 5xx, silence, no connection) is strained: its strain
//! doubles with each such visit and goes back with each good one. It rests for
//! `max(asked, delay_factor · response time) · strain`, `asked` being its delay by the settings or its robots.txt, at most
//! `max_adaptive_delay`, and never less than what was asked. Where no delay is asked at all there is none.

use super::config::nanos;
use super::counters::add;
use super::frontier::Frontier;

/// How much the last response time counts.
const WEIGHT: f32 = 0.25;
const MAX_STRAIN: f32 = 64.0;
/// What is left of the strain after a good visit.
const RELIEF: f32 = 0.7;

/// How a host has borne what was asked of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// smoothed response time, in seconds
    seconds: f32,
    /// beyond the usual: 0 for none
    strain: f32,
}

impl Pace {
    /// Takes a visit into account; `took` is the mean response time, none where there was no answer.
    pub fn note(&mut self, took: Option<f64>, is_strained: bool) {
        if let Some(took) = took {
            let took = took as f32;
            self.seconds = match self.seconds == 0.0 {
                true => took,
                false => self.seconds + WEIGHT * (took - self.seconds),
            };
        }
        self.strain = match is_strained {
            true => (self.strain * 2.0 + 1.0).min(MAX_STRAIN - 1.0),
            false if self.strain < 0.1 => 0.0,
            false => self.strain * RELIEF,
        };
    }

    /// Seconds to rest.
    pub fn rest(&self, asked: f64, factor: f64, most: f64) -> f64 {
        if asked == 0.0 || factor == 0.0 {
            return asked;
        }
        let strain = f64::from(1.0 + self.strain);
        (asked.max(factor * f64::from(self.seconds)) * strain)
            .min(most)
            .max(asked)
    }
}

impl Frontier {
    /// Sets how long a host rests after a visit.
    pub(super) fn adapt(&mut self, host: u32, took: Option<f64>, is_strained: bool) {
        let limits = &self.config.limits;
        let state = self.bench.get_mut(host);
        state.pace.note(took, is_strained);
        let asked = state.delay as f64 / 1e9;
        let rest = state
            .pace
            .rest(asked, limits.delay_factor, limits.max_adaptive_delay);
        state.rest = nanos(rest).max(state.delay);
        if state.rest > state.delay {
            add(&self.counters.slowed, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_rests_longer_when_it_is_slow_or_in_trouble_and_never_less_than_asked() {
        let mut pace = Pace::default();
        pace.note(Some(0.1), false);
        assert_eq!(pace.rest(4.0, 2.0, 60.0), 4.0);
        for _ in 0..40 {
            pace.note(Some(10.0), false);
        }
        assert!((pace.rest(4.0, 2.0, 60.0) - 20.0).abs() < 0.1);
        pace.note(None, true);
        assert!((pace.rest(4.0, 2.0, 60.0) - 40.0).abs() < 0.1);
        pace.note(None, true);
        assert_eq!(pace.rest(4.0, 2.0, 60.0), 60.0);
        assert_eq!(pace.rest(90.0, 2.0, 60.0), 90.0);
        assert_eq!(pace.rest(0.0, 2.0, 60.0), 0.0);
        assert_eq!(pace.rest(4.0, 0.0, 60.0), 4.0);
        for _ in 0..60 {
            pace.note(Some(0.1), false);
        }
        assert_eq!(pace.rest(4.0, 2.0, 60.0), 4.0);
    }
}
