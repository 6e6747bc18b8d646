//! The modules under fuzz, and the watch over a single execution.

#[path = "../../src/bits"]
pub mod bits {
    pub mod canonical;
    pub mod cursor;
    pub mod elias_fano;
    pub mod marks;
    pub mod sux_list;
    pub mod words;
}

#[path = "../../src/web/mod.rs"]
pub mod web;

#[path = "../../src/crawl"]
pub mod crawl {
    pub mod filters;
}

#[path = "../../src/graph"]
pub mod graph {
    pub mod bvgraph {
        pub mod lists;
    }
}

#[path = "../../src/temporal"]
pub mod temporal {
    pub mod labels {
        pub mod pointers;
    }
}

pub mod entries;

/// Processor time that one input may take. The clock on the wall would also count what other programs do.
const MAX_NANOSECONDS: u64 = 1_000_000_000;

/// Calls an entry point and aborts if it took too long; one that never returns is ended by the runner's `-timeout`.
pub fn watched(entry: fn(&[u8]), input: &[u8]) {
    let begun = cpu_nanoseconds();
    entry(input);
    let spent = cpu_nanoseconds() - begun;
    assert!(spent < MAX_NANOSECONDS, "one input took {spent} ns");
}

fn cpu_nanoseconds() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // Safety: the pointer is to a timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
