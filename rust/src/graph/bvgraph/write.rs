//! A graph in compressed sparse rows to `.graph`, `.offsets` and `.properties`.
//!
//! The coding is that of the crate `webgraph` with its defaults: window 7, reference chains of at most 3, intervals of
//! at least 4, residuals in ζ₃, big-endian, as Java's WebGraph reads it. The files get their extensions appended to the
//! basename, so that it may have a dot in it.

use super::{PERIOD, with_suffix};
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use dsi_bitstream::prelude::{BE, BufBitWriter, WordAdapter};
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::rc::Rc;
use webgraph::graphs::bvgraph::{BvComp, CompFlags, DynCodesEncoder, OffsetsWriter};

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

/// Writes the graph to `basename.graph`, `.offsets` and `.properties`; the meter counts nodes.
pub fn compress(
    offsets: &[u64],
    targets: &[u32],
    basename: &Path,
    meter: &Meter,
) -> Result<CompressedSize, GraphError> {
    check(offsets, targets)?;
    let flags = CompFlags::default();
    let failure = Failure::default();
    let graph = Forgiving::create(&with_suffix(basename, ".graph"), &failure)?;
    let gaps = Forgiving::create(&with_suffix(basename, ".offsets"), &failure)?;
    let bits = BufBitWriter::<BE, _>::new(WordAdapter::<usize, _>::new(BufWriter::new(graph)));
    let refused =
        |message: String| GraphError::Format(format!("{}: {message}", basename.display()));
    let mut compressor = BvComp::new(
        DynCodesEncoder::new(bits, &flags).map_err(|error| refused(error.to_string()))?,
        OffsetsWriter::from_write(gaps, true).map_err(|error| refused(error.to_string()))?,
        flags.compression_window,
        flags.max_ref_count,
        flags.min_interval_length,
        0,
        (),
    );
    let num_nodes = offsets.len() - 1;
    for node in 0..num_nodes {
        if node.is_multiple_of(PERIOD) {
            meter.advance(PERIOD.min(num_nodes - node) as u64)?;
            failure.raise()?;
        }
        let successors = &targets[offsets[node] as usize..offsets[node + 1] as usize];
        compressor
            .push(successors.iter().map(|&target| (target as usize, ())))
            .map_err(|error| refused(error.to_string()))?;
    }
    let stats = compressor
        .flush()
        .map_err(|error| refused(error.to_string()))?;
    failure.raise()?;
    let text = flags
        .to_properties::<BE>(&stats)
        .map_err(|error| refused(error.to_string()))?;
    Writer::create(&with_suffix(basename, ".properties"))?.put(text.as_bytes())?;
    Ok(CompressedSize {
        num_nodes: stats.num_nodes as u64,
        num_arcs: stats.num_arcs,
        graph_bits: stats.written_bits,
        offsets_bits: stats.offsets_written_bits,
    })
}

/// Refuses arrays that are not the sorted rows of a graph.
fn check(offsets: &[u64], targets: &[u32]) -> Result<(), GraphError> {
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
    let num_nodes = offsets.len() - 1;
    for (node, bounds) in offsets.windows(2).enumerate() {
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
struct Failure(Rc<RefCell<Option<CollectionError>>>);

impl Failure {
    fn raise(&self) -> Result<(), CollectionError> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
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
            self.failure.0.borrow_mut().get_or_insert(error);
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
    use crate::graph::bvgraph::{BvGraph, Mode, Rows};
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
        fn what_is_compressed_comes_back(
            lists in (1usize..60).prop_flat_map(|n| {
                prop::collection::vec(prop::collection::btree_set(0..n as u32, 0..n), n)
            })
        ) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|list| list.into_iter().collect()).collect();
            let (offsets, targets) = rows_of(&lists);
            let folder = tempfile::tempdir().unwrap();
            let basename = folder.path().join("uk.2026");
            let meter = Meter::new();
            let size = compress(&offsets, &targets, &basename, &meter).unwrap();
            prop_assert_eq!(size.num_arcs, targets.len() as u64);
            prop_assert_eq!(meter.done(), lists.len() as u64);
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

    #[test]
    fn arrays_that_are_no_graph_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let basename = folder.path().join("g");
        for (offsets, targets) in [
            (vec![], vec![]),
            (vec![0, 2], vec![0]),
            (vec![0, 2], vec![0, 0]),
            (vec![0, 1], vec![1]),
            (vec![0, 2, 1], vec![0]),
            (vec![0, 5, 1], vec![0]),
        ] {
            let found = compress(&offsets, &targets, &basename, &Meter::new());
            assert!(matches!(found, Err(GraphError::Arrays(_))), "{offsets:?}");
        }
    }
}
