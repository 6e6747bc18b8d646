//! Targets without tags, moved together.

use super::super::runs::{AWAY, LOST, TAG_BITS};

const TAGS: u32 = AWAY | LOST;

/// Puts the targets of a list that have no tag into `found`, which has room for all of them; how many these are.
pub fn pack(tagged: &[u32], found: &mut [u32]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has what the function asks for
        return unsafe { lanes::pack(tagged, found) };
    }
    pack_each(tagged, found)
}

/// Each is put where it would stand, and the next one in its place if it is not kept.
fn pack_each(tagged: &[u32], found: &mut [u32]) -> usize {
    let mut number = 0;
    for &target in tagged {
        found[number] = target >> TAG_BITS;
        number += usize::from(target & TAGS == 0);
    }
    number
}

/// Four at a time, since one by one takes a third as long as to decode a list.
#[cfg(target_arch = "x86_64")]
mod lanes {
    use super::{TAG_BITS, TAGS, pack_each};
    use std::arch::x86_64::{
        _mm_and_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_cvtsi128_si64, _mm_movemask_ps,
        _mm_set_epi32, _mm_set_epi64x, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8,
        _mm_srli_epi32, _mm_unpackhi_epi64,
    };

    const WIDTH: usize = 4;

    /// For each set of four, the bytes that move to the front, lowest first.
    const MOVES: [[i64; 2]; 1 << WIDTH] = {
        let mut moves = [[0; 2]; 1 << WIDTH];
        let mut set = 0;
        while set < moves.len() {
            let (mut place, mut to) = (0, 0);
            while place < WIDTH {
                if set >> place & 1 == 1 {
                    let bytes = 0x0302_0100 + 0x0404_0404 * place as i64;
                    moves[set][to / 2] |= bytes << (32 * (to % 2));
                    to += 1;
                }
                place += 1;
            }
            set += 1;
        }
        moves
    };

    #[target_feature(enable = "ssse3,popcnt")]
    pub fn pack(tagged: &[u32], found: &mut [u32]) -> usize {
        let mut number = 0;
        let (chunks, rest) = tagged.as_chunks::<WIDTH>();
        let (tags, none) = (_mm_set1_epi32(TAGS as i32), _mm_setzero_si128());
        for chunk in chunks {
            let [a, b, c, d] = chunk.map(|target| target as i32);
            let four = _mm_set_epi32(d, c, b, a);
            let is_kept = _mm_cmpeq_epi32(_mm_and_si128(four, tags), none);
            let set = _mm_movemask_ps(_mm_castsi128_ps(is_kept)) as usize % MOVES.len();
            let moves = _mm_set_epi64x(MOVES[set][1], MOVES[set][0]);
            let four = _mm_shuffle_epi8(_mm_srli_epi32::<{ TAG_BITS as i32 }>(four), moves);
            let low = _mm_cvtsi128_si64(four);
            let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(four, four));
            if let Some(found) = found[number..].first_chunk_mut::<WIDTH>() {
                *found = [low, low >> 32, high, high >> 32].map(|target| target as u32);
            }
            number += set.count_ones() as usize;
        }
        number + pack_each(rest, &mut found[number..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_has_no_tag_is_kept_in_order(
            arcs in prop::collection::vec((0u32..1 << 30, 0u32..4), 0..40),
        ) {
            let tagged: Vec<u32> = arcs.iter().map(|(target, tag)| target << TAG_BITS | tag).collect();
            let kept = arcs.iter().filter(|(_, tag)| *tag == 0);
            let expected: Vec<u32> = kept.map(|(target, _)| *target).collect();
            for pack in [pack, pack_each] {
                let mut found = vec![0; tagged.len()];
                let number = pack(&tagged, &mut found);
                prop_assert_eq!(&found[..number], &expected[..]);
            }
        }
    }
}
