//! Rows to `.graph`, `.offsets`, `.properties` and `.ef`, a piece of the nodes at a time.
//!
//! A piece is compressed on its own in memory, with no references to lists of another one, so that pieces can be made at
//! once; a `Joiner` puts their bits one behind the other. The coding is that of the crate `webgraph`, big-endian, as
//! Java's WebGraph reads it. The files get their extensions appended to the basename, so that it may have a dot in it.

use super::read::read_gaps;
use super::{PERIOD, with_suffix};
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use dsi_bitstream::prelude::{
    BE, BitWrite, BufBitReader, BufBitWriter, GammaWrite, MemWordReader, MemWordWriterVec,
    WordAdapter,
};
use epserde::ser::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use webgraph::graphs::bvgraph::{
    BvComp, BvCompZ, CompFlags, CompStats, DynCodesEncoder, OffsetsWriter, ef_from_builder,
};

/// How lists are coded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    pub flags: CompFlags,
    /// Nodes among which references are chosen together, as Zuckerli does; 0 to choose them one list at a time.
    pub together: usize,
}

/// What a compressed graph takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompressedSize {
    pub num_nodes: u64,
    pub num_arcs: u64,
    /// Bits of the file `.graph`.
    pub graph_bits: u64,
    /// Bits of the file `.offsets`.
    pub offsets_bits: u64,
}

/// The lists of some nodes, compressed.
pub struct Piece {
    graph: Vec<u64>,
    gaps: Vec<u8>,
    stats: CompStats,
}

fn refused(error: impl std::fmt::Display) -> GraphError {
    GraphError::Arrays(format!("compressing: {error:#}"))
}

/// Compresses the rows of the nodes from `first` on; the meter counts nodes.
pub fn encode(
    offsets: &[u64],
    targets: &[u32],
    first: usize,
    num_nodes: usize,
    parameters: &Parameters,
    meter: &Meter,
) -> Result<Piece, GraphError> {
    check(offsets, targets, first, num_nodes)?;
    let flags = &parameters.flags;
    let (mut graph, mut gaps) = (Vec::<u64>::new(), Vec::<u8>::new());
    let bits = BufBitWriter::<BE, _>::new(MemWordWriterVec::new(&mut graph));
    let encoder = DynCodesEncoder::new(bits, flags).map_err(refused)?;
    let places = OffsetsWriter::from_write(&mut gaps, false).map_err(refused)?;
    // both compressors of the crate are driven alike, and share no trait
    macro_rules! compressed {
        ($compressor:expr) => {{
            let mut compressor = $compressor;
            for (nth, bounds) in offsets.windows(2).enumerate() {
                if nth.is_multiple_of(PERIOD) {
                    meter.advance(PERIOD.min(offsets.len() - 1 - nth) as u64)?;
                }
                let successors = &targets[bounds[0] as usize..bounds[1] as usize];
                compressor
                    .push(successors.iter().map(|&target| (target as usize, ())))
                    .map_err(refused)?;
            }
            compressor.flush().map_err(refused)?
        }};
    }
    let (window, chain) = (flags.compression_window, flags.max_ref_count);
    let shortest = flags.min_interval_length;
    let stats = match parameters.together {
        0 => compressed!(BvComp::new(
            encoder,
            places,
            window,
            chain,
            shortest,
            first,
            ()
        )),
        together => compressed!(BvCompZ::new(
            encoder,
            places,
            window,
            together,
            chain,
            shortest,
            first,
            ()
        )),
    };
    Ok(Piece { graph, gaps, stats })
}

type Bits = BufBitWriter<BE, WordAdapter<usize, BufWriter<Forgiving>>>;

/// Puts pieces one behind the other in files.
pub struct Joiner {
    basename: PathBuf,
    flags: CompFlags,
    failure: Failure,
    graph: Bits,
    gaps: Bits,
    stats: CompStats,
}

impl Joiner {
    /// Creates `basename.graph` and `.offsets`.
    pub fn create(basename: &Path, flags: CompFlags) -> Result<Self, GraphError> {
        // codes that have no name in `.properties` are refused before the work, not after it
        flags
            .to_properties::<BE>(&CompStats::default())
            .map_err(refused)?;
        let failure = Failure::default();
        let create = |suffix| -> Result<Bits, CollectionError> {
            let file = Forgiving::create(&with_suffix(basename, suffix), &failure)?;
            Ok(BufBitWriter::new(WordAdapter::new(
                BufWriter::with_capacity(1 << 18, file),
            )))
        };
        let (graph, mut gaps) = (create(".graph")?, create(".offsets")?);
        let _ = gaps.write_gamma(0);
        Ok(Self {
            basename: basename.to_owned(),
            flags,
            graph,
            gaps,
            stats: CompStats {
                offsets_written_bits: 1,
                ..Default::default()
            },
            failure,
        })
    }

    /// Appends the lists of the nodes that come next.
    pub fn append(&mut self, piece: &Piece) -> Result<(), GraphError> {
        let mut lists = BufBitReader::<BE, _>::new(MemWordReader::<u64, _>::new(&piece.graph));
        let mut gaps = BufBitReader::<BE, _>::new(WordAdapter::<u32, _>::new(&piece.gaps[..]));
        let (stats, failed) = (piece.stats, |error: String| {
            GraphError::Arrays(format!("joining: {error}"))
        });
        self.graph
            .copy_from(&mut lists, stats.written_bits)
            .map_err(|error| failed(error.to_string()))?;
        self.gaps
            .copy_from(&mut gaps, stats.offsets_written_bits)
            .map_err(|error| failed(error.to_string()))?;
        self.stats += stats;
        Ok(self.failure.raise()?)
    }

    /// Ends the files, and writes `.ef` if wanted and `.properties`; without it there is no graph.
    pub fn finish(mut self, with_ef: bool, meter: &Meter) -> Result<CompressedSize, GraphError> {
        let _ = (
            BitWrite::flush(&mut self.graph),
            BitWrite::flush(&mut self.gaps),
        );
        let (stats, flags, failure) = (self.stats, self.flags, self.failure.clone());
        let (basename, num_nodes) = (self.basename.clone(), stats.num_nodes);
        drop(self);
        failure.raise()?;
        if with_ef {
            write_ef(&basename, &with_suffix(&basename, ".ef"), num_nodes, meter)?;
        }
        let text = flags.to_properties::<BE>(&stats).map_err(refused)?;
        Writer::create(&with_suffix(&basename, ".properties"))?.put(text.as_bytes())?;
        Ok(CompressedSize {
            num_nodes: num_nodes as u64,
            num_arcs: stats.num_arcs,
            graph_bits: stats.written_bits,
            offsets_bits: stats.offsets_written_bits,
        })
    }
}

/// Writes to `path` what `.ef` is by `basename.offsets`; the meter counts nodes.
pub fn write_ef(
    basename: &Path,
    path: &Path,
    num_nodes: usize,
    meter: &Meter,
) -> Result<(), GraphError> {
    let (graph, gaps) = (
        with_suffix(basename, ".graph"),
        with_suffix(basename, ".offsets"),
    );
    let length = std::fs::metadata(&graph)
        .map_err(|error| CollectionError::from_io(&graph, "read", error))?
        .len();
    let places = ef_from_builder(read_gaps(&gaps, num_nodes, 8 * length, meter)?)
        .map_err(|error| GraphError::Format(format!("{}: {error:#}", gaps.display())))?;
    let failure = Failure::default();
    let file = Forgiving::create(path, &failure)?;
    // SAFETY: what epserde writes are the words of vectors, which have no padding
    let written = unsafe { places.serialize(&mut BufWriter::new(file)) };
    failure.raise()?;
    written.map_err(|error| GraphError::Format(format!("{}: {error}", path.display())))?;
    Ok(())
}

/// Refuses arrays that are not the sorted rows of nodes of a graph.
fn check(
    offsets: &[u64],
    targets: &[u32],
    begin: usize,
    num_nodes: usize,
) -> Result<(), GraphError> {
    let refuse = |message: String| Err(GraphError::Arrays(message));
    let Some((&first, &last)) = offsets.first().zip(offsets.last()) else {
        return refuse("offsets: expected one more than there are nodes, got none".to_owned());
    };
    if first != 0 || last != targets.len() as u64 {
        return refuse(format!(
            "offsets: expected them to go from 0 to the {} targets, got {first} to {last}",
            targets.len()
        ));
    }
    for (node, bounds) in (begin..).zip(offsets.windows(2)) {
        if bounds[0] > bounds[1] || bounds[1] > last {
            return refuse(format!(
                "offsets: expected them to grow, got {} and {} at node {node}",
                bounds[0], bounds[1]
            ));
        }
        let row = &targets[bounds[0] as usize..bounds[1] as usize];
        if row.windows(2).any(|pair| pair[0] >= pair[1]) {
            return refuse(format!(
                "targets: expected successors in order and once each, got others at node {node}"
            ));
        }
        if row.last().is_some_and(|&most| most as usize >= num_nodes) {
            return refuse(format!(
                "targets: expected numbers below the {num_nodes} nodes, got others at node {node}"
            ));
        }
    }
    Ok(())
}

/// The first thing that went wrong while writing.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<CollectionError>>>);

impl Failure {
    fn raise(&self) -> Result<(), CollectionError> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.take().map_or(Ok(()), Err)
    }

    fn keep(&self, error: CollectionError) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.get_or_insert(error);
    }
}

/// A writer that keeps its failure to itself: the bit writers of the crate flush when they are dropped, and panic
/// where that fails. Nothing is lost by it, as whoever compresses looks for a failure before the files count.
struct Forgiving {
    writer: Writer,
    failure: Failure,
}

impl Forgiving {
    fn create(path: &Path, failure: &Failure) -> Result<Self, CollectionError> {
        Ok(Self {
            writer: Writer::create(path)?,
            failure: failure.clone(),
        })
    }
}

impl Write for Forgiving {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.writer.put(data) {
            self.failure.keep(error);
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::content::Mode;
    use crate::graph::bvgraph::{BvGraph, Rows};
    use proptest::prelude::*;

    fn rows_of(lists: &[Vec<u32>]) -> Rows {
        let mut offsets = vec![0];
        let mut targets = Vec::new();
        for list in lists {
            targets.extend(list);
            offsets.push(targets.len() as u64);
        }
        (offsets, targets)
    }

    proptest! {
        #[test]
        fn what_is_compressed_in_pieces_comes_back(
            lists in (1usize..60).prop_flat_map(|n| {
                prop::collection::vec(prop::collection::btree_set(0..n as u32, 0..n), n)
            }),
            size in 1usize..60,
            together in 0usize..9,
        ) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|list| list.into_iter().collect()).collect();
            let parameters = Parameters { together, ..Default::default() };
            let folder = tempfile::tempdir().unwrap();
            let basename = folder.path().join("uk.2026");
            let meter = Meter::new();
            let mut joiner = Joiner::create(&basename, parameters.flags).unwrap();
            for (nth, some) in lists.chunks(size).enumerate() {
                let (offsets, targets) = rows_of(some);
                let piece = encode(&offsets, &targets, nth * size, lists.len(), &parameters, &meter);
                joiner.append(&piece.unwrap()).unwrap();
            }
            prop_assert_eq!(meter.done(), lists.len() as u64);
            let found = joiner.finish(true, &meter).unwrap();
            let (offsets, targets) = rows_of(&lists);
            prop_assert_eq!(found.num_arcs, targets.len() as u64);
            let graph = BvGraph::open(&basename, Mode::Load, &meter).unwrap();
            prop_assert_eq!(graph.rows(0..lists.len(), &meter).unwrap(), (offsets, targets));
            let nodes: Vec<u32> = (0..lists.len() as u32).rev().collect();
            let (offsets, targets) = graph.batch(&nodes, &meter).unwrap();
            for (place, &node) in nodes.iter().enumerate() {
                let row = &targets[offsets[place] as usize..offsets[place + 1] as usize];
                prop_assert_eq!(row, &lists[node as usize][..]);
            }
        }
    }
}
