//! PageRank by sweeps: each node takes from its predecessors what they pass on.

use super::walk::{Arcs, CHUNK, sum};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use rayon::prelude::*;

/// Parts of a large graph that are swept at once, by Gauss and Seidel, and chunks from which on a graph is large.
const LANES: usize = 16;
const LARGE: usize = 64;

/// The graph turned round, and what nodes have by themselves. One number in place of an array counts for all nodes.
pub struct Walk<'a> {
    pub arcs: Arcs<'a>,
    /// What a node passes on along an arc of weight 1, of 1 that it has: nothing if it has no arcs.
    pub shares: &'a [f64],
    /// What a node has in any case.
    pub jumps: &'a [f64],
    /// What a node gets, of 1 that nodes without arcs have. Without it they keep what they have, and the sweeps are
    /// those of Gauss and Seidel.
    pub spread: Option<&'a [f64]>,
}

#[inline]
fn pick(numbers: &[f64], node: usize) -> f64 {
    if numbers.len() == 1 {
        numbers[0]
    } else {
        numbers[node]
    }
}

/// Repeats sweeps until Σ |change| is at most `least_change`, or `most` were made; how many were, and the last change.
///
/// With `spread`, a sweep is a step of power iteration. Without it, nodes see what the sweep has made of others already:
/// the nodes are cut into lanes, which go through their chunks side by side, and a node sees those before it in its
/// chunk and those of all chunks before. Chunks of different lanes are far from each other and have few arcs between
/// them, so that this converges as one lane does; and since those swept at once do not see each other, the result is the
/// same for any number of threads. The meter counts nodes.
pub fn solve(
    walk: &Walk<'_>,
    scores: &mut [f64],
    least_change: f64,
    most: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let n = scores.len();
    walk.arcs.check(n)?;
    let is_vector = |numbers: &[f64]| numbers.len() == n || numbers.len() == 1;
    if walk.shares.len() != n || !is_vector(walk.jumps) || !walk.spread.is_none_or(is_vector) {
        let message =
            format!("shares, jumps, spread: expected a number for each of {n} nodes, got others");
        return Err(GraphError::Arrays(message));
    }
    let given: Vec<f64> = (0..n)
        .map(|node| scores[node] * walk.shares[node])
        .collect();
    match walk.spread {
        Some(spread) => power(walk, spread, scores, given, least_change, most, meter),
        None => gauss_seidel(walk, scores, given, least_change, most, meter),
    }
}

fn power(
    walk: &Walk<'_>,
    spread: &[f64],
    scores: &mut [f64],
    mut given: Vec<f64>,
    least_change: f64,
    most: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let mut next = given.clone();
    let mut idle: f64 = (0..scores.len())
        .filter(|&node| walk.shares[node] == 0.0)
        .map(|node| scores[node])
        .sum();
    let mut change = f64::INFINITY;
    for sweep in 1..=most {
        let sums: Vec<(f64, f64)> = scores
            .par_chunks_mut(CHUNK)
            .zip(next.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(chunk, (scores, next))| {
                step(
                    walk,
                    chunk * CHUNK,
                    scores,
                    next,
                    &given,
                    (spread, idle),
                    meter,
                )
            })
            .collect::<Result<_, GraphError>>()?;
        std::mem::swap(&mut given, &mut next);
        change = sums.iter().map(|sum| sum.0).sum();
        idle = sums.iter().map(|sum| sum.1).sum();
        if change <= least_change {
            return Ok((sweep, change));
        }
    }
    Ok((most, change))
}

fn gauss_seidel(
    walk: &Walk<'_>,
    scores: &mut [f64],
    mut given: Vec<f64>,
    least_change: f64,
    most: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let n = scores.len();
    let mut next = given.clone();
    // what a node passes on to itself; not known before its list was read
    let mut own = vec![f64::NAN; n];
    let num_chunks = n.div_ceil(CHUNK);
    let num_lanes = if num_chunks < LARGE { 1 } else { LANES };
    let size = num_chunks.div_ceil(num_lanes).max(1) * CHUNK;
    let (mut sweep, mut change) = (0, f64::INFINITY);
    loop {
        // nobody sees nodes without arcs: their turn comes once, at the end
        let is_last = change <= least_change || sweep == most;
        let mut sums = Vec::with_capacity(num_chunks);
        for first in (0..size).step_by(CHUNK) {
            let found: Vec<f64> = scores
                .par_chunks_mut(size)
                .zip(next.par_chunks_mut(size))
                .zip(own.par_chunks_mut(size))
                .enumerate()
                .map(|(lane, ((scores, next), own))| {
                    let chunk = first.min(scores.len())..scores.len().min(first + CHUNK);
                    let part = Part {
                        start: lane * size + first,
                        scores: &mut scores[chunk.clone()],
                        next: &mut next[chunk.clone()],
                        own: &mut own[chunk],
                    };
                    relax(walk, part, &given, is_last, meter)
                })
                .collect::<Result<_, GraphError>>()?;
            sums.extend(found);
            for lane in (first..n).step_by(size) {
                let chunk = lane..n.min(lane + CHUNK);
                given[chunk.clone()].copy_from_slice(&next[chunk]);
            }
        }
        if is_last {
            return Ok((sweep, change));
        }
        sweep += 1;
        change = sums.iter().sum();
    }
}

/// A step of power iteration for the nodes of a chunk: Σ |change|, and what those without arcs have.
fn step(
    walk: &Walk<'_>,
    start: usize,
    scores: &mut [f64],
    next: &mut [f64],
    given: &[f64],
    (spread, idle): (&[f64], f64),
    meter: &Meter,
) -> Result<(f64, f64), GraphError> {
    let nodes = start..start + scores.len();
    walk.arcs.read(nodes, meter, |lists| {
        let (mut change, mut left) = (0.0, 0.0);
        let mut last: (&[u32], f64) = (&[], 0.0);
        for (place, (score, next)) in scores.iter_mut().zip(next).enumerate() {
            let (list, weights) = lists.get(place);
            // neighbours in row-key order often have the same predecessors
            if weights.is_some() || list != last.0 {
                last = (list, sum(list, weights, |source| given[source]));
            }
            let node = start + place;
            let new = last.1 + pick(walk.jumps, node) + idle * pick(spread, node);
            change += (new - *score).abs();
            left += if walk.shares[node] == 0.0 { new } else { 0.0 };
            (*score, *next) = (new, new * walk.shares[node]);
        }
        (change, left)
    })
}

/// What a sweep may change at once.
struct Part<'a> {
    start: usize,
    scores: &'a mut [f64],
    /// What nodes pass on along an arc.
    next: &'a mut [f64],
    own: &'a mut [f64],
}

/// A sweep of Gauss and Seidel over the nodes of a chunk, those without arcs or the others: Σ |change|.
fn relax(
    walk: &Walk<'_>,
    part: Part<'_>,
    given: &[f64],
    is_last: bool,
    meter: &Meter,
) -> Result<f64, GraphError> {
    let (start, size) = (part.start, part.scores.len());
    if size == 0 {
        return Ok(0.0);
    }
    let (scores, next, own) = (part.scores, part.next, part.own);
    walk.arcs.read(start..start + size, meter, |lists| {
        let mut change = 0.0;
        let mut last: (&[u32], f64) = (&[], 0.0);
        for place in 0..size {
            let (node, share) = (start + place, walk.shares[start + place]);
            if (share == 0.0) != is_last {
                continue;
            }
            let (list, weights) = lists.get(place);
            if weights.is_some() || list != last.0 {
                last = (list, sum_seen(list, weights, start, next, given));
            }
            if own[place].is_nan() {
                let weight = |nth: usize| weights.map_or(1.0, |weights| weights[nth]);
                let found = list.binary_search(&(node as u32));
                own[place] = found.map_or(0.0, |nth| share * weight(nth));
            }
            // a node that passes on to itself is solved for, or it would be as slow as power iteration
            let own = own[place];
            let mut new = last.1 + pick(walk.jumps, node);
            if own > 0.0 {
                new = (new - scores[place] * own) / (1.0 - own);
            }
            change += (new - scores[place]).abs();
            // the next list may be the same one, and then has this node if this one has
            let passed = new * share;
            if own > 0.0 {
                last.1 += passed - next[place];
            }
            (scores[place], next[place]) = (new, passed);
        }
        change
    })
}

/// What a list passes on: nodes of the chunk from `start` on as `next` has it, others as `given` does.
#[inline]
fn sum_seen(
    list: &[u32],
    weights: Option<&[f64]>,
    start: usize,
    next: &[f64],
    given: &[f64],
) -> f64 {
    let (Some(&first), Some(&last)) = (list.first(), list.last()) else {
        return 0.0;
    };
    let (first, last, end) = (first as usize, last as usize, start + next.len());
    // lists are in order, and most are of one kind: no need to ask for each arc
    if last < start || first >= end {
        sum(list, weights, |source| given[source])
    } else if first >= start && last < end {
        sum(list, weights, |source| {
            // rows of a caller may be out of order after all
            let inside = next.get(source.wrapping_sub(start)).copied();
            inside.unwrap_or_else(|| given[source])
        })
    } else {
        sum(list, weights, |source| {
            let inside = source.wrapping_sub(start);
            let (values, place) = if inside < next.len() {
                (next, inside)
            } else {
                (given, source)
            };
            values[place]
        })
    }
}
