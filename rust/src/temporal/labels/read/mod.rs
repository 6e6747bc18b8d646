//! Lists with their labels, at random and in order, all or those that a view keeps.

mod at;
mod pack;
mod window;

use super::pointers::Pointers;
use super::runs::{self, Reference};
use super::terms::{Term, keep};
use crate::bits::canonical::Books;
use crate::bits::content::{Content, Mode};
use crate::bits::cursor::{Cursor, Damage};
use crate::bits::elias_fano::EliasFano;
use crate::bits::marks::Marks;
use crate::bits::words::BigEndian;
use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::bvgraph::BvGraph;
use crate::graph::bvgraph::lists::Lists;
use crate::graph::bvgraph::pieces::{LabelledRows, Piece, gather};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use window::Window;

/// Nodes that a thread takes at a time, and those whose lists are found before the first is decoded.
const CHUNK: usize = 1 << 11;
const AHEAD: usize = 64;
/// Nodes in order that a thread takes at a time.
const RANGE: usize = 1 << 13;

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
    words: Content<u64>,
    sections: Sections,
    books: Books,
    coding: Coding,
    last_there: Mutex<(u64, Arc<Vec<bool>>)>,
}

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
            words: Content::read(path, mode)?,
            sections,
            books,
            coding,
            last_there: Mutex::default(),
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
        let (words, sections) = (self.words.as_ref(), &self.sections);
        let section = |range: &Range<usize>| words.get(range.clone()).unwrap_or_default();
        let stream = section(&sections.stream);
        Reader {
            labels: self,
            cursor: Cursor::new(stream, 0),
            end: 64 * stream.len() as u64,
            pointers: Pointers {
                list: EliasFano {
                    width: sections.low_bits,
                    lows: BigEndian(section(&sections.lows)),
                    highs: BigEndian(section(&sections.highs)),
                },
                samples: BigEndian(section(&sections.samples)),
            },
            marks: Marks {
                bits: BigEndian(section(&sections.marks)),
                ranks: BigEndian(section(&sections.ranks)),
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
        self.gather(graph, &work, nodes.len(), wanted, |nodes, state, piece| {
            meter.advance(nodes.len() as u64)?;
            let mut places = [Place::default(); AHEAD];
            let (mut list, mut labels) = (Vec::new(), Vec::new());
            for nodes in nodes.chunks(AHEAD) {
                state.find(nodes, &mut places);
                for (&place, &node) in places.iter().zip(nodes) {
                    match wanted {
                        Wanted::Labelled => {
                            let Piece {
                                targets, labels, ..
                            } = &mut *piece;
                            state.list(node as usize, place, targets, labels)?;
                        }
                        Wanted::Kept(terms) => {
                            list.clear();
                            labels.clear();
                            state.list(node as usize, place, &mut list, &mut labels)?;
                            keep(&list, &labels, terms, &mut piece.targets);
                        }
                    }
                    piece.ends.push(piece.targets.len() as u64);
                }
            }
            Ok(())
        })
    }

    /// Goes through the lists of the nodes one after the other, without keeping them: how many arcs they have, and the sums
    /// of their targets and labels.
    pub fn walk(&self, graph: &BvGraph, nodes: &[u32]) -> Result<(u64, u64, u64), GraphError> {
        self.check(graph, nodes)?;
        let mut state = self.state(graph);
        let (mut targets, mut labels) = (Vec::new(), Vec::new());
        let (mut arcs, mut sum, mut label_sum) = (0, 0u64, 0u64);
        let mut places = [Place::default(); AHEAD];
        for nodes in nodes.chunks(AHEAD) {
            state.find(nodes, &mut places);
            for (&place, &node) in places.iter().zip(nodes) {
                targets.clear();
                labels.clear();
                state.list(node as usize, place, &mut targets, &mut labels)?;
                arcs += targets.len() as u64;
                for (&target, &label) in targets.iter().zip(&labels) {
                    sum = sum.wrapping_add(target.into());
                    label_sum = label_sum.wrapping_add(label);
                }
            }
        }
        Ok((arcs, sum, label_sum))
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
        let starts = (nodes.start..end).step_by(RANGE);
        let work: Vec<Range<usize>> = starts.map(|start| start..end.min(start + RANGE)).collect();
        let num_lists = end.saturating_sub(nodes.start);
        self.gather(graph, &work, num_lists, wanted, |nodes, state, piece| {
            meter.advance(nodes.len() as u64)?;
            self.read(graph, nodes.clone(), state, wanted, piece)
        })
    }

    fn read(
        &self,
        graph: &BvGraph,
        nodes: Range<usize>,
        state: &mut State<'_>,
        wanted: Wanted<'_>,
        piece: &mut Piece,
    ) -> Result<(), GraphError> {
        if let (Coding::Runs(bounds), Wanted::Kept([term])) = (&self.coding, wanted)
            && let Some(bit) = term.only_bit()
            && bounds.len() <= at::MOST_NODES
        {
            return self.read_at(graph, nodes, state, (bounds, bit), piece);
        }
        let mut window = Window::new(graph, &nodes, &mut piece.window.0);
        let labels = &mut piece.window.1;
        labels.clear();
        for node in window.first..nodes.start {
            window.begins.push(window.targets.len());
            let place = state.place(node);
            state.list(node, place, window.targets, labels)?;
        }
        state.seek(nodes.start)?;
        let State { lists, reader, .. } = state;
        for node in nodes {
            labels.drain(..window.make_room());
            let (begin, reference) = window.next(graph, lists, node)?;
            labels.resize(window.targets.len(), 0);
            let (known, found) = labels.split_at_mut(begin);
            let mut of_reference = Reference::default();
            if let Coding::Runs(bounds) = &self.coding
                && let Some(other) = reference
            {
                let range = window.list_of(other);
                of_reference = Reference {
                    bound: bounds[other],
                    list: &window.targets[range.clone()],
                    labels: &known[range],
                };
            }
            let list = &window.targets[begin..];
            reader
                .decode(node, list, of_reference, found)
                .map_err(|damage| self.damaged(node, damage))?;
            match wanted {
                Wanted::Labelled => {
                    piece.targets.extend_from_slice(list);
                    piece.labels.extend_from_slice(found);
                }
                Wanted::Kept(terms) => keep(list, found, terms, &mut piece.targets),
            }
            piece.ends.push(piece.targets.len() as u64);
        }
        Ok(())
    }

    fn state<'a>(&'a self, graph: &'a BvGraph) -> State<'a> {
        State {
            graph,
            lists: graph.lists(),
            reader: self.reader(),
        }
    }

    fn gather<W: Sync>(
        &self,
        graph: &BvGraph,
        work: &[W],
        num_lists: usize,
        wanted: Wanted<'_>,
        decode: impl Fn(&W, &mut State<'_>, &mut Piece) -> Result<(), GraphError> + Sync,
    ) -> Result<LabelledRows, GraphError> {
        let is_labelled = matches!(wanted, Wanted::Labelled);
        let mean = graph.mean_list(num_lists);
        gather(
            work,
            num_lists,
            mean,
            is_labelled,
            || self.state(graph),
            decode,
        )
    }

    fn damaged(&self, node: usize, damage: Damage) -> GraphError {
        GraphError::Format(format!(
            "{}, node {node}: {damage}; the file or its graph is damaged",
            self.path.display()
        ))
    }
}

/// Where a list begins, and, if they do not depend on those of other lists, its labels and their book.
#[derive(Clone, Copy, Default)]
struct Place {
    list: u64,
    labels: u64,
    book: u32,
}

/// What one thread reads with.
struct State<'a> {
    graph: &'a BvGraph,
    lists: Lists<'a>,
    reader: Reader<'a>,
}

impl State<'_> {
    /// Goes to where the list of a node begins, and its labels.
    fn seek(&mut self, node: usize) -> Result<(), GraphError> {
        let found = self.lists.seek(self.graph.place(node));
        found.map_err(|damage| self.graph.damaged((node, damage)))?;
        self.reader.seek(node);
        Ok(())
    }

    fn place(&self, node: usize) -> Place {
        let (labels, book) = match &self.reader.labels.coding {
            Coding::Sources(books) => (self.reader.pointers.get(node), books[node]),
            Coding::Runs(_) => (0, 0),
        };
        let list = self.graph.place(node);
        Place { list, labels, book }
    }

    /// Finds the lists of some nodes before the first is decoded, so that the waits for memory overlap.
    fn find(&self, nodes: &[u32], places: &mut [Place; AHEAD]) {
        let mut seen = 0;
        for (place, &node) in places.iter_mut().zip(nodes) {
            *place = self.place(node as usize);
            seen ^= self.graph.word(place.list) as u64 ^ self.reader.cursor.look(place.labels);
        }
        std::hint::black_box(seen);
    }

    /// Appends the list of a node, and its labels.
    #[inline]
    fn list(
        &mut self,
        node: usize,
        place: Place,
        targets: &mut Vec<u32>,
        labels: &mut Vec<u64>,
    ) -> Result<(), GraphError> {
        let (reader, graph) = (&mut self.reader, self.graph);
        let (begin, start) = (targets.len(), labels.len());
        let offset = |node: u64| graph.place(node as usize);
        let found = match reader.labels.coding {
            // only the labels of the list itself, right where they belong
            Coding::Sources(_) => self
                .lists
                .successors(node as u64, place.list, offset, targets)
                .and_then(|()| {
                    labels.resize(start + targets.len() - begin, 0);
                    reader.cursor.position = place.labels;
                    reader.decode_by(place.book, &mut labels[start..])
                }),
            Coding::Runs(_) => {
                let see = |at, before: &[u32], list: &[u32]| reader.seen(at as usize, before, list);
                self.lists
                    .successors_seen(node as u64, place.list, offset, targets, see)
                    .map(|()| labels.extend_from_slice(&self.reader.scratch[0]))
            }
        };
        found.map_err(|damage| self.reader.labels.damaged(node, damage))
    }
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
        match &self.labels.coding {
            Coding::Sources(nodes) => self.decode_by(nodes[node], found),
            Coding::Runs(bounds) => {
                let bound = bounds[node];
                runs::predict(bounds, bound, list, reference, found);
                if !self.marks.get(node) {
                    return Ok(());
                }
                let books = &self.labels.books;
                runs::correct(bounds, bound, list, books, &mut self.cursor, found)?;
                self.check_end()
            }
        }
    }

    /// Decodes labels by one book, where the cursor stands.
    fn decode_by(&mut self, book: u32, found: &mut [u64]) -> Result<(), Damage> {
        let books = &self.labels.books;
        books.decode_all(book as usize, &mut self.cursor, found)?;
        self.check_end()
    }

    fn check_end(&self) -> Result<(), Damage> {
        if self.cursor.position > self.end {
            return Err("labels end behind the stream");
        }
        Ok(())
    }
}
