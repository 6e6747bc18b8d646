//! PageRank by sweeps: each node takes from its predecessors what they pass on.

pub mod push;

use super::walk::cut::Pool;
use super::walk::fold::{CHUNK, Chunk, Inside, make_inside, slot};
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use rayon::prelude::*;

/// Sweeps over the arcs inside a chunk each time that its turn comes.
const REPEATS: usize = 2;
/// The same where a turn begins with decoding: what is decoded is worth more sweeps.
const DECODED_REPEATS: usize = 3;
/// What is left of the change of a first sweep after the next one, as a guess.
const SLOW: f64 = 0.9;
/// Sweeps after which their changes are put together.
const CYCLE: usize = 4;

/// Where the lists of the transpose are: cut into chunks, or compressed, and cut anew in every pass.
pub enum Pulled<'a> {
    Folded(&'a [Chunk]),
    Files(&'a BvGraph, Pool),
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
    let num_nodes = match &walk.arcs {
        Pulled::Folded(chunks) => chunks.iter().map(|chunk| chunk.order.len()).sum(),
        Pulled::Files(graph, _) => graph.num_nodes(),
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
    /// Hands over the chunk from `start` on, as those with these values see it; of one that is cut for this pass, the
    /// lists of nodes without arcs are there if `all` are wanted.
    fn visit<T>(
        &self,
        start: usize,
        values: &[f64],
        all: bool,
        meter: &Meter,
        visit: impl FnOnce(&Chunk) -> T,
    ) -> Result<T, GraphError> {
        let shares = &self.shares[start..self.shares.len().min(start + CHUNK)];
        match &self.arcs {
            Pulled::Folded(chunks) => {
                meter.advance(shares.len() as u64)?;
                Ok(visit(&chunks[start / CHUNK]))
            }
            Pulled::Files(graph, pool) => {
                pool.visit(graph, (start, shares), values, all, meter, visit)
            }
        }
    }

    fn repeats(&self) -> usize {
        match self.arcs {
            Pulled::Folded(_) => REPEATS,
            Pulled::Files(..) => DECODED_REPEATS,
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
            .map_init(make_inside, |inside, (number, (scores, next))| {
                let start = number * CHUNK;
                walk.visit(start, &given, true, meter, |chunk| {
                    chunk.copy_inside(start, &given, inside);
                    step(
                        walk,
                        chunk,
                        start,
                        scores,
                        next,
                        (inside, &given),
                        (spread, idle),
                    )
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
    (inside, given): (&mut Inside, &[f64]),
    (spread, idle): (&[f64], f64),
) -> (f64, f64) {
    let (mut change, mut left) = (0.0, 0.0);
    let (mut far, mut nth) = (chunk.far(), 0);
    let mut loops = chunk.loops.iter().peekable();
    chunk.each_near(chunk.order.len(), inside, |place, near, inside| {
        let mut gathered = near + far.next(given);
        if let Some((_, weight)) = loops.next_if(|(at, _)| *at as usize == nth) {
            gathered += weight * inside[usize::from(place)];
        }
        // what was added and taken away again may leave a trace
        let gathered = gathered.max(0.0);
        let place = usize::from(place);
        let node = start + place;
        let new = gathered + pick(walk.jumps, node) + idle * pick(spread, node);
        change += (new - scores[place]).abs();
        left += if nth < chunk.num_with_arcs { 0.0 } else { new };
        (scores[place], next[place]) = (new, new * walk.shares[node]);
        nth += 1;
    });
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
    let num_chunks = n.div_ceil(CHUNK);
    // few lanes where there are few chunks, or those side by side would be most of the graph
    let num_lanes = match num_chunks {
        ..8 => 1,
        8..64 => 4,
        _ => 16,
    };
    let per_lane = num_chunks.div_ceil(num_lanes).max(1);
    let mut changes = vec![[[0f32; CHUNK]; CYCLE]; num_chunks];
    let mut lanes: Vec<Lane> = (0..num_lanes).map(|_| Lane::new()).collect();
    let mut products = Products::default();
    let (mut sweep, mut change, mut left, mut factor) = (0, f64::INFINITY, f64::INFINITY, SLOW);
    loop {
        // nobody sees nodes without arcs: their turn comes once, at the end
        let is_last = left <= enough || sweep == most;
        let nth = sweep % CYCLE;
        let mut total = 0.0;
        products[nth] = [0.0; CYCLE];
        for turn in 0..per_lane {
            let chunks = |lane: usize| (lane * per_lane + turn) * CHUNK;
            scores
                .par_chunks_mut(per_lane * CHUNK)
                .zip(lanes.par_iter_mut())
                .enumerate()
                .filter(|(_, (scores, _))| turn * CHUNK < scores.len())
                .try_for_each(|(lane, (scores, state))| {
                    let start = chunks(lane);
                    let places = turn * CHUNK..scores.len().min((turn + 1) * CHUNK);
                    let scores = is_last.then_some(&mut scores[places]);
                    walk.visit(start, &given, is_last, meter, |chunk| {
                        relax(walk, chunk, start, scores, &given, state);
                    })
                })?;
            let found: Vec<Changed> = given
                .par_chunks_mut(per_lane * (CHUNK + 1))
                .zip(changes.par_chunks_mut(per_lane))
                .zip(lanes.par_iter())
                .enumerate()
                .filter(|(_, ((_, changes), _))| turn < changes.len())
                .map(|(lane, ((given, changes), state))| {
                    let start = chunks(lane);
                    let shares = &walk.shares[start..n.min(start + CHUNK)];
                    let given = &mut given[turn * (CHUNK + 1)..][..shares.len()];
                    replace(given, &*state.next, shares, &mut changes[turn], nth)
                })
                .collect();
            for (sum, row) in found {
                total += sum;
                for (sum, more) in products[nth].iter_mut().zip(row) {
                    *sum += more;
                }
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
            extrapolate(&changes, back, &mut given);
        }
    }
}

/// What a lane works on: the values that the nodes of its chunk pass on, and their lists.
struct Lane {
    next: Box<Inside>,
    lists: Vec<List>,
}

impl Lane {
    fn new() -> Self {
        Self {
            next: make_inside(),
            lists: Vec::new(),
        }
    }
}

/// Sweeps of Gauss and Seidel over the nodes of a chunk; where there are scores to be written, those of all its nodes.
fn relax(
    walk: &Walk<'_>,
    chunk: &Chunk,
    start: usize,
    scores: Option<&mut [f64]>,
    given: &[f64],
    Lane { next, lists }: &mut Lane,
) {
    let shares = &walk.shares[start..];
    chunk.copy_inside(start, given, next);
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
    for _ in 0..walk.repeats() {
        let mut lists = lists.iter();
        chunk.each_near(chunk.num_with_arcs, next, |place, sum, next| {
            let Some(list) = lists.next() else { return };
            // what was added and taken away again may leave a trace
            let new = (list.outside + sum).max(0.0);
            next[usize::from(place)] = new * list.share;
        });
    }
    let Some(scores) = scores else { return };
    let mut lists = lists.iter();
    chunk.each_near(num_lists, next, |place, sum, _| {
        let Some(list) = lists.next() else { return };
        let place = usize::from(place);
        let new = (list.outside + sum).max(0.0);
        // what it passes on along an arc, of what it gets from others and not from itself
        scores[place] = if shares[place] == 0.0 {
            new
        } else {
            new * list.share / shares[place]
        };
    });
}

/// What the list of a node adds up to outside of the chunk, and what the node passes on of the whole sum.
struct List {
    outside: f64,
    share: f64,
}

/// Σ |change| of a sweep over a chunk, and the scalar products of its changes with those of sweeps before.
type Changed = (f64, [f64; CYCLE]);

/// Takes over what a sweep made of a chunk, and keeps what it changed as the `nth` of a cycle.
fn replace(
    given: &mut [f64],
    next: &[f64],
    shares: &[f64],
    changes: &mut [[f32; CHUNK]; CYCLE],
    nth: usize,
) -> Changed {
    match nth {
        0 => replace_first::<0>(given, next, shares, changes),
        1 => replace_first::<1>(given, next, shares, changes),
        2 => replace_first::<2>(given, next, shares, changes),
        _ => replace_first::<3>(given, next, shares, changes),
    }
}

/// Sums that are made side by side.
const WIDE: usize = 8;

fn replace_first<const NTH: usize>(
    given: &mut [f64],
    next: &[f64],
    shares: &[f64],
    changes: &mut [[f32; CHUNK]; CYCLE],
) -> Changed {
    let mut totals = [0.0; WIDE];
    let mut products = [[0.0; WIDE]; CYCLE];
    let mut begin = 0;
    while begin < given.len() {
        let end = given.len().min(begin + WIDE);
        let (old, new, share) = (
            &mut given[begin..end],
            &next[begin..end],
            &shares[begin..end],
        );
        let mut row = [0f32; WIDE];
        for at in 0..end - begin {
            let change = new[at] - old[at];
            old[at] = new[at];
            totals[at] += change.abs() / share[at].max(f64::MIN_POSITIVE);
            row[at] = change as f32;
        }
        changes[NTH][begin..end].copy_from_slice(&row[..end - begin]);
        for (other, sums) in products.iter_mut().enumerate().take(NTH + 1) {
            let others = &changes[other][begin..end];
            for at in 0..end - begin {
                sums[at] += f64::from(row[at]) * f64::from(others[at]);
            }
        }
        begin = end;
    }
    (totals.iter().sum(), products.map(|sums| sums.iter().sum()))
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

fn extrapolate(changes: &[[[f32; CHUNK]; CYCLE]], back: [f64; CYCLE], given: &mut [f64]) {
    let chunks = given.par_chunks_mut(CHUNK + 1).zip(changes);
    chunks.for_each(|(given, changes)| {
        for (change, times) in changes.iter().zip(back).filter(|(_, times)| *times != 0.0) {
            for (given, change) in given.iter_mut().zip(change) {
                *given -= times * f64::from(*change);
            }
        }
    });
}
