//! Lists that several threads decode, put one behind the other.

use super::Rows;
use crate::graph::GraphError;
use rayon::prelude::*;

/// Arcs for which memory is set aside on the word of the properties.
const MOST_EXPECTED: f64 = (1u64 << 34) as f64;

/// What one thread has decoded: lists by their ends, and a label for each target where there are labels.
#[derive(Default)]
pub struct Piece {
    pub ends: Vec<u64>,
    pub targets: Vec<u32>,
    pub labels: Vec<u64>,
    /// Targets that belong to lists before the first.
    pub skipped: usize,
    /// Lists with labels that are needed on the way; memory for whoever decodes.
    pub window: (Vec<u32>, Vec<u64>),
}

/// Offsets and targets, and a label for each of these where there are labels.
pub type LabelledRows = (Rows, Vec<u64>);

/// What pieces of work decode, in their order. Threads do so in rounds, into memory that is used again and again: to touch
/// as much of it as there are arcs would take as long as to decode them. `mean` is about how many arcs a list has.
pub fn gather<W: Sync, S>(
    work: &[W],
    num_lists: usize,
    mean: f64,
    is_labelled: bool,
    start: impl Fn() -> S + Sync,
    decode: impl Fn(&W, &mut S, &mut Piece) -> Result<(), GraphError> + Sync,
) -> Result<LabelledRows, GraphError> {
    // what is not used is not touched either; the properties may be wrong
    let expected = (mean * num_lists as f64).min(MOST_EXPECTED) as usize;
    if let [work] = work {
        // nothing to put together
        let mut piece = Piece::default();
        let _ = piece.ends.try_reserve(num_lists + 1);
        let _ = piece.targets.try_reserve(expected);
        if is_labelled {
            let _ = piece.labels.try_reserve(expected);
        }
        piece.ends.push(0);
        decode(work, &mut start(), &mut piece)?;
        piece.targets.drain(..piece.skipped);
        return Ok(((piece.ends, piece.targets), piece.labels));
    }
    let mut offsets = Vec::with_capacity(num_lists + 1);
    let (mut targets, mut labels) = (Vec::new(), Vec::new());
    let _ = targets.try_reserve(expected);
    if is_labelled {
        let _ = labels.try_reserve(expected);
    }
    offsets.push(0);
    let mut pieces: Vec<Piece> = Vec::new();
    pieces.resize_with(
        work.len().min(4 * rayon::current_num_threads()),
        Piece::default,
    );
    for round in work.chunks(pieces.len().max(1)) {
        pieces
            .par_iter_mut()
            .zip(round)
            .try_for_each(|(piece, work)| {
                piece.ends.clear();
                piece.targets.clear();
                piece.labels.clear();
                decode(work, &mut start(), piece)
            })?;
        for piece in &pieces[..round.len()] {
            let base = targets.len() as u64;
            offsets.extend(piece.ends.iter().map(|end| base + end));
            targets.extend_from_slice(&piece.targets[piece.skipped..]);
            labels.extend_from_slice(&piece.labels);
        }
    }
    Ok(((offsets, targets), labels))
}
