//! A BVGraph opened from its files, in memory or mapped.

use super::lists::{Lists, Shape};
use super::pieces::{Piece, gather};
use super::{PERIOD, Rows, with_suffix};
use crate::bits::content::{Content, Mode, header_of};
use crate::bits::cursor::Damage;
use crate::bits::sux_list::SuxList;
use crate::collection::CollectionError;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use dsi_bitstream::prelude::{BE, BufBitReader, GammaRead, MemWordReader};
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use sux::dict::EliasFanoBuilder;
use value_traits::slices::SliceByValue;
use webgraph::graphs::bvgraph::{CompFlags, EF, ef_from_builder, parse_properties};

fn shape_of(flags: &CompFlags) -> Shape {
    Shape {
        codes: [
            flags.outdegrees,
            flags.references,
            flags.blocks,
            flags.intervals,
            flags.residuals,
        ],
        window: flags.compression_window,
        min_interval: flags.min_interval_length,
    }
}

/// Where the list of each node begins, and where the last one ends.
enum Offsets {
    /// `.ef` as the crate writes it.
    Stored(Content<u8>, SuxList),
    Built(Box<EF>),
}

/// Windows up to this are what properties say they are, however few the nodes.
const MOST_BACK: usize = 1 << 16;
/// A place at which there are no bits.
const NOWHERE: u64 = u64::MAX;

impl Offsets {
    #[inline]
    fn get(&self, node: usize) -> u64 {
        match self {
            Self::Stored(bytes, list) => list.get(bytes.as_ref(), node).unwrap_or(NOWHERE),
            Self::Built(offsets) => offsets.index_value(node),
        }
    }
}

pub struct BvGraph {
    path: PathBuf,
    words: Content<u32>,
    offsets: Offsets,
    flags: CompFlags,
    num_nodes: usize,
    num_arcs: u64,
}

/// A node of the graph, and what is wrong with its list.
type Wrong = (usize, Damage);

impl BvGraph {
    /// Opens `basename.graph` and `.properties`; nothing is written. Where lists begin is in `.ef`, or in `.offsets`, or
    /// found by going through them; the meter counts nodes.
    pub fn open(basename: &Path, mode: Mode, meter: &Meter) -> Result<Self, GraphError> {
        let path = with_suffix(basename, ".graph");
        let properties = with_suffix(basename, ".properties");
        std::fs::File::open(&properties)
            .map_err(|error| CollectionError::from_io(&properties, "read", error))?;
        let (num_nodes, num_arcs, mut flags) = parse_properties::<BE>(&properties).map_err(|error| {
            GraphError::Format(format!(
                "{}: these are no properties of a BVGraph that can be read ({error:#}); restore the file",
                properties.display()
            ))
        })?;
        let words = Content::<u32>::read(&path, mode)?;
        let bits = 32 * words.as_ref().len() as u64;
        // an empty list takes a bit
        if num_nodes as u64 > bits || num_nodes > u32::MAX as usize {
            return Err(GraphError::Format(format!(
                "{}: {num_nodes} nodes do not fit into {bits} bits; the file is cut off or {} belongs to another graph",
                path.display(),
                properties.display(),
            )));
        }
        // no reference leads further, and who reads in order sets memory aside for so many lists
        flags.compression_window = flags.compression_window.min(num_nodes.max(MOST_BACK));
        if Lists::new(&[], &shape_of(&flags), num_nodes).is_none() {
            return Err(GraphError::Format(format!(
                "{}: there is no decoder for one of its codes ({flags:?})",
                properties.display()
            )));
        }
        let offsets = match stored_offsets(&with_suffix(basename, ".ef"), mode, num_nodes, bits)? {
            Some(offsets) => offsets,
            None => {
                let gaps = with_suffix(basename, ".offsets");
                let builder = match gaps.is_file() {
                    true => read_gaps(&gaps, num_nodes, bits, meter)?,
                    false => find_lists(&path, words.as_ref(), &flags, num_nodes, meter)?,
                };
                let built = ef_from_builder(builder).map_err(|error| {
                    GraphError::Format(format!("{}: {error:#}", gaps.display()))
                })?;
                Offsets::Built(Box::new(built))
            }
        };
        Ok(Self {
            path,
            words,
            offsets,
            flags,
            num_nodes,
            num_arcs,
        })
    }

    pub fn num_nodes(&self) -> usize {
        self.num_nodes
    }

    pub fn num_arcs(&self) -> u64 {
        self.num_arcs
    }

    pub fn flags(&self) -> &CompFlags {
        &self.flags
    }

    /// Where the lists of a range of nodes begin, and where the last of them ends.
    pub fn places(&self, nodes: Range<usize>) -> Vec<u64> {
        let end = nodes.end.min(self.num_nodes);
        (nodes.start..=end)
            .map(|node| self.offsets.get(node))
            .collect()
    }

    /// Where the list of a node begins.
    #[inline]
    pub fn place(&self, node: usize) -> u64 {
        self.offsets.get(node)
    }

    /// The bits around a place, 0 where there are none.
    #[inline]
    pub fn word(&self, place: u64) -> u32 {
        let words = self.words.as_ref();
        words.get((place / 32) as usize).copied().unwrap_or(0)
    }

    /// A decoder of its lists.
    pub fn lists(&self) -> Lists<'_> {
        Lists::new(self.words.as_ref(), &shape_of(&self.flags), self.num_nodes)
            .expect("the codes are known")
    }

    /// What is said of a node whose list is damaged.
    pub fn damaged(&self, (node, damage): Wrong) -> GraphError {
        GraphError::Format(format!(
            "{}, node {node} at bit {}: {damage}; the file is damaged or its properties are those of another graph",
            self.path.display(),
            self.offsets.get(node)
        ))
    }

    /// Refuses numbers that are no nodes.
    pub fn check(&self, nodes: &[u32]) -> Result<(), GraphError> {
        match nodes.iter().find(|&&node| node as usize >= self.num_nodes) {
            Some(node) => Err(GraphError::Arrays(format!(
                "nodes: expected numbers below the {} nodes of the graph, got {node}",
                self.num_nodes
            ))),
            None => Ok(()),
        }
    }

    /// The successors of one node.
    pub fn successors(&self, node: u32) -> Result<Vec<u32>, GraphError> {
        self.check(&[node])?;
        let mut found = Vec::new();
        let (node, position) = (node as usize, self.place(node as usize));
        self.decode(&mut self.lists(), node, position, &mut found)?;
        Ok(found)
    }

    fn decode(
        &self,
        lists: &mut Lists<'_>,
        node: usize,
        position: u64,
        found: &mut Vec<u32>,
    ) -> Result<(), GraphError> {
        let offset = |node: u64| self.offsets.get(node as usize);
        lists
            .successors(node as u64, position, offset, found)
            .map_err(|damage| self.damaged((node, damage)))
    }

    /// The outdegree of one node.
    pub fn outdegree(&self, node: u32) -> Result<u32, GraphError> {
        self.check(&[node])?;
        let outdegree = self.lists().outdegree(self.offsets.get(node as usize));
        Ok(outdegree.map_err(|damage| self.damaged((node as usize, damage)))? as u32)
    }

    /// The outdegree of each of the nodes.
    pub fn outdegrees(&self, nodes: &[u32], meter: &Meter) -> Result<Vec<u32>, GraphError> {
        self.check(nodes)?;
        let mut found = vec![0; nodes.len()];
        found
            .par_chunks_mut(PERIOD)
            .zip(nodes.par_chunks(PERIOD))
            .try_for_each(|(found, nodes)| {
                meter.advance(nodes.len() as u64)?;
                let mut lists = self.lists();
                for (found, &node) in found.iter_mut().zip(nodes) {
                    let outdegree = lists.outdegree(self.offsets.get(node as usize));
                    *found =
                        outdegree.map_err(|damage| self.damaged((node as usize, damage)))? as u32;
                }
                Ok::<(), GraphError>(())
            })?;
        Ok(found)
    }

    /// The successors of each of the nodes.
    pub fn batch(&self, nodes: &[u32], meter: &Meter) -> Result<Rows, GraphError> {
        self.check(nodes)?;
        let work: Vec<&[u32]> = nodes.chunks(PERIOD).collect();
        self.gather(&work, nodes.len(), |nodes, lists, piece| {
            meter.advance(nodes.len() as u64)?;
            self.each(nodes, lists, |lists, node, position| {
                self.decode(lists, node, position, &mut piece.targets)?;
                piece.ends.push(piece.targets.len() as u64);
                Ok(())
            })
        })
    }

    /// Goes through the lists of the nodes one after the other, without keeping them: how many successors they have, and
    /// their sum.
    pub fn walk(&self, nodes: &[u32]) -> Result<(u64, u64), GraphError> {
        self.check(nodes)?;
        let (mut lists, mut found) = (self.lists(), Vec::new());
        let (mut arcs, mut sum) = (0, 0u64);
        self.each(nodes, &mut lists, |lists, node, position| {
            found.clear();
            self.decode(lists, node, position, &mut found)?;
            arcs += found.len() as u64;
            for &target in &found {
                sum = sum.wrapping_add(target.into());
            }
            Ok(())
        })?;
        Ok((arcs, sum))
    }

    /// Does something with each of the nodes and where its list begins. Some lists are found before the first of them is
    /// decoded, so that the waits for memory overlap.
    #[inline]
    fn each<'a>(
        &self,
        nodes: &[u32],
        lists: &mut Lists<'a>,
        mut act: impl FnMut(&mut Lists<'a>, usize, u64) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let mut positions = [0; AHEAD];
        for nodes in nodes.chunks(AHEAD) {
            let mut seen = 0;
            for (position, &node) in positions.iter_mut().zip(nodes) {
                *position = self.place(node as usize);
                seen ^= self.word(*position);
            }
            std::hint::black_box(seen);
            for (&position, &node) in positions.iter().zip(nodes) {
                act(lists, node as usize, position)?;
            }
        }
        Ok(())
    }

    /// The successors of a range of nodes, read in order.
    pub fn rows(&self, nodes: Range<usize>, meter: &Meter) -> Result<Rows, GraphError> {
        let end = nodes.end.min(self.num_nodes);
        let starts = (nodes.start..end).step_by(4 * PERIOD);
        let work: Vec<Range<usize>> = starts
            .map(|start| start..end.min(start + 4 * PERIOD))
            .collect();
        let num_lists = end.saturating_sub(nodes.start);
        self.gather(&work, num_lists, |nodes, lists, piece| {
            self.read(nodes.clone(), lists, piece, meter)
        })
    }

    fn read(
        &self,
        nodes: Range<usize>,
        lists: &mut Lists<'_>,
        piece: &mut Piece,
        meter: &Meter,
    ) -> Result<(), GraphError> {
        meter.advance(nodes.len() as u64)?;
        // the lists that the first ones may refer to
        let before = nodes.start.saturating_sub(self.flags.compression_window);
        let targets = &mut piece.targets;
        let mut begins = Vec::with_capacity(nodes.end - before + 1);
        for node in before..nodes.start {
            begins.push(targets.len());
            self.decode(lists, node, self.place(node), targets)?;
        }
        piece.skipped = targets.len();
        lists
            .seek(self.offsets.get(nodes.start))
            .map_err(|damage| self.damaged((nodes.start, damage)))?;
        for node in nodes.clone() {
            begins.push(targets.len());
            let list_of = |node: u64| {
                let place = node as usize - before;
                begins[place]..begins[place + 1]
            };
            lists
                .next(node as u64, list_of, targets)
                .map_err(|damage| self.damaged((node, damage)))?;
            piece.ends.push((targets.len() - piece.skipped) as u64);
        }
        // one look for thousands of lists, and it sees places that belong to others
        if lists.position() != self.offsets.get(nodes.end) {
            return Err(self.damaged((
                nodes.end - 1,
                "its list does not end where the next one begins",
            )));
        }
        Ok(())
    }

    /// The successors of a range of nodes, read in order by whoever calls.
    pub fn read_few(&self, nodes: Range<usize>, meter: &Meter) -> Result<Rows, GraphError> {
        let nodes = nodes.start..nodes.end.min(self.num_nodes);
        let num_lists = nodes.len();
        self.gather(&[nodes], num_lists, |nodes, lists, piece| {
            self.read(nodes.clone(), lists, piece, meter)
        })
    }

    /// The same into memory that is used again; the lists begin behind `piece.skipped`.
    pub fn read_again(
        &self,
        nodes: Range<usize>,
        piece: &mut Piece,
        meter: &Meter,
    ) -> Result<(), GraphError> {
        let nodes = nodes.start..nodes.end.min(self.num_nodes);
        piece.ends.clear();
        piece.targets.clear();
        piece.ends.push(0);
        self.read(nodes, &mut self.lists(), piece, meter)
    }

    /// About how many arcs a list has, with some to spare where it is not all of them.
    pub fn mean_list(&self, num_lists: usize) -> f64 {
        let spare = if num_lists < self.num_nodes {
            1.25
        } else {
            1.0
        };
        self.num_arcs as f64 / self.num_nodes.max(1) as f64 * spare
    }

    fn gather<W: Sync>(
        &self,
        work: &[W],
        num_lists: usize,
        decode: impl Fn(&W, &mut Lists<'_>, &mut Piece) -> Result<(), GraphError> + Sync,
    ) -> Result<Rows, GraphError> {
        let mean = self.mean_list(num_lists);
        Ok(gather(work, num_lists, mean, false, || self.lists(), decode)?.0)
    }
}

/// Nodes whose lists are found before the first of them is decoded.
const AHEAD: usize = 64;

/// The bytes with which `.ef` begins: magic, version, and hashes and name of the type.
static HEADER: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| {
    let mut builder = EliasFanoBuilder::new(1, 1);
    builder.push(0);
    header_of(&ef_from_builder(builder).ok()?)
});

/// What `.ef` says; nothing if it is not there or of another version of the crate, since `.offsets` says the same.
fn stored_offsets(
    path: &Path,
    mode: Mode,
    num_nodes: usize,
    bits: u64,
) -> Result<Option<Offsets>, GraphError> {
    let Some(header) = HEADER.as_ref().filter(|_| path.is_file()) else {
        return Ok(None);
    };
    let content = Content::<u8>::read(path, mode)?;
    let bytes: &[u8] = content.as_ref();
    if !bytes.starts_with(header) {
        return Ok(None);
    }
    let refused = |message| GraphError::Format(format!("{}: {message}", path.display()));
    let list = SuxList::find(bytes, header.len()).ok_or_else(|| {
        refused(
            "the file is damaged or cut off; remove it, and it is rebuilt from `.offsets`"
                .to_owned(),
        )
    })?;
    if list.count() != num_nodes + 1 || list.last() > bits {
        return Err(refused(format!(
            "it has places for {} nodes up to bit {}, and the graph has {num_nodes} in {bits} bits; the files belong to \
             different graphs",
            list.count().saturating_sub(1),
            list.last()
        )));
    }
    Ok(Some(Offsets::Stored(content, list)))
}

pub(super) fn read_gaps(
    path: &Path,
    num_nodes: usize,
    bits: u64,
    meter: &Meter,
) -> Result<EliasFanoBuilder<u64>, GraphError> {
    let words = Content::<u32>::read(path, Mode::Map)?;
    let mut reader = BufBitReader::<BE, _>::new(MemWordReader::<u32, _>::new(words.as_ref()));
    let mut builder = EliasFanoBuilder::new(num_nodes + 1, bits);
    let mut offset = 0u64;
    for node in 0..=num_nodes {
        if node.is_multiple_of(PERIOD) {
            meter.advance(PERIOD as u64)?;
        }
        let gap = reader.read_gamma().ok();
        offset = gap.and_then(|gap| offset.checked_add(gap)).filter(|&offset| offset <= bits).ok_or_else(|| {
            GraphError::Format(format!(
                "{}, node {node}: its list would begin behind the {bits} bits of the graph, or is not there; the file \
                 is damaged or belongs to another graph",
                path.display()
            ))
        })?;
        builder.push(offset);
    }
    Ok(builder)
}

/// Goes through all lists to see where each begins.
fn find_lists(
    path: &Path,
    words: &[u32],
    flags: &CompFlags,
    num_nodes: usize,
    meter: &Meter,
) -> Result<EliasFanoBuilder<u64>, GraphError> {
    let mut lists = Lists::new(words, &shape_of(flags), num_nodes).expect("the codes are known");
    let mut builder = EliasFanoBuilder::new(num_nodes + 1, 32 * words.len() as u64);
    let window = flags.compression_window;
    let (mut begins, mut targets): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut first = 0;
    for node in 0..num_nodes {
        let position = lists.position();
        builder.push(position);
        if node.is_multiple_of(PERIOD) {
            meter.advance(PERIOD as u64)?;
            // only the window is needed
            let kept = begins.len().saturating_sub(window);
            let from = begins.get(kept).copied().unwrap_or(targets.len());
            targets.drain(..from);
            begins.drain(..kept);
            begins.iter_mut().for_each(|begin| *begin -= from);
            first += kept;
        }
        begins.push(targets.len());
        let list_of = |node: u64| begins[node as usize - first]..begins[node as usize - first + 1];
        lists.next(node as u64, list_of, &mut targets).map_err(|damage| {
            GraphError::Format(format!(
                "{}, node {node} at bit {position}: {damage}; the file is damaged or its properties are those of \
                 another graph",
                path.display()
            ))
        })?;
    }
    builder.push(lists.position());
    Ok(builder)
}
