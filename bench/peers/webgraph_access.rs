//! The crates `webgraph` and `webgraph-algo` by themselves: `webgraph_access BASENAME MODE NUMBER`, one JSON line.
//!
//! `random` asks for NUMBER nodes, drawn by splitmix64 with seed 42, `sequential` reads the whole graph: nanoseconds of
//! CPU time per arc, arcs and the sum of all successors; the graph is in memory, on one thread, with the codes known when
//! this is compiled. `open` maps the graph: milliseconds. `components` finds the strong ones of the mapped graph: seconds,
//! and how many. `balls` is HyperBall with 2^NUMBER registers, and the transpose BASENAME-t if it is there: processor
//! seconds, and pairs within each distance. `BASENAME.ef` is made if it is not there.

use dsi_bitstream::prelude::BE;
use dsi_progress_logger::no_logging;
use lender::*;
use rand::SeedableRng;
use std::path::{Path, PathBuf};
use std::time::Instant;
use webgraph::prelude::*;
use webgraph_algo::distances::hyperball::HyperBallBuilder;
use webgraph_algo::sccs;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().collect();
    let [_, basename, mode, number] = &words[..] else {
        return Err(
            "webgraph_access BASENAME random|sequential|open|components|balls NUMBER".into(),
        );
    };
    find_lists(basename)?;
    match &mode[..] {
        "random" | "sequential" => read(basename, mode == "random", number.parse()?),
        "open" => {
            let start = Instant::now();
            let graph = BvGraph::with_basename(basename).mode::<Mmap>().load()?;
            let value = start.elapsed().as_secs_f64() * 1e3;
            println!("{{\"value\": {value}, \"nodes\": {}}}", graph.num_nodes());
            Ok(())
        }
        "components" => {
            let graph = BvGraph::with_basename(basename).mode::<Mmap>().load()?;
            let (start, cpu) = (Instant::now(), process_seconds()?);
            let found = sccs::tarjan(&graph, no_logging![]);
            let (value, cpu) = (start.elapsed().as_secs_f64(), process_seconds()? - cpu);
            let components = found.num_components();
            println!("{{\"value\": {value}, \"cpu\": {cpu}, \"components\": {components}}}");
            Ok(())
        }
        "balls" => grow_balls(basename, number.parse()?),
        other => Err(format!("{other} is no mode").into()),
    }
}

fn find_lists(basename: &str) -> Result<(), Failure> {
    let ef = PathBuf::from(format!("{basename}.ef"));
    let (num_nodes, _, _) = parse_properties::<BE>(format!("{basename}.properties"))?;
    if !ef.exists() {
        store_ef_with_data(
            num_nodes,
            format!("{basename}.graph"),
            format!("{basename}.offsets"),
            &ef,
            &mut no_logging!(),
        )?;
    }
    Ok(())
}

fn read(basename: &str, is_random: bool, nodes: usize) -> Result<(), Failure> {
    let graph = BvGraph::with_basename(basename)
        .mode::<LoadMem>()
        .dispatch::<Static>()
        .load()?;
    let (mut arcs, mut sum) = (0u64, 0u64);
    let start;
    if is_random {
        let mut state = 42u64;
        let num_nodes = graph.num_nodes() as u64;
        let asked: Vec<usize> = (0..nodes)
            .map(|_| (splitmix64(&mut state) % num_nodes) as usize)
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

fn grow_balls(basename: &str, log_registers: u32) -> Result<(), Failure> {
    let turned = format!("{basename}-t");
    let back = match Path::new(&format!("{turned}.properties")).exists() {
        true => {
            find_lists(&turned)?;
            Some(BvGraph::with_basename(&turned).mode::<Mmap>().load()?)
        }
        false => None,
    };
    let graph = BvGraph::with_basename(basename).mode::<Mmap>().load()?;
    let cpu = process_seconds()?;
    let degrees = graph.build_dcf();
    let mut balls = HyperBallBuilder::with_hyper_log_log8(
        &graph,
        back.as_ref(),
        &degrees,
        log_registers,
        None,
    )?
    .sum_of_inverse_distances(true)
    .build(no_logging![]);
    balls.run_until_done(rand::rngs::SmallRng::seed_from_u64(0), no_logging![])?;
    let value = process_seconds()? - cpu;
    let pairs = balls.neighborhood_function()?;
    println!("{{\"value\": {value}, \"pairs\": {pairs:?}}}");
    Ok(())
}

/// For how long this thread has run, as Linux tells.
fn cpu_nanoseconds() -> Result<u64, Failure> {
    // what it has run since the last tick is counted when it gives up its core
    std::thread::sleep(std::time::Duration::from_micros(1));
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(told
        .split_whitespace()
        .next()
        .ok_or("no schedstat")?
        .parse()?)
}

/// For how long all threads have run, in hundredths of a second.
fn process_seconds() -> Result<f64, Failure> {
    let told = std::fs::read_to_string("/proc/self/stat")?;
    let behind = told.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = behind
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut drawn = *state;
    drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    drawn ^ (drawn >> 31)
}
