//! What happened so far: numbers that every thread adds to and anybody reads.

use super::skip_reasons::Cuts;
use crate::web::http::{Cut, Failure};
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts since the crawl began, and gauges of the moment.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: AtomicU64,)*
            /// answers by hundreds of their status
            pub statuses: [AtomicU64; 6],
            /// requests without an answer, by kind of failure
            pub failures: [AtomicU64; Failure::NAMES.len()],
            /// pages by how deep they lie, the last for all that lie deeper
            pub depths: [AtomicU64; 17],
            /// what was refused, with examples
            pub cuts: Cuts,
        }

        impl Counters {
            pub fn cut(&self, cut: Cut) -> &AtomicU64 {
                match cut {
                    Cut::Length => &self.cut_length,
                    Cut::Time => &self.cut_time,
                    Cut::Disconnect => &self.cut_disconnect,
                }
            }

            pub fn read(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.load(Ordering::Relaxed))),*]
            }
        }
    };
}

counters! {
    /// answers with status 200 and text, those that are duplicates or soft 404s included
    pages,
    /// of those: pages that repeat another one and are no soft 404s
    duplicates,
    /// records stored
    captures,
    /// requests sent, robots.txt included
    requests,
    robots,
    retries,
    truncated,
    /// of those: too long, too slow, hung up on
    cut_length,
    cut_time,
    cut_disconnect,
    /// small answers that are too long when unpacked
    bombs,
    /// answers stored as they were sent, because of their content codings
    undecoded,
    /// sitemaps read
    sitemaps,
    /// bytes received
    bytes,
    /// bytes of bodies, decoded
    payload,
    /// bytes of WARC files
    stored,
    /// links met on pages
    links,
    /// links that are no URL of a page
    rejected,
    /// links refused by the schedule filter or too deep
    filtered,
    /// URLs that robots.txt forbids
    disallowed,
    /// URLs of hosts that were given up or are full
    dropped,
    /// URLs that failed each time they were tried, or never had a turn because their host failed
    unreached,
    /// URLs of patterns that lead to nothing new, or are full
    trapped,
    /// URLs from which parameters without meaning were taken
    rewritten,
    /// of the pages: those that say with status 200 that nothing is there
    soft_404,
    /// visits after which a host rested longer than was asked for
    slowed,
    /// URLs that came to the sieve
    enqueued,
    /// URLs that came out of the sieve: each once
    discovered,
    /// URLs of other agents
    foreign,
    /// URLs from outside: seeds, and those that other agents sent
    received,
    /// whether there is nothing to do; read behind the two above
    idle,
    flushes,
    /// hosts that were contacted
    hosts,
    /// hosts of which there are URLs, contacted or not
    hosts_known,
    /// hosts given up because their names never led to an address
    hosts_unresolved,
    hosts_closed,
    addresses,
    front,
    required_front,
    in_flight,
    /// URLs released and not yet on the workbench
    waiting,
    /// URLs on the disk, by host
    virtualized,
    virtualized_hosts,
    limbo,
    workbench_bytes,
    held,
    /// captures of an earlier run that were not whole on the disk, to be fetched again
    torn,
    /// times that a write had to wait for a full disk
    disk_waits,
    checkpoints,
    /// nanoseconds of a fetcher's time, by what it did
    parse_ns,
    digest_ns,
    links_ns,
    encode_ns,
    decode_ns,
    /// nanoseconds of processor time of each kind of thread
    fetcher_cpu_ns,
    frontier_cpu_ns,
    flusher_cpu_ns,
}

pub fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

pub fn set(gauge: &AtomicU64, value: u64) {
    gauge.store(value, Ordering::Relaxed);
}

pub fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Processor time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // Safety: the pointer is to a timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
