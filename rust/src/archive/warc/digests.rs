//! SHA-1 of a payload and of the block that it ends.
//!
//! Both digests run through the same bytes, and a processor with instructions for SHA-1 is idle most of the time, each
//! step being one that waits for the last: with two states side by side the second one costs half.

use sha1::{Digest, Sha1};

/// SHA-1 of pieces that follow each other: the digest of payloads and blocks.
pub fn sha1(pieces: &[&[u8]]) -> [u8; 20] {
    let mut digest = Sha1::new();
    pieces.iter().for_each(|piece| digest.update(piece));
    digest.finalize().into()
}

/// SHA-1 of `body`, and of `head` with `body` behind it.
pub fn sha1_pair(head: &[u8], body: &[u8]) -> [[u8; 20]; 2] {
    #[cfg(target_arch = "x86_64")]
    if body.len() >= 256 && is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1") {
        // Safety: the processor has the instructions.
        return unsafe { lanes::sha1_pair(head, body) };
    }
    [sha1(&[body]), sha1(&[head, body])]
}

#[cfg(target_arch = "x86_64")]
mod lanes {
    use std::arch::x86_64::*;

    const BLOCK: usize = 64;

    /// The five words of a state, and the first four of them four rounds ago.
    #[derive(Clone, Copy)]
    struct State {
        abcd: __m128i,
        e: __m128i,
        earlier: __m128i,
    }

    #[target_feature(enable = "sha,sse2,sse4.1")]
    pub fn sha1_pair(head: &[u8], body: &[u8]) -> [[u8; 20]; 2] {
        let mut block = [start()];
        let (whole, rest) = head.as_chunks::<BLOCK>();
        for bytes in whole {
            compress(&mut block, [bytes]);
        }
        // the first bytes of the body fill the last block of the head, and behind them both go side by side
        let mut filled = 0;
        if !rest.is_empty() {
            filled = BLOCK - rest.len();
            let mut bytes = [0; BLOCK];
            bytes[..rest.len()].copy_from_slice(rest);
            bytes[rest.len()..].copy_from_slice(&body[..filled]);
            compress(&mut block, [&bytes]);
        }
        let mut both = [start(), block[0]];
        let (of_payload, payload_rest) = body.as_chunks::<BLOCK>();
        let (of_block, block_rest) = body[filled..].as_chunks::<BLOCK>();
        for (first, second) in of_payload.iter().zip(of_block) {
            compress(&mut both, [first, second]);
        }
        let [payload, block] = both;
        let mut payload = [payload];
        for bytes in &of_payload[of_block.len()..] {
            compress(&mut payload, [bytes]);
        }
        let length = head.len() + body.len();
        [
            finish(payload, payload_rest, body.len()),
            finish([block], block_rest, length),
        ]
    }

    #[target_feature(enable = "sha,sse2,sse4.1")]
    fn start() -> State {
        let word = |word: u32| word as i32;
        let abcd = _mm_set_epi32(
            word(0x6745_2301),
            word(0xefcd_ab89),
            word(0x98ba_dcfe),
            word(0x1032_5476),
        );
        State {
            abcd,
            e: _mm_set_epi32(word(0xc3d2_e1f0), 0, 0, 0),
            earlier: abcd,
        }
    }

    /// Takes a block into each of some states.
    #[target_feature(enable = "sha,sse2,sse4.1")]
    fn compress<const N: usize>(states: &mut [State; N], blocks: [&[u8; BLOCK]; N]) {
        let before = *states;
        let mut words = blocks.map(|block| {
            let halves = block.as_chunks::<8>().0;
            let half = |place: usize| u64::from_be_bytes(halves[place]) as i64;
            [0, 2, 4, 6].map(|place| _mm_set_epi64x(half(place), half(place + 1)))
        });
        twenty_rounds::<0, N>(states, &mut words);
        twenty_rounds::<1, N>(states, &mut words);
        twenty_rounds::<2, N>(states, &mut words);
        twenty_rounds::<3, N>(states, &mut words);
        for (state, before) in states.iter_mut().zip(before) {
            state.e = _mm_sha1nexte_epu32(state.earlier, before.e);
            state.abcd = _mm_add_epi32(state.abcd, before.abcd);
        }
    }

    /// Five times four of the rounds that have the same function.
    #[target_feature(enable = "sha,sse2,sse4.1")]
    #[inline]
    fn twenty_rounds<const FUNCTION: i32, const N: usize>(
        states: &mut [State; N],
        words: &mut [[__m128i; 4]; N],
    ) {
        for step in 0..5 {
            let group = FUNCTION as usize * 5 + step;
            for (state, words) in states.iter_mut().zip(words.iter_mut()) {
                let word = |later: usize| words[(group + later) % 4];
                let mut next = word(0);
                if group >= 4 {
                    next = _mm_xor_si128(_mm_sha1msg1_epu32(next, word(1)), word(2));
                    next = _mm_sha1msg2_epu32(next, word(3));
                    words[group % 4] = next;
                }
                let e = match group {
                    0 => _mm_add_epi32(state.e, next),
                    _ => _mm_sha1nexte_epu32(state.earlier, next),
                };
                state.earlier = state.abcd;
                state.abcd = _mm_sha1rnds4_epu32::<FUNCTION>(state.abcd, e);
            }
        }
    }

    /// The digest, once the bytes of the last block that is not whole and the length of all are taken in.
    #[target_feature(enable = "sha,sse2,sse4.1")]
    fn finish(mut state: [State; 1], rest: &[u8], length: usize) -> [u8; 20] {
        let mut last = [0; 2 * BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 0x80;
        let end = if rest.len() < BLOCK - 8 {
            BLOCK
        } else {
            2 * BLOCK
        };
        last[end - 8..end].copy_from_slice(&(length as u64 * 8).to_be_bytes());
        for bytes in last[..end].as_chunks::<BLOCK>().0 {
            compress(&mut state, [bytes]);
        }
        let [State { abcd, e, .. }] = state;
        let words = [
            _mm_extract_epi32::<3>(abcd),
            _mm_extract_epi32::<2>(abcd),
            _mm_extract_epi32::<1>(abcd),
            _mm_extract_epi32::<0>(abcd),
            _mm_extract_epi32::<3>(e),
        ];
        let mut digest = [0; 20];
        for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_be_bytes();
        }
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_digests_at_once_are_those_of_each_alone(
            head in proptest::collection::vec(any::<u8>(), 0..200),
            body in proptest::collection::vec(any::<u8>(), 0..900)
        ) {
            let alone = [sha1(&[&body]), sha1(&[&head, &body])];
            prop_assert_eq!(sha1_pair(&head, &body), alone);
        }
    }
}
