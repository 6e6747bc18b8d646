//! Lists with their labels, at random and in order, all or those that a view keeps.

use super::codes::{Books, Cursor, Damage};
use super::pointers::{Marks, Pointers};
use super::runs::{self, Reference};
use super::terms::{Term, keep};
use crate::collection::CollectionError;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::{BvGraph, Mode, Rows};
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use webgraph::utils::MmapHelper;

/// Nodes that a thread takes at a time, and those whose lists are found before the first is decoded.
const CHUNK: usize = 1 << 11;
const AHEAD: usize = 64;
/// Arcs for which memory is set aside on the word of the properties.
const MOST_EXPECTED: f64 = (1u64 << 32) as f64;

enum Words {
    Mapped(MmapHelper<u64>),
    Loaded(Vec<u64>),
}

impl Words {
    fn read(path: &Path, mode: Mode) -> Result<Self, GraphError> {
        let failed = |error| CollectionError::from_io(path, "read", error);
        if mode == Mode::Load {
            let bytes = std::fs::read(path).map_err(failed)?;
            let words = bytes.chunks_exact(8);
            return Ok(Self::Loaded(
                words
                    .map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
                    .collect(),
            ));
        }
        MmapHelper::mmap(path, mmap_rs::MmapFlags::empty())
            .map(Self::Mapped)
            .map_err(|error| failed(std::io::Error::other(format!("{error:#}"))).into())
    }

    fn slice(&self, range: &Range<usize>) -> &[u64] {
        match self {
            Self::Mapped(words) => words.as_ref(),
            Self::Loaded(words) => words,
        }
        .get(range.clone())
        .unwrap_or_default()
    }
}

/// Where things are in the file, in words of 8 bytes.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    pub stream: Range<usize>,
    pub low_bits: u32,
    pub lows: Range<usize>,
    pub highs: Range<usize>,
    pub samples: Range<usize>,
    pub marks: Range<usize>,
    pub ranks: Range<usize>,
}

/// How labels are coded, with what is needed of each node.
pub enum Coding {
    /// Each label by the code that the label of its source has; the book of each node.
    Sources(Vec<u32>),
    /// See `runs`; the label of each node, or all snapshots.
    Runs(Vec<u64>),
}

/// What is wanted of the lists that are read.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// All arcs with their labels.
    Labelled,
    /// The arcs whose label one of the terms has, without it.
    Kept(&'a [Term]),
}

/// The labels of a graph.
pub struct Labels {
    path: PathBuf,
    words: Words,
    sections: Sections,
    books: Books,
    coding: Coding,
}

/// Offsets and targets, and the labels if they were wanted.
pub type LabelledRows = (Rows, Vec<u64>);

impl Labels {
    pub fn open(
        path: &Path,
        mode: Mode,
        sections: Sections,
        books: Books,
        coding: Coding,
    ) -> Result<Self, GraphError> {
        let fits = match &coding {
            Coding::Sources(nodes) => nodes.iter().all(|&book| (book as usize) < books.len()),
            Coding::Runs(_) => books.len() == runs::NUM_BOOKS,
        };
        if !fits {
            return Err(GraphError::Arrays(
                "books: expected one for each node that names it, got fewer".to_owned(),
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            words: Words::read(path, mode)?,
            sections,
            books,
            coding,
        })
    }

    fn check(&self, graph: &BvGraph, nodes: &[u32]) -> Result<(), GraphError> {
        let length = match &self.coding {
            Coding::Sources(nodes) => nodes.len(),
            Coding::Runs(nodes) => nodes.len(),
        };
        if length != graph.num_nodes() {
            return Err(GraphError::Format(format!(
                "{}: it has labels of {length} nodes, and the graph has {}; the files belong to different graphs",
                self.path.display(),
                graph.num_nodes()
            )));
        }
        graph.check(nodes)
    }

    fn reader(&self) -> Reader<'_> {
        let (words, sections) = (&self.words, &self.sections);
        let stream = words.slice(&sections.stream);
        Reader {
            labels: self,
            cursor: Cursor::new(stream, 0),
            end: 64 * stream.len() as u64,
            pointers: Pointers {
                low_bits: sections.low_bits,
                lows: words.slice(&sections.lows),
                highs: words.slice(&sections.highs),
                samples: words.slice(&sections.samples),
            },
            marks: Marks {
                bits: words.slice(&sections.marks),
                ranks: words.slice(&sections.ranks),
            },
            scratch: Default::default(),
            bound: 0,
        }
    }

    /// The lists of each of the nodes.
    pub fn batch(
        &self,
        graph: &BvGraph,
        nodes: &[u32],
        wanted: Wanted<'_>,
        meter: &Meter,
    ) -> Result<LabelledRows, GraphError> {
        self.check(graph, nodes)?;
        let work: Vec<&[u32]> = nodes.chunks(CHUNK).collect();
        let expected = expected_arcs(graph, nodes.len());
        self.gather(&work, expected, wanted, |nodes, reader, piece| {
            meter.advance(nodes.len() as u64)?;
            let mut lists = graph.lists();
            let mut positions = [0; AHEAD];
            for nodes in nodes.chunks(AHEAD) {
                for (position, &node) in positions.iter_mut().zip(nodes) {
                    *position = graph.place(node as usize);
                }
                for (&position, &node) in positions.iter().zip(nodes) {
                    let (begin, start) = (piece.targets.len(), piece.labels.len());
                    let offset = |node: u64| graph.place(node as usize);
                    let damaged = |damage| self.damaged(node as usize, damage);
                    let is_by_source = matches!(self.coding, Coding::Sources(_));
                    if is_by_source {
                        // only the labels of the list itself, right where they belong
                        lists
                            .successors(node.into(), position, offset, &mut piece.targets)
                            .map_err(damaged)?;
                        let list = &piece.targets[begin..];
                        piece.labels.resize(start + list.len(), 0);
                        reader.seek(node as usize);
                        let found = &mut piece.labels[start..];
                        reader
                            .decode(node as usize, list, Reference::default(), found)
                            .map_err(damaged)?;
                    } else {
                        let (seen, targets) = (&mut *reader, &mut piece.targets);
                        lists
                            .successors_seen(
                                node.into(),
                                position,
                                offset,
                                targets,
                                |at, before, list| seen.seen(at as usize, before, list),
                            )
                            .map_err(damaged)?;
                        piece.labels.extend_from_slice(&reader.scratch[0]);
                    }
                    if let Wanted::Kept(terms) = wanted {
                        keep(&mut piece.targets, begin, &piece.labels, terms);
                        piece.labels.clear();
                    }
                    piece.ends.push(piece.targets.len() as u64);
                }
            }
            Ok(())
        })
    }

    /// The lists of a range of nodes, read in order.
    pub fn rows(
        &self,
        graph: &BvGraph,
        nodes: Range<usize>,
        wanted: Wanted<'_>,
        meter: &Meter,
    ) -> Result<LabelledRows, GraphError> {
        self.check(graph, &[])?;
        let end = nodes.end.min(graph.num_nodes());
        let starts = (nodes.start..end).step_by(CHUNK);
        let work: Vec<Range<usize>> = starts.map(|start| start..end.min(start + CHUNK)).collect();
        let expected = expected_arcs(graph, end.saturating_sub(nodes.start));
        self.gather(&work, expected, wanted, |nodes, reader, piece| {
            meter.advance(nodes.len() as u64)?;
            self.read(graph, nodes.clone(), reader, wanted, piece)
        })
    }

    fn read(
        &self,
        graph: &BvGraph,
        nodes: Range<usize>,
        reader: &mut Reader<'_>,
        wanted: Wanted<'_>,
        piece: &mut Piece,
    ) -> Result<(), GraphError> {
        let mut lists = graph.lists();
        let window = graph.flags().compression_window;
        // the lists that the first ones may refer to, then those that the next ones may: what is read stays in the cache
        let mut first = nodes.start.saturating_sub(window);
        let mut begins = Vec::with_capacity(window + AHEAD + 1);
        let (targets, labels) = (&mut piece.all.0, &mut piece.all.1);
        targets.clear();
        labels.clear();
        for node in first..nodes.start {
            begins.push(targets.len());
            let offset = |node: u64| graph.place(node as usize);
            lists
                .successors_seen(
                    node as u64,
                    graph.place(node),
                    offset,
                    targets,
                    |at, before, list| reader.seen(at as usize, before, list),
                )
                .map_err(|damage| self.damaged(node, damage))?;
            labels.extend_from_slice(&reader.scratch[0]);
        }
        lists
            .seek(graph.place(nodes.start))
            .map_err(|damage| graph.damaged((nodes.start, damage)))?;
        reader.seek(nodes.start);
        for node in nodes {
            if begins.len() >= window + AHEAD {
                let left_out = begins.len() - window;
                let from = begins.get(left_out).copied().unwrap_or(targets.len());
                targets.drain(..from);
                labels.drain(..from);
                begins.drain(..left_out);
                begins.iter_mut().for_each(|begin| *begin -= from);
                first += left_out;
            }
            let begin = targets.len();
            begins.push(begin);
            let list_of = |node: u64| {
                let place = node as usize - first;
                begins[place]..begins[place + 1]
            };
            let back = lists
                .next(node as u64, list_of, targets)
                .map_err(|damage| graph.damaged((node, damage)))?;
            labels.resize(targets.len(), 0);
            let (known, found) = labels.split_at_mut(begin);
            let mut reference = Reference::default();
            if let Coding::Runs(bounds) = &self.coding
                && back > 0
            {
                let range = list_of(node as u64 - back);
                reference = Reference {
                    bound: bounds[node - back as usize],
                    list: &targets[range.clone()],
                    labels: &known[range],
                };
            }
            reader
                .decode(node, &targets[begin..], reference, found)
                .map_err(|damage| self.damaged(node, damage))?;
            let start = piece.targets.len();
            piece.targets.extend_from_slice(&targets[begin..]);
            match wanted {
                Wanted::Labelled => piece.labels.extend_from_slice(found),
                Wanted::Kept(terms) => keep(&mut piece.targets, start, found, terms),
            }
            piece.ends.push(piece.targets.len() as u64);
        }
        Ok(())
    }

    /// Puts one behind the other what threads decode, in rounds whose memory is used again and again.
    fn gather<W: Sync>(
        &self,
        work: &[W],
        expected: f64,
        wanted: Wanted<'_>,
        decode: impl Fn(&W, &mut Reader<'_>, &mut Piece) -> Result<(), GraphError> + Sync,
    ) -> Result<LabelledRows, GraphError> {
        let (mut offsets, mut targets, mut labels) = (vec![0], Vec::new(), Vec::new());
        let mut pieces: Vec<Piece> = Vec::new();
        pieces.resize_with(
            work.len().min(4 * rayon::current_num_threads()),
            Piece::default,
        );
        if let ([work], [piece]) = (work, &mut pieces[..]) {
            // nothing to put together
            decode(work, &mut self.reader(), piece)?;
            offsets.append(&mut piece.ends);
            return Ok((
                (offsets, std::mem::take(&mut piece.targets)),
                std::mem::take(&mut piece.labels),
            ));
        }
        // what is not used is not touched either; the properties may be wrong
        let expected = expected.min(MOST_EXPECTED) as usize;
        let _ = targets.try_reserve(expected);
        if let Wanted::Labelled = wanted {
            let _ = labels.try_reserve(expected);
        }
        for round in work.chunks(pieces.len().max(1)) {
            pieces
                .par_iter_mut()
                .zip(round)
                .try_for_each(|(piece, work)| {
                    piece.ends.clear();
                    piece.targets.clear();
                    piece.labels.clear();
                    decode(work, &mut self.reader(), piece)
                })?;
            for piece in &pieces[..round.len()] {
                let base = targets.len() as u64;
                offsets.extend(piece.ends.iter().map(|end| base + end));
                targets.extend_from_slice(&piece.targets);
                labels.extend_from_slice(&piece.labels);
            }
        }
        Ok(((offsets, targets), labels))
    }

    fn damaged(&self, node: usize, damage: Damage) -> GraphError {
        GraphError::Format(format!(
            "{}, node {node}: {damage}; the file or its graph is damaged",
            self.path.display()
        ))
    }
}

/// About how many arcs so many lists have.
fn expected_arcs(graph: &BvGraph, num_lists: usize) -> f64 {
    let mean = graph.num_arcs() as f64 / graph.num_nodes().max(1) as f64;
    let spare = if num_lists < graph.num_nodes() {
        1.25
    } else {
        1.0
    };
    mean * num_lists as f64 * spare
}

/// What one thread has decoded: lists by their ends.
#[derive(Default)]
struct Piece {
    ends: Vec<u64>,
    targets: Vec<u32>,
    labels: Vec<u64>,
    /// All lists of a range with their labels, whatever is kept of them.
    all: (Vec<u32>, Vec<u64>),
}

struct Reader<'a> {
    labels: &'a Labels,
    cursor: Cursor<'a>,
    end: u64,
    pointers: Pointers<'a>,
    marks: Marks<'a>,
    /// The labels of the list that was seen last, and of the one before; the bound of the last.
    scratch: [Vec<u64>; 2],
    bound: u64,
}

impl Reader<'_> {
    /// Goes to where the labels of a node begin.
    fn seek(&mut self, node: usize) {
        let nth = match &self.labels.coding {
            Coding::Sources(_) => node,
            Coding::Runs(_) => self.marks.rank(node),
        };
        self.cursor.position = self.pointers.get(nth);
    }

    /// Decodes the labels of a list on the way to another, which refers to `before`, seen just now.
    fn seen(&mut self, node: usize, before: &[u32], list: &[u32]) -> Result<(), Damage> {
        let [known, mut found] = std::mem::take(&mut self.scratch);
        found.resize(list.len(), 0);
        let mut reference = Reference::default();
        let mut is_coded = true;
        if let Coding::Runs(bounds) = &self.labels.coding {
            reference = Reference {
                bound: std::mem::replace(&mut self.bound, bounds[node]),
                list: before,
                labels: &known,
            };
            is_coded = self.marks.get(node);
        }
        if is_coded {
            self.seek(node);
        }
        let outcome = self.decode(node, list, reference, &mut found);
        self.scratch = [found, known];
        outcome
    }

    /// Decodes the labels of a list where the cursor stands.
    fn decode(
        &mut self,
        node: usize,
        list: &[u32],
        reference: Reference<'_>,
        found: &mut [u64],
    ) -> Result<(), Damage> {
        let books = &self.labels.books;
        match &self.labels.coding {
            Coding::Sources(nodes) => {
                let book = nodes[node] as usize;
                books.decode_all(book, &mut self.cursor, found)?;
            }
            Coding::Runs(bounds) => {
                let bound = bounds[node];
                runs::predict(bounds, bound, list, reference, found);
                if !self.marks.get(node) {
                    return Ok(());
                }
                runs::correct(bounds, bound, list, books, &mut self.cursor, found)?;
            }
        }
        if self.cursor.position > self.end {
            return Err("labels end behind the stream");
        }
        Ok(())
    }
}
