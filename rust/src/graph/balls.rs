//! HyperBall (Boldi, Vigna 2013) of the crate `webgraph-algo`: the balls of all nodes, counted as they grow.

use super::GraphError;
use super::list_source::MeteredGraph;
use card_est_array::impls::{HyperLogLog8Builder, SliceEstimatorArray};
use dsi_progress_logger::no_logging;
use rand::{SeedableRng, rngs::SmallRng};
use webgraph::traits::SequentialLabeling;
use webgraph_algo::distances::hyperball::HyperBallBuilder;
use xxhash_rust::xxh3::Xxh3Builder;

/// Pairs within each distance, and of each node the sum of all 1 / d over the nodes that it reaches. Counters have
/// 2^`log_registers` registers, of a byte each; the seed chooses their hash function. With the transpose at hand, only nodes
/// are looked at that can change. The meter counts lists.
pub fn grow(
    graph: MeteredGraph<'_>,
    transpose: MeteredGraph<'_>,
    log_registers: u32,
    seed: u64,
) -> Result<(Vec<f64>, Vec<f32>), GraphError> {
    let logic = HyperLogLog8Builder::new()
        .log2_num_regs(log_registers)
        .build_hasher(Xxh3Builder::new().with_seed(seed))
        .build::<usize>();
    let counters = || SliceEstimatorArray::new(logic.clone(), graph.num_nodes());
    let degrees = graph.build_dcf();
    let failed = |error| GraphError::Arrays(format!("balls: {error:#}"));
    let mut balls =
        HyperBallBuilder::with_transpose(&graph, &transpose, &degrees, counters(), counters())
            .sum_of_inverse_distances(true)
            .build(no_logging![]);
    // the hash function has the seed, and nothing else is drawn
    balls
        .run_until_done(SmallRng::seed_from_u64(seed), no_logging![])
        .map_err(failed)?;
    let pairs = balls.neighborhood_function().map_err(failed)?.to_vec();
    let sums = balls.harmonic_centralities().map_err(failed)?.to_vec();
    drop(balls);
    graph.done()?;
    transpose.done()?;
    Ok((pairs, sums))
}
