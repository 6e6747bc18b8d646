//! What was not fetched or not kept, by reason: how much, and a few examples, chosen fairly.
//!
//! The n-th of a reason becomes an example with probability `EXAMPLES / n` and takes the place of any other (reservoir
//! sampling), so that a lock is taken seldom however much is refused.

use super::fetcher::Fetcher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Examples of each reason.
const EXAMPLES: u64 = 8;
/// Characters of an example.
const LONGEST: usize = 300;

macro_rules! reasons {
    ($($name:ident $text:literal,)*) => {
        /// Why.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $($name,)*
        }

        impl Reason {
            /// As `crawl/cuts.py` knows them.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];
        }
    };
}

reasons! {
    Rejected "rejected",
    Schedule "schedule",
    Depth "depth",
    Nofollow "nofollow",
    Canonical "canonical",
    Redirects "redirects",
    Fetch "fetch",
    Urls "max_urls",
    Disallowed "disallowed",
    Dropped "dropped",
    Trap "trap",
    Pattern "pattern",
    Repeat "repeat",
    Sitemap "sitemap",
    Dust "dust",
    SoftError "soft_404",
    Noarchive "noarchive",
    Reserved "reserved",
    Dns "dns",
    Connect "connect",
    Tls "tls",
    Timeout "timeout",
    Protocol "protocol",
    Forbidden "forbidden",
    Unavailable "unavailable",
}

impl Reason {
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// For what failed, by the number of its list of retries.
    pub fn of_failure(kind: usize) -> Self {
        [
            Self::Dns,
            Self::Connect,
            Self::Tls,
            Self::Timeout,
            Self::Protocol,
            Self::Forbidden,
        ]
        .get(kind)
        .copied()
        .unwrap_or(Self::Unavailable)
    }
}

#[derive(Debug)]
pub struct Cuts {
    counts: [AtomicU64; Reason::NAMES.len()],
    examples: Mutex<Vec<Vec<String>>>,
}

impl Default for Cuts {
    fn default() -> Self {
        Self {
            counts: [const { AtomicU64::new(0) }; Reason::NAMES.len()],
            examples: Mutex::new(vec![Vec::new(); Reason::NAMES.len()]),
        }
    }
}

impl Cuts {
    /// Counts what was refused, and keeps it by chance.
    pub fn note(&self, reason: Reason, example: impl FnOnce() -> String) {
        self.note_many(reason, 1, example);
    }

    /// The same for several, of which one may be kept.
    pub fn note_many(&self, reason: Reason, number: u64, example: impl FnOnce() -> String) {
        if number == 0 {
            return;
        }
        let before = self.counts[reason as usize].fetch_add(number, Ordering::Relaxed);
        // splitmix64: what is drawn need not be secret, only fair
        let mut drawn = (before + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let place = (drawn ^ (drawn >> 31)) % (before + 1);
        if before >= EXAMPLES && place >= EXAMPLES {
            return;
        }
        let text: String = example().chars().take(LONGEST).collect();
        let Ok(mut examples) = self.examples.lock() else {
            return;
        };
        let kept = &mut examples[reason as usize];
        if kept.contains(&text) {
            return;
        }
        if (kept.len() as u64) < EXAMPLES {
            kept.push(text);
        } else {
            kept[place as usize % EXAMPLES as usize] = text;
        }
    }

    /// Reasons that occurred, with their numbers and examples.
    pub fn read(&self) -> Vec<(&'static str, u64, Vec<String>)> {
        let examples = self.examples.lock().map_or(Vec::new(), |kept| kept.clone());
        let found = Reason::NAMES.iter().zip(&self.counts).zip(examples);
        found
            .map(|((name, count), examples)| (*name, count.load(Ordering::Relaxed), examples))
            .filter(|(_, count, _)| *count > 0)
            .collect()
    }
}

impl Fetcher {
    /// Notes that a link is not followed.
    pub(super) fn cut(&self, reason: Reason, target: &str) {
        self.tools.counters.cuts.note(reason, || target.to_owned());
    }
}
