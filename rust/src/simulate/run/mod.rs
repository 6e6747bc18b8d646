//! A crawl that is simulated: pages are nodes of a graph, and fetching one shows its links.

pub mod answers;
pub mod clock;
mod fetch;
pub mod policies;
pub mod queue;

use crate::collection::progress::Meter;
use crate::graph::GraphError;
use crate::graph::list_source::ListSource;
use answers::{Answer, Answers};
use clock::Clock;
use policies::{Policy, Visit};
use queue::{Entry, Queue};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pages after which progress is told.
const AT_ONCE: u64 = 1 << 12;

/// What a crawl obeys.
pub struct Limits {
    pub pages: u64,
    pub pages_per_host: u32,
    /// Links that a page may lie below where its host was entered.
    pub depth: u16,
    /// After which nothing is begun.
    pub seconds: f64,
    /// URLs after which no others are taken up.
    pub urls: u32,
}

/// Simulated time, and what is under way in it.
pub struct Timing {
    pub clock: Clock,
    pub fetchers: usize,
    /// Seconds that each page takes.
    pub durations: Vec<f64>,
    /// When each ends, the number of the request, page and key; the host as a key where it is its robots.txt.
    flights: BinaryHeap<Reverse<(u64, u64, u32, u64)>>,
}

impl Timing {
    pub fn new(clock: Clock, fetchers: usize, durations: Vec<f64>) -> Self {
        Self {
            clock,
            fetchers,
            durations,
            flights: BinaryHeap::new(),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unknown,
    Found,
    Taken,
}

pub struct Crawl {
    hosts: Vec<u32>,
    states: Vec<State>,
    depths: Vec<u16>,
    places: Vec<u32>,
    /// One for each host where time counts, else one.
    queues: Vec<Queue>,
    /// Pages taken of each host.
    taken_of: Vec<u32>,
    taken: u64,
    found: u32,
    visited: u64,
    limits: Limits,
    /// Out of its place while time passes.
    timing: Option<Timing>,
    is_timed: bool,
    pub answers: Answers,
    pub policy: Policy,
}

fn refuse<T>(message: String) -> Result<T, GraphError> {
    Err(GraphError::Arrays(message))
}

impl Crawl {
    /// The host of each node, with numbers below `num_hosts`; arrays of the policy and of the clock fit them.
    pub fn new(
        hosts: Vec<u32>,
        num_hosts: usize,
        limits: Limits,
        timing: Option<Timing>,
        mut answers: Answers,
        policy: Policy,
    ) -> Result<Self, GraphError> {
        let num_nodes = hosts.len();
        if hosts.iter().any(|&host| host as usize >= num_hosts) {
            return refuse(format!("hosts: expected numbers below {num_hosts}"));
        }
        let numbers = match &policy {
            Policy::Race { times: numbers, .. } | Policy::Fixed(numbers) => numbers.len(),
            _ => num_nodes,
        };
        let durations = timing
            .as_ref()
            .map_or(num_nodes, |timing| timing.durations.len());
        let told = |told: &Vec<u8>| {
            if told.is_empty() {
                num_nodes
            } else {
                told.len()
            }
        };
        let answered = [told(&answers.kinds), told(&answers.failures)];
        if [numbers, durations] != [num_nodes; 2] || answered != [num_nodes; 2] {
            return refuse(format!(
                "numbers: expected one for each of {num_nodes} nodes"
            ));
        }
        answers.open(num_hosts);
        let num_queues = if timing.is_some() { num_hosts } else { 1 };
        Ok(Self {
            states: vec![State::Unknown; num_nodes],
            depths: vec![0; num_nodes],
            places: vec![0; num_nodes],
            queues: std::iter::repeat_with(Queue::default)
                .take(num_queues)
                .collect(),
            taken_of: vec![0; num_hosts],
            taken: 0,
            found: 0,
            visited: 0,
            hosts,
            limits,
            is_timed: timing.is_some(),
            timing,
            answers,
            policy,
        })
    }

    pub fn begin(&mut self, seeds: &[u32]) -> Result<(), GraphError> {
        for &node in seeds {
            match self.states.get(node as usize) {
                Some(State::Unknown) if self.answers.of(node) != Answer::Forbidden => {
                    let host = self.hosts[node as usize];
                    let key = self.policy.seed(node, host, seeds.len());
                    self.enter(node, key, 0);
                }
                Some(_) => {}
                None => return refuse(format!("seeds: expected nodes, got {node}")),
            }
        }
        Ok(())
    }

    /// Fetches pages until there are so many in all, or none is left; those fetched, and when. Arcs of rows may have
    /// scores: what the text of a link says of where it leads.
    pub fn run(
        &mut self,
        graph: ListSource<'_>,
        scores: &[f64],
        arcs: Option<&[f32]>,
        until: u64,
        meter: &Meter,
    ) -> Result<(Vec<u32>, Vec<f64>), GraphError> {
        if scores.len() != self.hosts.len() {
            return refuse(format!(
                "scores: expected one for each of {} nodes",
                self.hosts.len()
            ));
        }
        let (mut nodes, mut times) = (Vec::new(), Vec::new());
        while self.visited < until
            && let Some(visit) = self.fetch()
        {
            let given;
            let mut said = None;
            let links = match graph {
                ListSource::Rows(offsets, targets) => {
                    let place = visit.node as usize;
                    let range = offsets.get(place..place + 2).map(|ends| (ends[0], ends[1]));
                    let range = range.map(|(from, to)| from as usize..to as usize);
                    said = range
                        .clone()
                        .and_then(|range| arcs.and_then(|arcs| arcs.get(range)));
                    match range.and_then(|range| targets.get(range)) {
                        Some(links) => links,
                        None => return refuse("rows: expected those of a graph".to_owned()),
                    }
                }
                ListSource::Files(files) => {
                    given = files.successors(visit.node)?;
                    &given
                }
            };
            if visit.answer != Answer::Page {
                self.lead_on(&visit, links)?;
                continue;
            }
            nodes.push(visit.node);
            times.push(visit.time);
            let score = scores[visit.node as usize];
            self.follow(&visit, score, links, said)?;
            if self
                .policy
                .fetched(&visit, self.hosts[visit.node as usize], score)
            {
                self.judge_again();
            }
            if (nodes.len() as u64).is_multiple_of(AT_ONCE) {
                meter.advance(AT_ONCE)?;
            }
        }
        meter.advance(nodes.len() as u64 % AT_ONCE)?;
        Ok((nodes, times))
    }

    fn follow(
        &mut self,
        from: &Visit,
        score: f64,
        links: &[u32],
        said: Option<&[f32]>,
    ) -> Result<(), GraphError> {
        for (place, &node) in links.iter().enumerate() {
            let Some(known) = self.known(node, from.node)? else {
                continue;
            };
            let to = (node, self.hosts[node as usize]);
            let said = said.map(|said| f64::from(said[place]));
            let key = self.policy.key(known, from, score, links.len(), to, said);
            self.settle(node, from.node, known, key);
        }
        Ok(())
    }

    /// What stands for another page passes on to it what it was fetched for.
    fn lead_on(&mut self, from: &Visit, links: &[u32]) -> Result<(), GraphError> {
        for &node in links {
            if let Some(known) = self.known(node, from.node)? {
                let host = self.hosts[node as usize];
                let key = self.policy.pass(known, from, node, host);
                self.settle(node, from.node, known, key);
            }
        }
        Ok(())
    }

    /// What a policy of somebody else's says of pages that a fetched one leads to.
    pub fn offer(&mut self, from: u32, links: &[u32], keys: &[f64]) -> Result<(), GraphError> {
        if links.len() != keys.len() || from as usize >= self.hosts.len() {
            return refuse("keys: expected one for each link of a node".to_owned());
        }
        for (&node, &key) in links.iter().zip(keys) {
            if let Some(known) = self.known(node, from)? {
                self.settle(node, from, known, key);
            }
        }
        Ok(())
    }

    /// The key of a page that may be fetched, if it has one; nothing for one that was taken or is out of bounds.
    #[inline]
    fn known(&self, node: u32, from: u32) -> Result<Option<Option<f64>>, GraphError> {
        Ok(match self.states.get(node as usize) {
            None => return refuse(format!("links: expected nodes, got {node}")),
            Some(State::Taken) => None,
            // the queue of a host that has had its share may be gone
            Some(_) if self.is_full(node) => None,
            Some(State::Found) => {
                let queue = &self.queues[self.queue_of(node)];
                Some(Some(queue.key(self.places[node as usize])))
            }
            Some(State::Unknown) => (self.depth_of(node, from) <= self.limits.depth
                && self.found < self.limits.urls
                && self.answers.of(node) != Answer::Forbidden)
                .then_some(None),
        })
    }

    fn is_full(&self, node: u32) -> bool {
        self.taken_of[self.hosts[node as usize] as usize] >= self.limits.pages_per_host
    }

    /// What leads on to a page of its host lies as deep as that one.
    fn depth_of(&self, node: u32, from: u32) -> u16 {
        if self.hosts[node as usize] == self.hosts[from as usize] {
            let step = u16::from(self.answers.of(from) == Answer::Page);
            self.depths[from as usize].saturating_add(step)
        } else {
            0
        }
    }

    fn queue_of(&self, node: u32) -> usize {
        if self.is_timed {
            self.hosts[node as usize] as usize
        } else {
            0
        }
    }

    #[inline]
    fn settle(&mut self, node: u32, from: u32, known: Option<f64>, key: f64) {
        match known {
            None => self.enter(node, key, self.depth_of(node, from)),
            Some(old) if old != key => {
                let place = self.places[node as usize];
                let number = self.queue_of(node);
                // a sum with 0 makes -0 what it is to the heaps of the clock
                let is_new = self.queues[number].change(place, key + 0.0, &mut self.places);
                self.tell(number, is_new);
            }
            Some(_) => {}
        }
    }

    fn enter(&mut self, node: u32, key: f64, depth: u16) {
        self.states[node as usize] = State::Found;
        self.depths[node as usize] = depth;
        let entry = Entry {
            key: key + 0.0,
            order: self.found,
            node,
        };
        self.found += 1;
        let number = self.queue_of(node);
        let is_new = self.queues[number].push(entry, &mut self.places);
        self.tell(number, is_new);
    }

    fn tell(&mut self, number: usize, is_new: bool) {
        if is_new && let Some(timing) = &mut self.timing {
            timing.clock.offered(number as u32, &self.queues);
        }
    }

    /// Gives every page that was found the key that the policy has for it now.
    fn judge_again(&mut self) {
        let (hosts, policy) = (&self.hosts, &self.policy);
        for queue in &mut self.queues {
            match policy {
                Policy::Learned(model) => queue.change_all(
                    |node| model.foretell(node, hosts[node as usize]),
                    &mut self.places,
                ),
                Policy::Fixed(keys) => {
                    queue.change_all(|node| keys[node as usize], &mut self.places);
                }
                _ => {}
            }
        }
        if let Some(timing) = &mut self.timing {
            timing.clock.look_again(&self.queues);
        }
    }

    /// Other numbers for a policy that goes by them.
    pub fn set_keys(&mut self, keys: Vec<f64>) -> Result<(), GraphError> {
        if keys.len() != self.hosts.len() {
            return refuse("keys: expected one for each node".to_owned());
        }
        self.policy = Policy::Fixed(keys);
        self.judge_again();
        Ok(())
    }
}
