//! One round of HyperBall (Boldi, Vigna 2013): the ball of a node grows by those of its successors.
//!
//! A ball is a HyperLogLog counter, one byte a register, and the union of balls is the maximum register by register. Who
//! drives the rounds keeps all arrays; a round may come in blocks of nodes, so that no rows need be in memory at once.

use super::GraphError;
use crate::collection::progress::Meter;
use rayon::prelude::*;

/// Nodes that a thread takes at a time.
const CHUNK: usize = 1 << 10;

/// The counters before a round.
pub struct Balls<'a> {
    /// As many registers for each node.
    pub registers: &'a [u8],
    /// Which nodes changed in the round before: those that did not have long been taken in.
    pub changed: &'a [bool],
}

/// The counters of a block of nodes after it.
pub struct Grown<'a> {
    pub registers: &'a mut [u8],
    pub changed: &'a mut [bool],
    /// How many nodes are in each ball; left as it was where nothing changed.
    pub sizes: &'a mut [f64],
}

/// Grows the balls of the nodes from `first` on, whose rows these are; the meter counts nodes. What comes in as `new`
/// must be the balls of two rounds ago, or anything before the first round, for which all have changed.
pub fn grow(
    (offsets, targets): (&[u64], &[u32]),
    first: usize,
    old: &Balls<'_>,
    new: Grown<'_>,
    meter: &Meter,
) -> Result<(), GraphError> {
    let num_nodes = new.sizes.len();
    let width = new.registers.len() / num_nodes.max(1);
    let fits = offsets.len() == num_nodes + 1
        && width > 0
        && new.registers.len() == width * num_nodes
        && new.changed.len() == num_nodes
        && old.registers.len() == width * old.changed.len()
        && first + num_nodes <= old.changed.len();
    if !fits && num_nodes > 0 {
        let message = "registers: expected as many for each node, and rows of the same nodes";
        return Err(GraphError::Arrays(message.to_owned()));
    }
    let wrong = |node: usize| {
        GraphError::Arrays(format!(
            "targets: expected numbers of nodes, got others at node {node}"
        ))
    };
    new.registers
        .par_chunks_mut(CHUNK * width.max(1))
        .zip(new.changed.par_chunks_mut(CHUNK))
        .zip(new.sizes.par_chunks_mut(CHUNK))
        .enumerate()
        .try_for_each(|(chunk, ((registers, changed), sizes))| {
            for (place, ball) in registers.chunks_exact_mut(width).enumerate() {
                let row = chunk * CHUNK + place;
                let node = first + row;
                let before = &old.registers[node * width..][..width];
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                let successors = targets.get(from..to).ok_or_else(|| wrong(node))?;
                if successors
                    .iter()
                    .any(|&target| target as usize >= old.changed.len())
                {
                    return Err(wrong(node));
                }
                let news = |target: &&u32| old.changed[**target as usize];
                changed[place] = false;
                if old.changed[node] || successors.iter().any(|target| news(&target)) {
                    ball.copy_from_slice(before);
                } else {
                    continue; // the same as two rounds ago, and so what is there
                }
                for &target in successors.iter().filter(news) {
                    let other = &old.registers[target as usize * width..][..width];
                    for (mine, theirs) in ball.iter_mut().zip(other) {
                        *mine = (*mine).max(*theirs);
                    }
                }
                changed[place] = ball != before;
                if changed[place] {
                    sizes[place] = count(ball);
                }
            }
            Ok(meter.advance(sizes.len() as u64)?)
        })
}

/// How many things a counter has seen (Ertl 2017, algorithm 6, for hashes of 64 bits): m² / (2 ln 2) over
/// m σ(z / m) + Σ 2⁻ʳ, z being the registers that are 0 and r the others; no threshold and no table of corrections.
fn count(registers: &[u8]) -> f64 {
    let width = registers.len() as f64;
    let mut num_zeros = 0;
    let mut sum = 0.0;
    for &register in registers {
        if register == 0 {
            num_zeros += 1;
        } else {
            sum += f64::from_bits((1023 - u64::from(register)) << 52); // 2⁻ʳ
        }
    }
    // σ(x) = x + Σ x^(2^k) 2^(k−1)
    let mut power = f64::from(num_zeros) / width;
    let (mut sigma, mut factor) = (power, 1.0);
    while power < 1.0 {
        power *= power;
        let next = sigma + power * factor;
        if next == sigma {
            break;
        }
        (sigma, factor) = (next, 2.0 * factor);
    }
    if num_zeros == registers.len() as i32 {
        return 0.0;
    }
    let estimate = width * width / (2.0 * std::f64::consts::LN_2) / (width * sigma + sum);
    // the constant is that of many registers: with few, counts come out too large by 1/2m when small, and by 1.08/m
    // (the constant of HyperLogLog for m registers) when large
    estimate / (1.0 + (1.08 - 0.58 * f64::from(num_zeros) / width) / width)
}
