//! Arcs as numbers of 64 bits, the source above the target: sorted by their digits, and made rows.

use super::bvgraph::Rows;
use super::{GraphError, bvgraph};

/// Bits of a digit at most: the counts of all its values stay in the first cache.
const MAX_DIGIT: u32 = 12;

/// The digits to sort by, lowest first: where each begins, and its bits. Those of targets and of sources are cut apart,
/// since what lies between them is the same in all keys of a graph with fewer than 2³¹ nodes.
fn digits(differing: u64) -> impl Iterator<Item = (u32, u32)> {
    [0, 32].into_iter().flat_map(move |half| {
        let bits = (differing >> half) as u32;
        let begin = if bits == 0 { 0 } else { bits.trailing_zeros() };
        let span = u32::BITS - bits.leading_zeros() - begin;
        let width = span.div_ceil(span.div_ceil(MAX_DIGIT).max(1)).max(1);
        (begin..begin + span)
            .step_by(width as usize)
            .map(move |shift| (half + shift, width.min(u32::BITS - shift)))
    })
}

/// Sorts `keys`; `scratch` has their length. With `once`, equal ones are kept once each, at the front; how many there
/// are is what comes back. With `by_source`, arcs of one source come in order already, and stay as they come.
pub fn sort(
    keys: &mut [u64],
    scratch: &mut [u64],
    once: bool,
    by_source: bool,
) -> Result<usize, GraphError> {
    if keys.len() != scratch.len() {
        return Err(GraphError::Arrays(format!(
            "scratch: expected the {} places of the keys, got {}",
            keys.len(),
            scratch.len()
        )));
    }
    // bits in which all keys agree need no pass
    let (all, any) = keys
        .iter()
        .fold((u64::MAX, 0), |(all, any), key| (all & key, any | key));
    let mut differing = if keys.is_empty() { 0 } else { all ^ any };
    if by_source {
        differing &= u64::MAX << 32;
    }
    let (mut from, mut to) = (&mut *keys, &mut *scratch);
    let mut is_swapped = false;
    for (shift, width) in digits(differing) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << width) - 1);
        let mut places = [0usize; 1 << MAX_DIGIT];
        for &key in from.iter() {
            places[digit(key)] += 1;
        }
        let mut begin = 0;
        for place in &mut places {
            begin += std::mem::replace(place, begin);
        }
        for &key in from.iter() {
            let place = &mut places[digit(key)];
            to[*place] = key;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
        is_swapped = !is_swapped;
    }
    if is_swapped {
        to.copy_from_slice(from);
    }
    if !once || keys.is_empty() {
        return Ok(keys.len());
    }
    let mut kept = 1;
    for place in 1..keys.len() {
        let key = keys[place];
        keys[kept] = key;
        kept += usize::from(key != keys[kept - 1]);
    }
    Ok(kept)
}

/// The rows of the nodes from `first` to before `end`, of sorted keys that begin there; for each arc how many keys it
/// was, if asked for.
pub fn to_rows(
    keys: &[u64],
    first: usize,
    end: usize,
    with_counts: bool,
) -> Result<(bvgraph::Rows, Vec<u32>), GraphError> {
    let inside = |key: u64| (first..end).contains(&((key >> 32) as usize));
    if first > end || !keys.iter().all(|&key| inside(key)) || !keys.is_sorted() {
        return Err(GraphError::Arrays(format!(
            "keys: expected sorted arcs of the nodes {first} to {end}"
        )));
    }
    let (mut offsets, mut targets): Rows = (
        Vec::with_capacity(end - first + 1),
        Vec::with_capacity(keys.len()),
    );
    let mut counts: Vec<u32> = Vec::with_capacity(if with_counts { keys.len() } else { 0 });
    offsets.push(0);
    let mut before = None;
    for &key in keys {
        if before == Some(key) {
            if let Some(count) = counts.last_mut() {
                *count = count.saturating_add(1);
            }
            continue;
        }
        before = Some(key);
        let source = (key >> 32) as usize - first;
        while offsets.len() <= source {
            offsets.push(targets.len() as u64);
        }
        targets.push(key as u32);
        if with_counts {
            counts.push(1);
        }
    }
    offsets.resize(end - first + 1, targets.len() as u64);
    Ok(((offsets, targets), counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_sorted_as_numbers_are(
            keys in prop::collection::vec(prop_oneof![0u64..99, any::<u64>(), (0u64..9).prop_map(|n| n << 40)], 0..300),
            once: bool,
        ) {
            let mut wanted = keys.clone();
            wanted.sort_unstable();
            if once {
                wanted.dedup();
            }
            let mut found = keys;
            let mut scratch = vec![0; found.len()];
            let length = sort(&mut found, &mut scratch, once, false).unwrap();
            prop_assert_eq!(&found[..length], &wanted[..]);
        }
    }

    #[test]
    fn rows_have_every_node_and_count_what_comes_again() {
        let keys = [2 << 32 | 5, 2 << 32 | 5, 2 << 32 | 6, 4 << 32];
        let ((offsets, targets), counts) = to_rows(&keys, 1, 6, true).unwrap();
        assert_eq!(offsets, [0, 0, 2, 2, 3, 3]);
        assert_eq!((targets, counts), (vec![5, 6, 0], vec![2, 1, 1]));
        assert!(to_rows(&keys, 3, 6, false).is_err());
        assert!(to_rows(&keys, 0, 4, false).is_err());
    }
}
