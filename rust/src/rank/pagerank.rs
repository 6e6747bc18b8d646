//! PageRank by repeated steps: each node takes from its predecessors what they pass on.

use crate::collection::progress::Meter;
use crate::graph::GraphError;
use rayon::prelude::*;

/// Nodes that a thread takes at a time; sums are made of sums of chunks in order, whatever the number of threads.
const CHUNK: usize = 1 << 11;

/// The graph turned round, and where the surfer goes otherwise.
pub struct Walk<'a> {
    pub offsets: &'a [u64],
    pub predecessors: &'a [u32],
    pub outdegrees: &'a [u32],
    pub alpha: f64,
    /// Uniform if there is none.
    pub preference: Option<&'a [f64]>,
}

/// Repeats the step until Σ |change| is at most `least_change`, or `most_steps` were made; how many were, and the last
/// change. The meter counts nodes.
pub fn pagerank(
    walk: &Walk<'_>,
    scores: &mut [f64],
    least_change: f64,
    most_steps: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let n = scores.len();
    let others = [
        walk.outdegrees.len(),
        walk.preference.map_or(n, <[f64]>::len),
    ];
    if walk.offsets.len() != n + 1
        || others != [n; 2]
        || walk.predecessors.iter().any(|&source| source as usize >= n)
    {
        let message =
            format!("rows: expected those of the transposed graph of {n} nodes, got others");
        return Err(GraphError::Arrays(message));
    }
    // what a node passes on along each of its arcs
    let share = |node: usize, score: f64| score / f64::from(walk.outdegrees[node].max(1));
    let mut shares: Vec<f64> = (0..n).map(|node| share(node, scores[node])).collect();
    let mut next = vec![0.0; n];
    let mut dangling: f64 = (0..n)
        .filter(|&node| walk.outdegrees[node] == 0)
        .map(|node| scores[node])
        .sum();
    for step in 1..=most_steps {
        let rest = walk.alpha * dangling + 1.0 - walk.alpha;
        let sums: Vec<(f64, f64)> = scores
            .par_chunks_mut(CHUNK)
            .zip(next.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(chunk, (scores, next))| {
                let (mut change, mut dangling) = (0.0, 0.0);
                for (place, (score, next)) in scores.iter_mut().zip(next).enumerate() {
                    let node = chunk * CHUNK + place;
                    let (from, to) = (walk.offsets[node] as usize, walk.offsets[node + 1] as usize);
                    let sources = walk.predecessors.get(from..to).unwrap_or_default();
                    let sum: f64 = sources.iter().map(|&source| shares[source as usize]).sum();
                    let jump = walk
                        .preference
                        .map_or(1.0 / n as f64, |weights| weights[node]);
                    let new = walk.alpha * sum + rest * jump;
                    change += (new - *score).abs();
                    if walk.outdegrees[node] == 0 {
                        dangling += new;
                    }
                    (*score, *next) = (new, share(node, new));
                }
                meter.advance(scores.len() as u64)?;
                Ok((change, dangling))
            })
            .collect::<Result<_, GraphError>>()?;
        let change: f64 = sums.iter().map(|sum| sum.0).sum();
        dangling = sums.iter().map(|sum| sum.1).sum();
        std::mem::swap(&mut shares, &mut next);
        if change <= least_change || step == most_steps {
            return Ok((step, change));
        }
    }
    Ok((0, f64::INFINITY))
}
