//! PageRank by sweeps: each node takes from its predecessors what they pass on.

use super::fold::{CHUNK, Chunk, slot};
use super::walk::Arcs;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::lent::Source;
use rayon::prelude::*;

/// Sweeps over the arcs inside a chunk each time that its turn comes.
const REPEATS: usize = 2;
/// What is left of the change of a first sweep after the next one, as a guess.
const SLOW: f64 = 0.9;
/// Sweeps after which their changes are put together.
const CYCLE: usize = 4;

/// Where the lists of the transpose are: cut into chunks, or compressed, and cut anew in every pass.
pub enum Pulled<'a> {
    Folded(&'a [Chunk]),
    Files(&'a BvGraph),
}

/// The graph turned round, and what nodes have by themselves. One number in place of an array counts for all nodes.
pub struct Walk<'a> {
    pub arcs: Pulled<'a>,
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

/// Repeats sweeps until what is left to change is at most `enough`, or `most` were made; how many were, and Σ |change|
/// of the last.
///
/// With `spread`, a sweep is a step of power iteration, and what is left is its change. Without it, nodes see what the
/// sweep has made of others already, and what is left is guessed from how fast changes fall. The chunks are cut into
/// lanes, which go on side by side: a node sees those before it in its chunk, and all chunks that are done. Chunks of
/// different lanes are far from each other and have few arcs between them, so that this converges as one lane does; and
/// since those swept at once do not see each other, the result is the same for any number of threads. The meter counts
/// nodes.
pub fn solve(
    walk: &Walk<'_>,
    scores: &mut [f64],
    enough: f64,
    most: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let n = scores.len();
    let num_nodes = match walk.arcs {
        Pulled::Folded(chunks) => chunks.iter().map(|chunk| chunk.order.len()).sum(),
        Pulled::Files(graph) => graph.num_nodes(),
    };
    let is_vector = |numbers: &[f64]| numbers.len() == n || numbers.len() == 1;
    if num_nodes != n
        || walk.shares.len() != n
        || !is_vector(walk.jumps)
        || !walk.spread.is_none_or(is_vector)
    {
        let message = format!(
            "shares, jumps, spread: expected a number for each of {num_nodes} nodes, got others"
        );
        return Err(GraphError::Arrays(message));
    }
    let mut given = vec![0.0; slot(n) + 1];
    for (node, (score, share)) in scores.iter().zip(walk.shares).enumerate() {
        given[slot(node)] = score * share;
    }
    match walk.spread {
        Some(spread) => power(walk, spread, scores, given, enough, most, meter),
        None => gauss_seidel(walk, scores, given, enough, most, meter),
    }
}

impl Walk<'_> {
    /// Hands over the chunk from `start` on.
    fn visit<T>(
        &self,
        start: usize,
        meter: &Meter,
        visit: impl FnOnce(&Chunk) -> T,
    ) -> Result<T, GraphError> {
        let shares = &self.shares[start..self.shares.len().min(start + CHUNK)];
        match self.arcs {
            Pulled::Folded(chunks) => {
                meter.advance(shares.len() as u64)?;
                Ok(visit(&chunks[start / CHUNK]))
            }
            Pulled::Files(graph) => {
                let arcs = Arcs {
                    source: Source::Files(graph),
                    weights: None,
                };
                arcs.read(start..start + shares.len(), meter, |lists| {
                    visit(&Chunk::new(&lists, start, shares, false))
                })
            }
        }
    }
}

fn power(
    walk: &Walk<'_>,
    spread: &[f64],
    scores: &mut [f64],
    mut given: Vec<f64>,
    enough: f64,
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
            .zip(next.par_chunks_mut(CHUNK + 1))
            .enumerate()
            .map(|(number, (scores, next))| {
                let start = number * CHUNK;
                walk.visit(start, meter, |chunk| {
                    step(walk, chunk, start, scores, next, &given, (spread, idle))
                })
            })
            .collect::<Result<_, GraphError>>()?;
        std::mem::swap(&mut given, &mut next);
        change = sums.iter().map(|sum| sum.0).sum();
        idle = sums.iter().map(|sum| sum.1).sum();
        if change <= enough {
            return Ok((sweep, change));
        }
    }
    Ok((most, change))
}

/// A step of power iteration for the nodes of a chunk: Σ |change|, and what those without arcs have.
fn step(
    walk: &Walk<'_>,
    chunk: &Chunk,
    start: usize,
    scores: &mut [f64],
    next: &mut [f64],
    given: &[f64],
    (spread, idle): (&[f64], f64),
) -> (f64, f64) {
    let (mut change, mut left) = (0.0, 0.0);
    let (mut near, mut far) = (chunk.near(), chunk.far());
    let mut loops = chunk.loops.iter().peekable();
    let inside = &given[slot(start)..][..next.len()];
    for (nth, &place) in chunk.order.iter().enumerate() {
        let place = usize::from(place);
        let node = start + place;
        let mut gathered = near.next(inside) + far.next(given);
        if let Some((_, weight)) = loops.next_if(|(at, _)| *at as usize == nth) {
            gathered += weight * inside[place];
        }
        // what was added and taken away again may leave a trace
        let gathered = gathered.max(0.0);
        let new = gathered + pick(walk.jumps, node) + idle * pick(spread, node);
        change += (new - scores[place]).abs();
        left += if nth < chunk.num_with_arcs { 0.0 } else { new };
        (scores[place], next[place]) = (new, new * walk.shares[node]);
    }
    (change, left)
}

fn gauss_seidel(
    walk: &Walk<'_>,
    scores: &mut [f64],
    mut given: Vec<f64>,
    enough: f64,
    most: usize,
    meter: &Meter,
) -> Result<(usize, f64), GraphError> {
    let n = scores.len();
    let mut next = given.clone();
    let mut changes = vec![[0f32; CYCLE]; n];
    let num_chunks = n.div_ceil(CHUNK);
    // few lanes where there are few chunks, or those side by side would be most of the graph
    let num_lanes = match num_chunks {
        ..8 => 1,
        8..64 => 4,
        _ => 16,
    };
    let per_lane = num_chunks.div_ceil(num_lanes).max(1);
    let mut lists: Vec<Vec<List>> = (0..num_lanes).map(|_| Vec::new()).collect();
    let mut products = Products::default();
    let (mut sweep, mut change, mut left, mut factor) = (0, f64::INFINITY, f64::INFINITY, SLOW);
    loop {
        // nobody sees nodes without arcs: their turn comes once, at the end
        let is_last = left <= enough || sweep == most;
        let nth = sweep % CYCLE;
        let mut total = 0.0;
        products[nth] = [0.0; CYCLE];
        for turn in 0..per_lane {
            let found: Vec<Changed> = scores
                .par_chunks_mut(per_lane * CHUNK)
                .zip(next.par_chunks_mut(per_lane * (CHUNK + 1)))
                .zip(changes.par_chunks_mut(per_lane * CHUNK))
                .zip(lists.par_iter_mut())
                .enumerate()
                .filter(|(_, (((scores, _), _), _))| turn * CHUNK < scores.len())
                .map(|(lane, (((scores, next), changes), lists))| {
                    let start = (lane * per_lane + turn) * CHUNK;
                    let places = turn * CHUNK..scores.len().min((turn + 1) * CHUNK);
                    let slots = turn * (CHUNK + 1)..next.len().min((turn + 1) * (CHUNK + 1));
                    let next = &mut next[slots];
                    let scores = is_last.then_some(&mut scores[places.clone()]);
                    walk.visit(start, meter, |chunk| {
                        relax(walk, chunk, start, scores, next, &given, lists);
                        compare(walk, start, next, &given, &mut changes[places], nth)
                    })
                })
                .collect::<Result<_, GraphError>>()?;
            for (sum, row) in found {
                total += sum;
                for (sum, more) in products[nth].iter_mut().zip(row) {
                    *sum += more;
                }
            }
            for start in (turn * CHUNK..n).step_by(per_lane * CHUNK) {
                let slots = slot(start)..slot(n.min(start + CHUNK) - 1) + 1;
                given[slots.clone()].copy_from_slice(&next[slots]);
            }
        }
        if is_last {
            return Ok((sweep + 1, change));
        }
        // how much less changes than in the sweep before, unless changes were put together meanwhile
        if sweep > 0 && nth > 0 {
            factor = (total / change).min(0.99);
        }
        (change, left) = (total, total * factor / (1.0 - factor));
        sweep += 1;
        if nth == CYCLE - 1
            && left > enough
            && let Some(back) = combine(&products)
        {
            extrapolate(walk, &changes, back, &mut given, &mut next);
        }
    }
}

/// Sweeps of Gauss and Seidel over the nodes of a chunk; where there are scores to be written, those of all its nodes.
fn relax(
    walk: &Walk<'_>,
    chunk: &Chunk,
    start: usize,
    scores: Option<&mut [f64]>,
    next: &mut [f64],
    given: &[f64],
    lists: &mut Vec<List>,
) {
    let shares = &walk.shares[start..];
    let num_lists = if scores.is_some() {
        chunk.order.len()
    } else {
        chunk.num_with_arcs
    };
    let mut far = chunk.far();
    lists.clear();
    lists.extend(chunk.order[..num_lists].iter().map(|&place| List {
        outside: far.next(given) + pick(walk.jumps, start + usize::from(place)),
        share: shares[usize::from(place)],
    }));
    // a node that passes on to itself is solved for, or it would be as slow as power iteration
    for &(nth, weight) in &chunk.loops {
        if let Some(list) = lists.get_mut(nth as usize) {
            list.share /= 1.0 - weight * list.share;
        }
    }
    for _ in 0..REPEATS {
        let mut near = chunk.near();
        for (&place, list) in chunk.order[..chunk.num_with_arcs].iter().zip(&*lists) {
            // what was added and taken away again may leave a trace
            let new = (list.outside + near.next(next)).max(0.0);
            next[usize::from(place)] = new * list.share;
        }
    }
    let Some(scores) = scores else { return };
    let mut near = chunk.near();
    for (&place, list) in chunk.order.iter().zip(&*lists) {
        let place = usize::from(place);
        let new = (list.outside + near.next(next)).max(0.0);
        // what it passes on along an arc, of what it gets from others and not from itself
        scores[place] = if shares[place] == 0.0 {
            new
        } else {
            new * list.share / shares[place]
        };
    }
}

/// What the list of a node adds up to outside of the chunk, and what the node passes on of the whole sum.
struct List {
    outside: f64,
    share: f64,
}

/// Σ |change| of a sweep over a chunk, and the scalar products of its changes with those of sweeps before.
type Changed = (f64, [f64; CYCLE]);

/// Keeps what a sweep changed as the `nth` of a cycle.
fn compare(
    walk: &Walk<'_>,
    start: usize,
    next: &[f64],
    given: &[f64],
    changes: &mut [[f32; CYCLE]],
    nth: usize,
) -> Changed {
    let (mut total, mut products) = (0.0, [0.0; CYCLE]);
    let nodes = next.iter().zip(&given[slot(start)..]);
    let nodes = nodes.zip(&walk.shares[start..]).zip(changes);
    for (((new, old), &share), changes) in nodes {
        // a node without arcs passes on nothing, before and after
        let change = (new - old) / share.max(f64::MIN_POSITIVE);
        total += change.abs();
        changes[nth] = change as f32;
        // of later ones, those of the cycle before are still there, and of no use
        for (sum, other) in products.iter_mut().zip(changes) {
            *sum += change * f64::from(*other);
        }
    }
    (total, products)
}

/// Of the changes of a cycle, the products of each with those before it and itself.
type Products = [[f64; CYCLE]; CYCLE];

/// How much of each change of a cycle is to be taken back, so that what the last sweep changed is made as small as
/// changes can make it (reduced rank extrapolation): Σ (last − c(q) (last − q)) of least squares.
fn combine(products: &Products) -> Option<[f64; CYCLE]> {
    const LAST: usize = CYCLE - 1;
    let product = |one: usize, other: usize| products[one.max(other)][one.min(other)];
    // rows of the normal equations, solved by elimination
    let mut rows = [[0.0; CYCLE]; LAST];
    for (one, row) in rows.iter_mut().enumerate() {
        let right = product(LAST, LAST) - product(LAST, one);
        for (other, cell) in row.iter_mut().take(LAST).enumerate() {
            *cell = right - product(LAST, other) + product(one, other);
        }
        row[LAST] = right;
    }
    for pivot in 0..LAST {
        let row = rows[pivot];
        if row[pivot] <= f64::EPSILON * product(pivot, pivot) {
            return None;
        }
        for (_, other) in rows.iter_mut().enumerate().filter(|(at, _)| *at != pivot) {
            let times = other[pivot] / row[pivot];
            for (cell, part) in other.iter_mut().zip(row) {
                *cell -= times * part;
            }
        }
    }
    // from the values after a sweep to those after the last, the changes of all later ones were added
    let mut back = [0.0; CYCLE];
    for later in 1..CYCLE {
        back[later] = back[later - 1] + rows[later - 1][LAST] / rows[later - 1][later - 1];
    }
    back.iter().all(|times| times.is_finite()).then_some(back)
}

fn extrapolate(
    walk: &Walk<'_>,
    changes: &[[f32; CYCLE]],
    back: [f64; CYCLE],
    given: &mut [f64],
    next: &mut [f64],
) {
    let chunks = given
        .par_chunks_mut(CHUNK + 1)
        .zip(next.par_chunks_mut(CHUNK + 1));
    let chunks = chunks.zip(walk.shares.par_chunks(CHUNK).zip(changes.par_chunks(CHUNK)));
    chunks.for_each(|((given, next), (shares, changes))| {
        for (place, (share, changes)) in shares.iter().zip(changes).enumerate() {
            let taken = changes.iter().zip(back);
            let taken: f64 = taken
                .map(|(change, times)| f64::from(*change) * times)
                .sum();
            given[place] -= share * taken;
            next[place] = given[place];
        }
    });
}
