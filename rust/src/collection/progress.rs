//! Progress and cancellation of a kernel: one counter and one flag, shared by all its threads.

use super::CollectionError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts work done. Any thread may advance it; whoever watches reads [`Meter::done`] and may [`Meter::cancel`].
#[derive(Debug, Default)]
pub struct Meter {
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl Meter {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `amount` units of work, or tells the kernel to stop.
    #[inline]
    pub fn advance(&self, amount: u64) -> Result<(), CollectionError> {
        self.done.fetch_add(amount, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(CollectionError::Interrupted);
        }
        Ok(())
    }

    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_meter_stops_the_next_advance() {
        let meter = Meter::new();
        assert!(meter.advance(3).is_ok());
        meter.cancel();
        assert!(matches!(
            meter.advance(2),
            Err(CollectionError::Interrupted)
        ));
        assert_eq!(meter.done(), 5);
    }
}
