//! Labels of arcs as WebGraph's `BitStreamArcLabelledImmutableGraph` stores them.
//!
//! Bits are big-endian within bytes, as in a BVGraph. `.labels` has the labels of all arcs in the order of the lists,
//! without anything between them; `.labeloffsets` where the labels of each node begin and where the last ones end, as
//! gaps in γ, the first of which is 0. A label is a number in γ (`GammaCodedIntLabel`), a number of a fixed width
//! (`FixedWidthIntLabel`), or a length in γ and as many numbers of a fixed width (`FixedWidthIntListLabel`).

use super::GraphError;

/// How a label is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Gamma,
    Fixed(u32),
    List(u32),
}

/// Labels of some arcs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Labels {
    pub values: Vec<u64>,
    /// How many values each label has, of lists only.
    pub lengths: Vec<u32>,
    /// The bit behind the last label.
    pub end: u64,
}

struct Bits<'a> {
    bytes: &'a [u8],
    place: u64,
}

impl Bits<'_> {
    /// The next bits at the top of a word, at least 57 of them; 0 beyond the end.
    fn peek(&self) -> u64 {
        let start = (self.place / 8) as usize;
        let shift = (self.place % 8) as u32;
        let mut word = [0; 8];
        if let Some(rest) = self.bytes.get(start..) {
            let length = rest.len().min(8);
            word[..length].copy_from_slice(&rest[..length]);
        }
        u64::from_be_bytes(word) << shift
    }

    fn skip(&mut self, bits: u64) -> Result<(), GraphError> {
        self.place += bits;
        if self.place > 8 * self.bytes.len() as u64 {
            return Err(GraphError::Format(format!(
                "bit {}: expected more labels, got the end of the file",
                8 * self.bytes.len()
            )));
        }
        Ok(())
    }

    fn number(&mut self, width: u32) -> Result<u64, GraphError> {
        let mut found = 0;
        let mut left = width;
        while left > 0 {
            let some = left.min(56);
            found = (found << some) | (self.peek() >> (64 - some));
            self.skip(u64::from(some))?;
            left -= some;
        }
        Ok(found)
    }

    fn gamma(&mut self) -> Result<u64, GraphError> {
        let begin = self.place;
        let mut zeros = 0;
        loop {
            let here = self.peek().leading_zeros().min(56);
            self.skip(u64::from(here))?;
            zeros += here;
            if here < 56 {
                break;
            }
            if zeros > 63 {
                return Err(GraphError::Format(format!(
                    "bit {begin}: expected a number in γ, got more than 63 zeros"
                )));
            }
        }
        if zeros > 63 {
            return Err(GraphError::Format(format!(
                "bit {begin}: expected a number in γ, got more than 63 zeros"
            )));
        }
        self.skip(1)?;
        Ok(((1 << zeros) | self.number(zeros)?) - 1)
    }
}

/// The labels of `count` arcs, from a bit on.
pub fn read(bytes: &[u8], start: u64, count: usize, kind: Kind) -> Result<Labels, GraphError> {
    let mut bits = Bits {
        bytes,
        place: start,
    };
    // each label has a bit, unless numbers have no width; a count that is too large is found at the end of the file
    let expected = count.min(8 * bytes.len() + 1);
    let mut found = Labels {
        values: Vec::with_capacity(expected),
        ..Labels::default()
    };
    for _ in 0..count {
        match kind {
            Kind::Gamma => found.values.push(bits.gamma()?),
            Kind::Fixed(width) => found.values.push(bits.number(width)?),
            Kind::List(width) => {
                let length = u32::try_from(bits.gamma()?).map_err(|_| {
                    GraphError::Format(format!("bit {}: a list is too long", bits.place))
                })?;
                if width > 0 && u64::from(length) * u64::from(width) > 8 * bytes.len() as u64 {
                    return Err(GraphError::Format(format!(
                        "bit {}: expected a list of {length} numbers, got the end of the file",
                        bits.place
                    )));
                }
                found.lengths.push(length);
                if width > 0 {
                    for _ in 0..length {
                        found.values.push(bits.number(width)?);
                    }
                }
            }
        }
    }
    found.end = bits.place;
    Ok(found)
}

/// Where the labels of each of the nodes begin, and where the last ones end.
pub fn read_offsets(bytes: &[u8], num_nodes: usize) -> Result<Vec<u64>, GraphError> {
    let mut bits = Bits { bytes, place: 0 };
    let mut found = Vec::with_capacity(num_nodes.min(8 * bytes.len()) + 1);
    let mut place = 0u64;
    for _ in 0..=num_nodes {
        place = place
            .checked_add(bits.gamma()?)
            .ok_or_else(|| GraphError::Format("an offset has more than 64 bits".to_owned()))?;
        found.push(place);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits written as text.
    fn bytes(text: &str) -> Vec<u8> {
        let bits: Vec<u8> = text
            .bytes()
            .filter(|b| *b != b' ')
            .map(|b| b - b'0')
            .collect();
        bits.chunks(8)
            .map(|some| {
                some.iter()
                    .enumerate()
                    .fold(0, |byte, (place, bit)| byte | (bit << (7 - place)))
            })
            .collect()
    }

    #[test]
    fn labels_are_read_as_java_writes_them() {
        // 0, 1 and 5 in γ
        let gammas = bytes("1 010 00110");
        assert_eq!(read(&gammas, 0, 3, Kind::Gamma).unwrap().values, [0, 1, 5]);
        assert_eq!(read(&gammas, 1, 2, Kind::Gamma).unwrap().end, 9);
        let fixed = bytes("101 011");
        assert_eq!(read(&fixed, 0, 2, Kind::Fixed(3)).unwrap().values, [5, 3]);
        // a list of two, and an empty one
        let lists = bytes("011 101 011 1");
        let found = read(&lists, 0, 2, Kind::List(3)).unwrap();
        assert_eq!(
            (found.values, found.lengths, found.end),
            (vec![5, 3], vec![2, 0], 10)
        );
    }

    #[test]
    fn offsets_are_sums_of_gaps() {
        assert_eq!(read_offsets(&bytes("1 010 00110"), 2).unwrap(), [0, 1, 6]);
    }

    #[test]
    fn what_ends_too_early_is_an_error() {
        assert!(read(&[0], 0, 1, Kind::Gamma).is_err());
        assert!(read(&[0; 40], 0, 1, Kind::Gamma).is_err());
        assert!(read(&[255], 0, 9, Kind::Gamma).is_err());
        assert!(read(&bytes("0001111"), 0, 1, Kind::List(31)).is_err());
        assert!(read_offsets(&[255], 9).is_err());
        assert!(read(&[], 0, usize::MAX, Kind::Gamma).is_err());
    }
}
