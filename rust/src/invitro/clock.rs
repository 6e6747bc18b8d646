//! Continuous time: what happens to a web between two months, at any tick.
//!
//! A web with `ticks_per_day` above 0 counts time in ticks wherever another one counts months, and a month has thirty
//! days. What happens with a monthly rate is a Poisson process then: the gaps are exponential, each drawn from the key
//! of what happens and its number, so that everybody who asks finds the same moments. Planted events, farms and hosts
//! that are away still go by months.
//!
//! Whoever wants to know when the state of something changes next observes this thread ([`observe`]): every process
//! that is asked about notes the moment of its last event and of its next one. Between these nothing can differ.

use super::draw::{hash, unit};
use super::{Happened, Web};
use std::cell::Cell;

const DAYS_PER_MONTH: u32 = 30;
const SECONDS_PER_DAY: f64 = 86_400.0;

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
    static NEXT: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// The moment of the last event, and of the next one, of all that was asked about while `work` was done.
pub fn observe<T>(work: impl FnOnce() -> T) -> (T, u32, u32) {
    let before = (LAST.replace(0), NEXT.replace(u32::MAX));
    let found = work();
    let (last, next) = (LAST.replace(before.0), NEXT.replace(before.1));
    (found, last, next)
}

fn note(last: u32, next: u32) {
    LAST.set(LAST.get().max(last));
    NEXT.set(NEXT.get().min(next));
}

impl Web {
    #[inline]
    pub fn is_continuous(&self) -> bool {
        self.spec.ticks_per_day > 0
    }

    /// Ticks of a month; 1 for a web that moves by months.
    #[inline]
    pub fn ticks_per_month(&self) -> u32 {
        (self.spec.ticks_per_day * DAYS_PER_MONTH).max(1)
    }

    /// The month of a moment.
    #[inline]
    pub fn month_of(&self, moment: u32) -> u32 {
        if !self.is_continuous() {
            return moment;
        }
        let length = self.ticks_per_month();
        let month = moment / length;
        note(month * length, (month + 1).saturating_mul(length));
        month
    }

    /// Ticks that pass in some seconds.
    pub fn ticks_in(&self, seconds: f64) -> u32 {
        (seconds * f64::from(self.spec.ticks_per_day) / SECONDS_PER_DAY) as u32
    }

    /// Seconds from the beginning of the web until a tick.
    pub fn seconds_until(&self, moment: u32) -> f64 {
        f64::from(moment) * SECONDS_PER_DAY / f64::from(self.spec.ticks_per_day.max(1))
    }

    /// Changes per month of a page, log-uniform between the slowest and the fastest.
    pub(super) fn change_rate(&self, draw: u64) -> f64 {
        let (slowest, fastest) = (self.spec.slowest_change, self.spec.fastest_change);
        if slowest <= 0.0 || fastest <= slowest {
            return fastest.max(0.0) * f64::from(DAYS_PER_MONTH);
        }
        let rate = slowest * libm::pow(fastest / slowest, unit(draw));
        rate * f64::from(DAYS_PER_MONTH)
    }

    /// Events of a Poisson process until a moment.
    pub(super) fn poisson_until(&self, key: u64, rate: f64, moment: u32) -> Happened {
        let mut happened = Happened::default();
        if rate <= 0.0 {
            return happened;
        }
        let mean = f64::from(self.ticks_per_month()) / rate;
        let mut time = 0.0;
        loop {
            let draw = unit(hash(key, u64::from(happened.count) + 1));
            time -= mean * libm::log(1.0 - draw);
            let tick = libm::ceil(time).clamp(1.0, f64::from(u32::MAX)) as u32;
            if tick > moment {
                note(happened.last, tick);
                return happened;
            }
            happened.count += 1;
            happened.last = tick;
        }
    }

    /// Months that are over since a moment of the first one, which the key draws.
    pub(super) fn periods_until(&self, key: u64, moment: u32) -> Happened {
        let length = self.ticks_per_month();
        let first = (unit(key) * f64::from(length)) as u32 + 1;
        if moment < first {
            note(0, first);
            return Happened::default();
        }
        let count = (moment - first) / length + 1;
        let last = first + (count - 1) * length;
        note(last, last.saturating_add(length));
        Happened { count, last }
    }
}
