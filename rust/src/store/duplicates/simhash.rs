//! Simhashes (STORE; Charikar 2002), and all pairs of them within a Hamming distance by permuted tables (Manku et al.).

use crate::collection::Result;
use crate::collection::progress::Meter;
use rayon::prelude::*;

/// The sign, per bit, of the sum of the hashes of all words, each bit counted as 1 or −1; 0 where there is none.
pub fn simhash(hashes: &[u64]) -> u64 {
    let mut ones = [0_u32; 64];
    for hashes in hashes.chunks(255) {
        // the counts of all bits at once, each a number whose digits stand in eight words
        let mut digits = [0_u64; 8];
        for &hash in hashes {
            let mut carry = hash;
            for digit in &mut digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        for (bit, count) in ones.iter_mut().enumerate() {
            let digits = digits.iter().rev();
            *count += digits.fold(0, |sum, digit| 2 * sum + (digit >> bit & 1) as u32);
        }
    }
    let is_set = |&bit: &usize| 2 * ones[bit] as usize > hashes.len();
    (0..64).filter(is_set).map(|bit| 1 << bit).sum()
}

/// All pairs of places whose simhashes differ in at most `k` bits, the smaller place first, sorted.
///
/// `blocks` cut the bits into more than k parts. Two that differ in k bits agree in all but k blocks, so for each choice of
/// the others the simhashes are sorted by them, and those that agree are compared. A pair is taken in the first table
/// that has it and in no other. Memory: 16 bytes a simhash and 8 a pair; the meter counts simhashes, table by table.
pub fn close_pairs(
    simhashes: &[u64],
    k: u32,
    blocks: &[u64],
    meter: &Meter,
) -> Result<Vec<(u32, u32)>> {
    let size = blocks.len() - k as usize;
    let mut entries: Vec<(u64, u32)> = simhashes.iter().copied().zip(0..).collect();
    let mut pairs = Vec::new();
    for chosen in subsets(blocks.len(), size) {
        let member = |place: usize| chosen >> place & 1 == 1;
        let mask = (0..blocks.len()).filter(|&place| member(place));
        let mask = mask.fold(0, |mask, place| mask | blocks[place]);
        entries.par_sort_unstable_by_key(|entry| entry.0 & mask);
        let is_first = |difference: u64| {
            let agreeing = (0..blocks.len()).filter(|&place| difference & blocks[place] == 0);
            agreeing.take(size).all(member)
        };
        let lists = entries.par_chunk_by(|a, b| (a.0 ^ b.0) & mask == 0);
        let found: Vec<Vec<(u32, u32)>> = lists
            .filter(|list| list.len() > 1)
            .map(|list| {
                let mut found = Vec::new();
                for (place, a) in list.iter().enumerate() {
                    meter.advance(0)?;
                    for b in &list[place + 1..] {
                        let difference = a.0 ^ b.0;
                        if difference.count_ones() <= k && is_first(difference) {
                            found.push((a.1.min(b.1), a.1.max(b.1)));
                        }
                    }
                }
                Ok(found)
            })
            .filter(|found| found.as_ref().map_or(true, |found| !found.is_empty()))
            .collect::<Result<_>>()?;
        pairs.extend(found.into_iter().flatten());
        meter.advance(simhashes.len() as u64)?;
    }
    pairs.par_sort_unstable();
    Ok(pairs)
}

/// All sets of `size` of the first `count` numbers, as bits; each is the next larger number with as many bits.
fn subsets(count: usize, size: usize) -> impl Iterator<Item = u128> {
    let next = |&set: &u128| {
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        Some(carried | ((set ^ carried) / lowest) >> 2)
    };
    std::iter::successors(Some((1_u128 << size) - 1), next).take_while(move |set| set >> count == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLOCKS: [u64; 4] = [0xffff, 0xffff << 16, 0xffff << 32, 0xffff << 48];

    proptest! {
        #[test]
        fn all_close_pairs_are_found_once(
            values in proptest::collection::vec(prop_oneof![any::<u64>(), 0_u64..32, (0_u64..32).prop_map(|n| n << 59)], 0..30),
            k in 0_u32..4,
        ) {
            let found = close_pairs(&values, k, &BLOCKS, &Meter::new()).unwrap();
            let mut expected = Vec::new();
            for a in 0..values.len() {
                for b in a + 1..values.len() {
                    if (values[a] ^ values[b]).count_ones() <= k {
                        expected.push((a as u32, b as u32));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_bit_is_set_where_more_hashes_have_it_than_not() {
        assert_eq!(simhash(&[0b110, 0b011, 0b010]), 0b010);
        assert_eq!(simhash(&[0b11, 0b01]), 0b01);
        assert_eq!(simhash(&[]), 0);
    }
}
