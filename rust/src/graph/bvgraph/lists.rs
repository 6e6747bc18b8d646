//! The lists of a BVGraph, decoded from untrusted bits.
//!
//! A list is its outdegree d; if d > 0 and there is a window, a reference r (0 for none) to the list of node − r; with a
//! reference, the number of blocks and their lengths (the first as it is, the others less 1), alternately copied from and
//! left out of that list, what is behind the last block being copied if their number is even; if successors are missing
//! and there are intervals at all, the number of intervals, each with its start (the first relative to the node, as an
//! integer; the others to the end of the one before, less 1) and its length less the minimum; then the residuals, the
//! first relative to the node, the others as gaps less 1.

use crate::bits::cursor::Damage;
use dsi_bitstream::prelude::{
    BE, BitRead, BitSeek, BufBitReader, Codes, FuncCodeReader, GammaRead, MemWordReader,
    StaticCodeRead, ToInt, ZetaRead,
};
use std::ops::Range;

pub type Bits<'a> = BufBitReader<BE, MemWordReader<u32, &'a [u32]>>;

const DISORDER: Damage = "successors are not in order";

type Code<'a> = FuncCodeReader<BE, Bits<'a>>;

/// How lists are coded: what `.properties` say that matters to a reader.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Of outdegrees, references, blocks, intervals and residuals.
    pub codes: [Codes; 5],
    /// How far back a reference may lead.
    pub window: usize,
    /// The length of the shortest interval; 0 if there are none.
    pub min_interval: usize,
}

const USUAL: [Codes; 5] = [
    Codes::Gamma,
    Codes::Unary,
    Codes::Gamma,
    Codes::Gamma,
    Codes::Zeta(3),
];

/// The five codes of a file; those of most files are known when this is compiled.
enum Coding<'a> {
    Usual,
    Other([Code<'a>; 5]),
}

/// What lists are made of when they are read in order: successors, or successors with tags below them. Tags come with
/// what is copied, so that they are looked up but once for a successor that many lists have.
pub trait Tags {
    /// How many bits are below a successor.
    const BITS: u32;
    fn tag(&self, successor: u32) -> u32;
}

/// Successors alone.
pub struct Plain;

impl Tags for Plain {
    const BITS: u32 = 0;
    #[inline(always)]
    fn tag(&self, successor: u32) -> u32 {
        successor
    }
}

#[derive(Clone, Copy)]
enum Field {
    Outdegree,
    Reference,
    Block,
    Interval,
    Residual,
}

/// Decodes lists of one graph; keeps its buffers from list to list.
pub struct Lists<'a> {
    bits: Bits<'a>,
    coding: Coding<'a>,
    num_nodes: u64,
    window: u64,
    min_interval: u64,
    copied: Vec<u32>,
    /// Start and end of each interval.
    intervals: Vec<(u64, u64)>,
    /// Intervals and residuals, merged.
    extra: Vec<u32>,
    /// Position, node and outdegree of the lists that the wanted one leads back to.
    chain: Vec<(u64, u64, u64)>,
    /// Lists of the chain: the one before, and the one that is being decoded.
    links: [Vec<u32>; 2],
}

/// The beginning of a list: its outdegree, and how far back the list is that it refers to.
struct Head {
    outdegree: u64,
    reference: u64,
}

impl<'a> Lists<'a> {
    /// None if there is no decoder for one of the codes.
    pub fn new(words: &'a [u32], shape: &Shape, num_nodes: usize) -> Option<Self> {
        let coding = if shape.codes == USUAL {
            Coding::Usual
        } else {
            let [a, b, c, d, e] = shape.codes.map(|code| Code::new(code).ok());
            Coding::Other([a?, b?, c?, d?, e?])
        };
        Some(Self {
            bits: Bits::new(MemWordReader::new(words)),
            coding,
            num_nodes: num_nodes as u64,
            window: shape.window as u64,
            min_interval: shape.min_interval as u64,
            copied: Vec::new(),
            intervals: Vec::new(),
            extra: Vec::new(),
            chain: Vec::new(),
            links: Default::default(),
        })
    }

    #[inline(always)]
    fn read(&mut self, field: Field) -> Result<u64, Damage> {
        let bits = &mut self.bits;
        match (&self.coding, field) {
            (Coding::Usual, Field::Reference) => bits.read_unary(),
            (Coding::Usual, Field::Residual) => bits.read_zeta3(),
            (Coding::Usual, _) => bits.read_gamma(),
            (Coding::Other(codes), field) => StaticCodeRead::read(&codes[field as usize], bits),
        }
        .map_err(|_| "the bits end within a list")
    }

    /// Goes to where a list begins.
    pub fn seek(&mut self, position: u64) -> Result<(), Damage> {
        self.bits
            .set_bit_pos(position)
            .map_err(|_| "a list begins behind the end of the bits")
    }

    /// Where the next list begins, after one was decoded.
    pub fn position(&mut self) -> u64 {
        self.bits.bit_pos().unwrap_or(u64::MAX)
    }

    fn head(&mut self, node: u64) -> Result<Head, Damage> {
        let outdegree = self.read(Field::Outdegree)?;
        if outdegree > self.num_nodes {
            return Err("an outdegree is larger than the number of nodes");
        }
        let mut reference = 0;
        if outdegree > 0 && self.window > 0 {
            reference = self.read(Field::Reference)?;
        }
        if reference > self.window.min(node) {
            return Err("a reference leads out of the window");
        }
        Ok(Head {
            outdegree,
            reference,
        })
    }

    /// The outdegree of the list at a position.
    pub fn outdegree(&mut self, position: u64) -> Result<u64, Damage> {
        self.seek(position)?;
        let outdegree = self.read(Field::Outdegree)?;
        if outdegree > self.num_nodes {
            return Err("an outdegree is larger than the number of nodes");
        }
        Ok(outdegree)
    }

    /// How far back the list is that the one of a node refers to, 0 for none.
    pub fn reference(&mut self, node: u64, position: u64) -> Result<u64, Damage> {
        self.seek(position)?;
        Ok(self.head(node)?.reference)
    }

    /// Appends the successors of a node whose list begins at a position; `offset` tells where those of others do.
    pub fn successors(
        &mut self,
        node: u64,
        position: u64,
        offset: impl Fn(u64) -> u64,
        found: &mut Vec<u32>,
    ) -> Result<(), Damage> {
        self.successors_seen(node, position, offset, found, |_, _, _| Ok(()))
    }

    /// The same; `seen` is told of every list on the way, the one that refers to none first and the wanted one last:
    /// its node, the list that it refers to (which came just before; none is empty) and the list itself.
    pub fn successors_seen(
        &mut self,
        node: u64,
        position: u64,
        offset: impl Fn(u64) -> u64,
        found: &mut Vec<u32>,
        mut seen: impl FnMut(u64, &[u32], &[u32]) -> Result<(), Damage>,
    ) -> Result<(), Damage> {
        let begin = found.len();
        self.seek(position)?;
        let head = self.head(node)?;
        self.copied.clear();
        if head.reference == 0 {
            self.rest(node, head.outdegree, &Plain, found)?;
            return seen(node, &[], &found[begin..]);
        }
        self.chain.clear();
        let position = self.position();
        self.chain.push((position, node, head.outdegree));
        let mut at = node - head.reference;
        loop {
            self.seek(offset(at))?;
            let head = self.head(at)?;
            let position = self.position();
            self.chain.push((position, at, head.outdegree));
            if head.reference == 0 {
                break;
            }
            at -= head.reference;
        }
        let [mut before, mut list] = std::mem::take(&mut self.links);
        // the reader stands behind the head of the last one, which refers to none
        let (_, at, outdegree) = self.chain[self.chain.len() - 1];
        before.clear();
        self.rest(at, outdegree, &Plain, &mut before)?;
        seen(at, &[], &before)?;
        for level in (0..self.chain.len() - 1).rev() {
            let (position, at, outdegree) = self.chain[level];
            self.seek(position)?;
            self.copied.clear();
            self.copy(&before)?;
            if level == 0 {
                self.rest(at, outdegree, &Plain, found)?;
                seen(at, &before, &found[begin..])?;
            } else {
                list.clear();
                self.rest(at, outdegree, &Plain, &mut list)?;
                seen(at, &before, &list)?;
                std::mem::swap(&mut before, &mut list);
            }
        }
        self.links = [before, list];
        Ok(())
    }

    /// Appends the list that begins where the reader stands; `list_of` finds in `found` those of the window. How far
    /// back the list is that it refers to comes out, 0 for none.
    pub fn next(
        &mut self,
        node: u64,
        list_of: impl Fn(u64) -> Range<usize>,
        found: &mut Vec<u32>,
    ) -> Result<u64, Damage> {
        self.next_tagged(node, list_of, &Plain, found)
    }

    /// The same, of successors with tags.
    pub fn next_tagged(
        &mut self,
        node: u64,
        list_of: impl Fn(u64) -> Range<usize>,
        tags: &impl Tags,
        found: &mut Vec<u32>,
    ) -> Result<u64, Damage> {
        let head = self.head(node)?;
        self.copied.clear();
        if head.reference > 0 {
            self.copy(&found[list_of(node - head.reference)])?;
        }
        self.rest(node, head.outdegree, tags, found)?;
        Ok(head.reference)
    }

    /// What is behind the blocks of a list, and those, which are in `copied`.
    fn rest<T: Tags>(
        &mut self,
        node: u64,
        outdegree: u64,
        tags: &T,
        found: &mut Vec<u32>,
    ) -> Result<(), Damage> {
        let mut left = outdegree
            .checked_sub(self.copied.len() as u64)
            .ok_or("more is copied than a list has")?;
        self.intervals.clear();
        if left > 0 && self.min_interval > 0 {
            left = self.find_intervals(node, left)?;
        }
        // nothing is copied into most lists: then these are all
        let extra = if self.copied.is_empty() {
            &mut *found
        } else {
            self.extra.clear();
            &mut self.extra
        };
        let mut intervals = self.intervals.iter().peekable();
        let mut least = 0;
        for nth in 0..left {
            let bits = &mut self.bits;
            let gap = match &self.coding {
                Coding::Usual => bits.read_zeta3(),
                Coding::Other(codes) => {
                    StaticCodeRead::read(&codes[Field::Residual as usize], bits)
                }
            }
            .map_err(|_| "the bits end within a list")?;
            let residual = if nth == 0 {
                node.checked_add_signed(gap.to_int())
            } else {
                gap.checked_add(least)
            }
            .filter(|&residual| residual < self.num_nodes)
            .ok_or("a successor is no node")?;
            while let Some(&(start, end)) = intervals.next_if(|interval| interval.0 <= residual) {
                if end > residual {
                    return Err(DISORDER);
                }
                extra.extend((start as u32..end as u32).map(|successor| tags.tag(successor)));
            }
            extra.push(tags.tag(residual as u32));
            least = residual + 1;
        }
        for &(start, end) in intervals {
            extra.extend((start as u32..end as u32).map(|successor| tags.tag(successor)));
        }
        if self.copied.is_empty() {
            return Ok(());
        }
        merge::<T>(&self.copied, &self.extra, found)
    }

    /// Copies the blocks of a list.
    fn copy(&mut self, before: &[u32]) -> Result<(), Damage> {
        let count = self.read(Field::Block)?;
        let mut from = 0;
        for nth in 0..count {
            let length = self.read(Field::Block)?.saturating_add(u64::from(nth > 0));
            let to = from as u64 + length.min(before.len() as u64);
            if length > before.len() as u64 || to > before.len() as u64 {
                return Err("more is copied than a list has");
            }
            if nth % 2 == 0 {
                self.copied.extend_from_slice(&before[from..to as usize]);
            }
            from = to as usize;
        }
        if count.is_multiple_of(2) {
            self.copied.extend_from_slice(&before[from..]);
        }
        Ok(())
    }

    /// Finds the intervals of a list that lacks `left` successors; how many it lacks then.
    fn find_intervals(&mut self, node: u64, mut left: u64) -> Result<u64, Damage> {
        let count = self.read(Field::Interval)?;
        let mut end = 0;
        for nth in 0..count {
            let gap = self.read(Field::Interval)?;
            let start = if nth == 0 {
                node.checked_add_signed(gap.to_int())
            } else {
                gap.checked_add(end + 1)
            };
            let length = self
                .read(Field::Interval)?
                .saturating_add(self.min_interval);
            left = left
                .checked_sub(length)
                .ok_or("intervals are longer than a list")?;
            let start = start
                .filter(|&start| start < self.num_nodes)
                .ok_or("a successor is no node")?;
            end = start + length;
            if end > self.num_nodes {
                return Err("a successor is no node");
            }
            self.intervals.push((start, end));
        }
        Ok(left)
    }
}

/// Appends two lists in order, merged; they must have nothing in common. The first is usually the longer one, with runs
/// between those of the second, through which the processor guesses its way.
fn merge<T: Tags>(one: &[u32], other: &[u32], found: &mut Vec<u32>) -> Result<(), Damage> {
    found.reserve(one.len() + other.len());
    let mut rest = one.iter().copied().peekable();
    let mut is_disjoint = true;
    for &next in other {
        while let Some(smaller) = rest.next_if(|&first| first < next) {
            found.push(smaller);
        }
        is_disjoint &= rest.peek().map(|first| first >> T::BITS) != Some(next >> T::BITS);
        found.push(next);
    }
    found.extend(rest);
    is_disjoint.then_some(()).ok_or(DISORDER)
}
