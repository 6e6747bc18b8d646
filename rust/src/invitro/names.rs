//! Names of domains, folders and files: syllables that carry a number, so that a name can be read back.

use super::draw::{Permutation, hash};

const CONSONANTS: &[u8; 16] = b"bcdfghklmnprstvz";
const VOWELS: &[u8; 4] = b"aeio";
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

const SUFFIXES_UK: [&str; 8] = [
    "co.uk", "co.uk", "co.uk", "co.uk", "org.uk", "ac.uk", "me.uk", "gov.uk",
];
const SUFFIXES: [&str; 8] = ["com", "com", "com", "org", "net", "edu", "info", "com.au"];
const SUFFIXES_FOREIGN: [&str; 4] = ["de", "fr", "ru", "de"];

/// The syllable for six bits.
#[inline]
fn syllable(six_bits: u64) -> [u8; 2] {
    [
        CONSONANTS[(six_bits >> 2 & 15) as usize],
        VOWELS[(six_bits & 3) as usize],
    ]
}

fn syllable_value(pair: &[u8]) -> Option<u64> {
    let consonant = CONSONANTS.iter().position(|c| *c == pair[0])? as u64;
    let vowel = VOWELS.iter().position(|v| *v == pair[1])? as u64;
    Some(consonant << 2 | vowel)
}

/// A word of two or three syllables for a draw.
#[inline]
pub fn push_word(out: &mut Vec<u8>, draw: u64) {
    let ([a, b], [c, d], [e, f]) = (syllable(draw), syllable(draw >> 6), syllable(draw >> 12));
    // all three at once, and the last one off again: faster than one by one
    let end = out.len() + if draw >> 62 & 1 == 0 { 4 } else { 6 };
    out.extend_from_slice(&[a, b, c, d, e, f]);
    out.truncate(end);
}

/// A number in base 36.
pub fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 13];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = DIGITS[(number % 36) as usize];
        number /= 36;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[place..]);
}

/// The number that a text in base 36 stands for.
pub fn read_number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 12 {
        return None;
    }
    text.iter().try_fold(0u64, |number, digit| {
        let value = DIGITS.iter().position(|d| d == digit)? as u64;
        Some(number * 36 + value)
    })
}

/// Labels of registered domains: a keyed bijection between (domain, incarnation) and syllables.
#[derive(Clone, Debug)]
pub struct DomainNames {
    key: u64,
    bits: u32,
    permutation: Permutation,
    uk_share: f64,
    foreign_share: f64,
}

impl DomainNames {
    const INCARNATIONS: u64 = 64;

    pub fn new(key: u64, domains: u64, uk_share: f64, foreign_share: f64) -> Self {
        let needed = 64 - (domains * Self::INCARNATIONS).leading_zeros();
        let bits = needed.div_ceil(6).max(4) * 6;
        Self {
            key,
            bits,
            permutation: Permutation::new(key, bits),
            uk_share,
            foreign_share,
        }
    }

    fn draw(&self, domain: u64, incarnation: u32) -> u64 {
        hash(
            self.key,
            domain * Self::INCARNATIONS + u64::from(incarnation),
        )
    }

    /// Appends `label.suffix`, for example `tavo-melu7.co.uk`.
    pub fn push(&self, out: &mut Vec<u8>, domain: u64, incarnation: u32) {
        let code = self
            .permutation
            .apply(domain * Self::INCARNATIONS + u64::from(incarnation));
        let draw = self.draw(domain, incarnation);
        let syllables = self.bits / 6;
        for place in 0..syllables {
            if place == syllables / 2 && draw & 7 == 0 {
                out.push(b'-');
            }
            out.extend_from_slice(&syllable(code >> (6 * (syllables - 1 - place))));
        }
        out.push(b'0' + (draw >> 3 & 7) as u8);
        out.push(b'.');
        out.extend_from_slice(self.suffix(domain, incarnation).as_bytes());
    }

    pub fn suffix(&self, domain: u64, incarnation: u32) -> &'static str {
        let draw = self.draw(domain, incarnation);
        let place = super::draw::unit(draw.rotate_left(24));
        let choice = (draw >> 8) as usize;
        if place < self.uk_share {
            SUFFIXES_UK[choice % SUFFIXES_UK.len()]
        } else if place < self.uk_share + self.foreign_share {
            SUFFIXES_FOREIGN[choice % SUFFIXES_FOREIGN.len()]
        } else {
            SUFFIXES[choice % SUFFIXES.len()]
        }
    }

    /// Domain and incarnation of a registered domain, if it is one of ours; whether it exists now is another question.
    pub fn read(&self, registered: &[u8]) -> Option<(u64, u32)> {
        let label = registered.split(|byte| *byte == b'.').next()?;
        let letters: Vec<u8> = label
            .iter()
            .copied()
            .filter(|byte| byte.is_ascii_lowercase())
            .collect();
        if letters.len() != self.bits as usize / 3 {
            return None;
        }
        let code = letters
            .chunks_exact(2)
            .try_fold(0, |code, pair| Some(code << 6 | syllable_value(pair)?))?;
        let number = self.permutation.invert(code);
        let found = (
            number / Self::INCARNATIONS,
            (number % Self::INCARNATIONS) as u32,
        );
        let mut name = Vec::with_capacity(registered.len());
        self.push(&mut name, found.0, found.1);
        (name == registered).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_domain_can_be_read_from_its_name(key: u64, domain in 0u64..5_000_000, incarnation in 0u32..64) {
            let names = DomainNames::new(key, 5_000_000, 0.3, 0.2);
            let mut name = Vec::new();
            names.push(&mut name, domain, incarnation);
            prop_assert_eq!(names.read(&name), Some((domain, incarnation)));
        }

        #[test]
        fn a_number_can_be_read_back(number in 0u64..1 << 60) {
            let mut text = Vec::new();
            push_number(&mut text, number);
            prop_assert_eq!(read_number(&text), Some(number));
        }

        #[test]
        fn any_text_is_read_or_refused(text: Vec<u8>) {
            let names = DomainNames::new(1, 1000, 0.3, 0.2);
            let _ = names.read(&text);
            let _ = read_number(&text);
        }
    }
}
