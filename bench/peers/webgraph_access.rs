//! The crate `webgraph` goes through a graph by itself: `webgraph_access BASENAME random|sequential NODES`.
//!
//! Prints nanoseconds of CPU time per arc, arcs and the sum of all successors. `random` asks for NODES nodes, drawn by splitmix64
//! with seed 42; `sequential` reads the whole graph. The graph is in memory, on one thread, with the codes known when
//! this is compiled. `BASENAME.ef` is made if it is not there.

use dsi_bitstream::prelude::BE;
use lender::*;
use std::path::PathBuf;
use webgraph::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, basename, mode, nodes] = &words[..] else {
        return Err("webgraph_access BASENAME random|sequential NODES".into());
    };
    let ef = PathBuf::from(format!("{basename}.ef"));
    let (num_nodes, _, _) = parse_properties::<BE>(format!("{basename}.properties"))?;
    if !ef.exists() {
        store_ef_with_data(
            num_nodes,
            format!("{basename}.graph"),
            format!("{basename}.offsets"),
            &ef,
            &mut dsi_progress_logger::no_logging!(),
        )?;
    }
    let graph = BvGraph::with_basename(basename)
        .mode::<LoadMem>()
        .dispatch::<Static>()
        .load()?;
    let (mut arcs, mut sum) = (0u64, 0u64);
    let start;
    if mode == "random" {
        let mut state = 42u64;
        let asked: Vec<usize> = (0..nodes.parse()?)
            .map(|_| (splitmix64(&mut state) % num_nodes as u64) as usize)
            .collect();
        start = cpu_nanoseconds()?;
        for node in asked {
            for successor in graph.successors(node) {
                arcs += 1;
                sum = sum.wrapping_add(successor as u64);
            }
        }
    } else {
        start = cpu_nanoseconds()?;
        let mut lists = graph.iter();
        while let Some((_, successors)) = lists.next() {
            for successor in successors {
                arcs += 1;
                sum = sum.wrapping_add(successor as u64);
            }
        }
    }
    let value = (cpu_nanoseconds()? - start) as f64 / arcs.max(1) as f64;
    println!("{{\"value\": {value}, \"arcs\": {arcs}, \"sum\": {sum}}}");
    Ok(())
}

/// For how long this thread has run, as Linux tells.
fn cpu_nanoseconds() -> Result<u64, Box<dyn std::error::Error>> {
    // what it has run since the last tick is counted when it gives up its core
    std::thread::sleep(std::time::Duration::from_micros(1));
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(told
        .split_whitespace()
        .next()
        .ok_or("no schedstat")?
        .parse()?)
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut drawn = *state;
    drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    drawn ^ (drawn >> 31)
}
