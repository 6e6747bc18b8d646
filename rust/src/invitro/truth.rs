//! The true graph of a month: what a perfect crawler would find from the home pages of all hosts.
//!
//! *Served*: the nodes are the addresses that answer 200, are allowed by robots.txt, are neither traps nor hazards, and
//! can be reached from the home pages; the arcs are the links between them. *Collection*: the same nodes, and links to
//! redirects lead to where these end, as in the graph of a snapshot. Nodes are in row-key order in both.

use super::InvitroError;
use super::Web;
use super::address::{Asked, Guise, Target};
use super::links::Link;
use crate::collection::progress::Meter;
use crate::web::row_key::push_host_key;
use rayon::prelude::*;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphView {
    Served,
    Collection,
}

/// A graph with the addresses of its nodes.
#[derive(Debug, Default)]
pub struct TrueGraph {
    pub nodes: Vec<Target>,
    pub offsets: Vec<u64>,
    pub targets: Vec<u32>,
    pub url_offsets: Vec<u64>,
    pub urls: Vec<u8>,
}

/// What an entry of the table of addresses is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing to crawl: an error, forbidden, a trap.
    Lost,
    /// A page.
    Page,
    /// The same page for all addresses that are not there.
    SoftError,
    /// Leads to another entry.
    Redirect(u32),
}

/// What was found at an address that is not a page's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Page,
    SoftError,
    Redirect,
}

const CHUNK: u64 = 2048;

/// A page's links: those to pages under their own address by number, and the others.
type Sorted = (Box<[u32]>, Vec<Target>);
/// Numbers and paths of the pages of a host.
type Paths = Vec<(u32, Vec<u8>)>;

/// The table of addresses: first every page under its own address, then the other guises as they are met.
struct Census<'a> {
    web: &'a Web,
    month: u32,
    num_pages: u64,
    others: HashMap<Target, u32>,
    entries: Vec<Target>,
    fates: Vec<Fate>,
    /// Links of each entry, as numbers of entries.
    links: Vec<Box<[u32]>>,
}

impl Web {
    /// The graph of a month; the meter counts pages. `web` should be [`Web::with_table`] of that month.
    pub fn true_graph(
        &self,
        month: u32,
        view: GraphView,
        meter: &Meter,
    ) -> Result<TrueGraph, InvitroError> {
        let (census, order) = self.census(month, meter)?;
        match view {
            GraphView::Served => Ok(census.served_graph(&order)),
            GraphView::Collection => Ok(census.collection_graph(&order)),
        }
    }

    /// Both views of a month, served and collection, for little more than the price of one.
    pub fn true_graphs(&self, month: u32, meter: &Meter) -> Result<[TrueGraph; 2], InvitroError> {
        let (census, order) = self.census(month, meter)?;
        Ok([census.served_graph(&order), census.collection_graph(&order)])
    }

    /// The table of addresses, and the reached pages in row-key order.
    fn census(&self, month: u32, meter: &Meter) -> Result<(Census<'_>, Paths), InvitroError> {
        let mut census = Census {
            web: self,
            month,
            num_pages: self.layout.num_pages(),
            others: HashMap::new(),
            entries: Vec::new(),
            fates: Vec::new(),
            links: Vec::new(),
        };
        census.take_pages(meter)?;
        census.take_others();
        let reached = census.reach();
        let order = census.order(&reached);
        Ok((census, order))
    }
}

impl Census<'_> {
    /// The number of a page under its own address, if the target is one.
    fn page_number(&self, target: &Target) -> Option<u32> {
        let size = self.web.layout.size(target.slot);
        (target.guise == Guise::Page && target.index < size)
            .then(|| (self.web.layout.first(target.slot) + target.index) as u32)
    }

    /// Visits all pages; links to other guises stay targets until those have numbers.
    fn take_pages(&mut self, meter: &Meter) -> Result<(), InvitroError> {
        let (web, month) = (self.web, self.month);
        if self.num_pages > u64::from(u32::MAX / 2) {
            return Err(InvitroError::Spec(format!(
                "a graph of {} pages does not fit; the truth is computed for up to {} pages",
                self.num_pages,
                u32::MAX / 2
            )));
        }
        let fates: Vec<Vec<(Target, Fate)>> = self.per_chunk(|slot, indexes| {
            let host = web.host(slot, month);
            let is_there = web.is_present(slot, month)
                && web.status(
                    &host,
                    Asked::Page {
                        index: 0,
                        guise: Guise::Page,
                    },
                ) == 200;
            let mut path = Vec::new();
            indexes
                .map(|index| {
                    let target = Target::page(slot, index);
                    path.clear();
                    web.push_target(&mut path, &host, index, Guise::Page, month);
                    let fate = if is_there && web.is_allowed(&host, &path) {
                        Fate::Page
                    } else {
                        Fate::Lost
                    };
                    (target, fate)
                })
                .collect()
        });
        for (target, fate) in fates.into_iter().flatten() {
            self.entries.push(target);
            self.fates.push(fate);
        }
        let known = &self.fates;
        let census = &*self;
        let found: Vec<Result<Vec<Sorted>, InvitroError>> = self.per_chunk(|slot, indexes| {
            let host = web.host(slot, month);
            let first = web.layout.first(slot);
            meter.advance(indexes.end - indexes.start)?;
            let mut links: Vec<Link> = Vec::new();
            // without sessions the template is the same for all pages of the host
            if !host.has_sessions {
                web.header_links(&host, None, month, &mut links);
                web.footer_links(&host, None, month, &mut links);
            }
            let template = links.len();
            let mut numbers = Vec::new();
            Ok(indexes
                .map(|index| {
                    let mut others = Vec::new();
                    numbers.clear();
                    if known[(first + index) as usize] == Fate::Page {
                        links.truncate(template);
                        if host.has_sessions {
                            web.links(&host, index, Guise::Page, month, &mut links);
                        } else {
                            web.own_links(&host, index, None, month, &mut links);
                        }
                        census.sort_links(&links, &mut numbers, &mut others);
                    }
                    (Box::from(&numbers[..]), others)
                })
                .collect())
        });
        let mut pending = Vec::new();
        for chunk in found {
            for (numbers, others) in chunk? {
                if !others.is_empty() {
                    pending.push((self.links.len(), others));
                }
                self.links.push(numbers);
            }
        }
        for (entry, others) in pending {
            self.add_links(entry, &others);
        }
        Ok(())
    }

    /// Runs `visit` over pieces of slots, on all cores, and returns what it gave in page order.
    fn per_chunk<T: Send>(&self, visit: impl Fn(u64, std::ops::Range<u64>) -> T + Sync) -> Vec<T> {
        let layout = &self.web.layout;
        let pieces: Vec<(u64, std::ops::Range<u64>)> = (0..layout.num_slots())
            .flat_map(|slot| {
                let size = layout.size(slot);
                (0..size.div_ceil(CHUNK))
                    .map(move |piece| (slot, piece * CHUNK..((piece + 1) * CHUNK).min(size)))
            })
            .collect();
        pieces
            .into_par_iter()
            .map(|(slot, indexes)| visit(slot, indexes))
            .collect()
    }

    /// Parts links into pages that can be crawled, by number, and other guises.
    fn sort_links(&self, links: &[Link], numbers: &mut Vec<u32>, others: &mut Vec<Target>) {
        for link in links {
            match self.page_number(&link.target) {
                Some(number) => {
                    if self.fates[number as usize] == Fate::Page {
                        numbers.push(number);
                    }
                }
                None => others.push(link.target),
            }
        }
        others.sort_unstable();
        others.dedup();
    }

    /// Gives targets numbers, new ones at the end of the table, and adds them to the links of an entry.
    fn add_links(&mut self, entry: usize, others: &[Target]) {
        let mut numbers = std::mem::take(&mut self.links[entry]).into_vec();
        for target in others {
            numbers.push(self.number_of(*target));
        }
        self.links[entry] = numbers.into_boxed_slice();
    }

    fn number_of(&mut self, target: Target) -> u32 {
        if let Some(number) = self.page_number(&target) {
            return number;
        }
        if let Some(&number) = self.others.get(&target) {
            return number;
        }
        let number = self.entries.len() as u32;
        self.others.insert(target, number);
        self.entries.push(target);
        self.fates.push(Fate::Lost);
        number
    }

    /// Finds the fate and the links of the other guises, and of those that they lead to, wave by wave.
    fn take_others(&mut self) {
        let mut next = self.num_pages as usize;
        while next < self.entries.len() {
            let wave: Vec<(Found, Vec<Target>)> = self.entries[next..]
                .par_iter()
                .map(|target| self.visit(target))
                .collect();
            for (found, targets) in wave {
                self.fates[next] = match found {
                    Found::Nothing => Fate::Lost,
                    Found::Page => Fate::Page,
                    Found::SoftError => Fate::SoftError,
                    Found::Redirect => Fate::Redirect(self.number_of(targets[0])),
                };
                self.links.push(Box::default());
                self.add_links(next, &targets);
                next += 1;
            }
        }
    }

    /// What is behind an address that is not a page's own, and the addresses it leads to.
    fn visit(&self, target: &Target) -> (Found, Vec<Target>) {
        let (web, month) = (self.web, self.month);
        let page_of = |index: u64| Target::page(target.slot, index);
        let Some(asked) = self.fetch(target) else {
            return (Found::Nothing, Vec::new());
        };
        match asked {
            Asked::Page {
                guise: Guise::Redirect(_),
                index,
            } => (Found::Redirect, vec![page_of(index)]),
            Asked::Page {
                guise: Guise::Loop(_),
                ..
            } => (Found::Nothing, Vec::new()),
            Asked::Nothing => (Found::SoftError, vec![page_of(0)]),
            _ => {
                let host = web.host(target.slot, month);
                let mut links = Vec::new();
                web.links(&host, target.index, target.guise, month, &mut links);
                let mut targets: Vec<Target> = links.iter().map(|link| link.target).collect();
                targets.sort_unstable();
                targets.dedup();
                (Found::Page, targets)
            }
        }
    }

    /// What is found at the address of a target, if it may be asked for and answers with a page or a redirect.
    fn fetch(&self, target: &Target) -> Option<Asked> {
        let (web, month) = (self.web, self.month);
        if matches!(
            target.guise,
            Guise::Calendar(_) | Guise::Deeper(_) | Guise::Hazard(_)
        ) || !web.is_present(target.slot, month)
        {
            return None;
        }
        let host = web.host(target.slot, month);
        let mut path = Vec::new();
        web.push_target(&mut path, &host, target.index, target.guise, month);
        let asked = web.read_target(&host, &path, month);
        let is_good = matches!(web.status(&host, asked), 200 | 301 | 302);
        (is_good && web.is_allowed(&host, &path)).then_some(asked)
    }

    /// Which entries can be reached from the home pages of hosts that are there.
    fn reach(&self) -> Vec<bool> {
        let mut reached = vec![false; self.entries.len()];
        let mut queue: Vec<u32> = (0..self.web.layout.num_slots())
            .map(|slot| self.web.layout.first(slot) as u32)
            .filter(|number| self.fates[*number as usize] == Fate::Page)
            .collect();
        for &number in &queue {
            reached[number as usize] = true;
        }
        while let Some(number) = queue.pop() {
            for &target in &self.links[number as usize] {
                let place = target as usize;
                if !reached[place] && self.fates[place] != Fate::Lost {
                    reached[place] = true;
                    queue.push(target);
                }
            }
        }
        reached
    }

    /// The reached pages in row-key order, with their addresses.
    fn order(&self, reached: &[bool]) -> Paths {
        let (web, month) = (self.web, self.month);
        let mut by_host: HashMap<(u64, bool), Vec<u32>> = HashMap::new();
        for (number, target) in self.entries.iter().enumerate() {
            if reached[number] && matches!(self.fates[number], Fate::Page | Fate::SoftError) {
                let is_mirror = target.guise == Guise::Mirror;
                by_host
                    .entry((target.slot, is_mirror))
                    .or_default()
                    .push(number as u32);
            }
        }
        let mut hosts: Vec<(Vec<u8>, Paths)> = by_host
            .into_par_iter()
            .map(|((slot, is_mirror), numbers)| {
                let host = web.host(slot, month);
                let mut key = Vec::new();
                push_host_key(&mut key, web.host_name(&host, is_mirror).as_bytes());
                let mut pages: Paths = numbers
                    .into_iter()
                    .map(|number| {
                        let target = self.entries[number as usize];
                        let mut path = Vec::new();
                        web.push_target(&mut path, &host, target.index, target.guise, month);
                        (number, path)
                    })
                    .collect();
                pages.sort_unstable_by(|one, other| one.1.cmp(&other.1));
                (key, pages)
            })
            .collect();
        hosts.par_sort_unstable_by(|one, other| one.0.cmp(&other.0));
        hosts.into_iter().flat_map(|(_, pages)| pages).collect()
    }

    fn served_graph(&self, order: &[(u32, Vec<u8>)]) -> TrueGraph {
        self.assemble(order, &self.ranks(order))
    }

    /// The served graph with links to redirects resolved to where they end.
    fn collection_graph(&self, order: &[(u32, Vec<u8>)]) -> TrueGraph {
        let mut ranks = self.ranks(order);
        for (number, fate) in self.fates.iter().enumerate() {
            if let Fate::Redirect(end) = fate {
                ranks[number] = ranks[*end as usize];
            }
        }
        self.assemble(order, &ranks)
    }

    /// For each entry its place in `order`; `u32::MAX` for none.
    fn ranks(&self, order: &[(u32, Vec<u8>)]) -> Vec<u32> {
        let mut ranks = vec![u32::MAX; self.entries.len()];
        for (rank, (number, _)) in order.iter().enumerate() {
            ranks[*number as usize] = rank as u32;
        }
        ranks
    }

    /// Arcs between the ranks of entries, for the nodes in `order`.
    fn assemble(&self, order: &[(u32, Vec<u8>)], ranks: &[u32]) -> TrueGraph {
        let lists: Vec<Box<[u32]>> = order
            .par_iter()
            .map_with(Vec::new(), |list, (number, _)| {
                let links = self.links[*number as usize].iter();
                list.clear();
                list.extend(
                    links
                        .map(|target| ranks[*target as usize])
                        .filter(|rank| *rank != u32::MAX),
                );
                list.sort_unstable();
                list.dedup();
                Box::from(&list[..])
            })
            .collect();
        let mut graph = TrueGraph::default();
        graph.offsets.reserve(lists.len() + 1);
        graph.offsets.push(0);
        graph
            .targets
            .reserve(lists.iter().map(|list| list.len()).sum());
        for list in lists {
            graph.targets.extend_from_slice(&list);
            graph.offsets.push(graph.targets.len() as u64);
        }
        graph.url_offsets.push(0);
        let mut name = (u64::MAX, false, String::new());
        for (number, path) in order {
            let target = self.entries[*number as usize];
            let is_mirror = target.guise == Guise::Mirror;
            if (name.0, name.1) != (target.slot, is_mirror) {
                let host = self.web.host(target.slot, self.month);
                name = (target.slot, is_mirror, self.web.host_name(&host, is_mirror));
            }
            graph.urls.extend_from_slice(self.web.scheme());
            graph.urls.extend_from_slice(name.2.as_bytes());
            graph.urls.extend_from_slice(path);
            graph.url_offsets.push(graph.urls.len() as u64);
            graph.nodes.push(target);
        }
        graph
    }
}
