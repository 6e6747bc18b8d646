//! The workbench: which host may be asked now.
//!
//! Hosts (BUBING: visit states, one per scheme and authority) stand by the address they live at. An entry, one per
//! address, waits in a queue ordered by the moment at which its address and the first of its hosts may be asked again.
//! Whoever acquires a host holds the token of its entry: nobody else gets a host of that address until it is released.

use super::fifo::{Arena, Fifo};
use super::pacing::Pace;
use crate::web::robots::Robots;
use hashbrown::{HashMap, HashTable};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Nanoseconds since the crawl began.
pub type Moment = u64;
pub const NEVER: Moment = Moment::MAX;
const NOWHERE: u32 = u32::MAX;

/// One thing to be asked of a host.
#[derive(Clone, Debug)]
pub struct Task {
    pub target: Box<str>,
    pub depth: u8,
    pub redirects: u8,
    pub attempt: u8,
    /// the host for which this is the robots.txt
    pub robots_for: Option<u32>,
    /// it cannot be there, and its answer tells what that looks like
    pub is_probe: bool,
    /// what a page needs to be shown: `redirects` also counts the steps from resource to resource
    pub is_part: bool,
    /// ETag and Last-Modified of a capture that may still hold, with a line feed between them
    pub validators: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// its address is being looked up
    Resolving,
    Open,
    /// the gate has not answered
    Held,
    /// given up, full, or refused
    Closed,
}

/// What is known of a host.
#[derive(Debug)]
pub struct Host {
    pub origin: Box<str>,
    pub address: SocketAddr,
    pub queue: Fifo,
    /// what comes before the queue: robots.txt and what is tried again
    pub errands: VecDeque<Task>,
    pub state: State,
    pub robots: Option<Arc<Robots>>,
    pub robots_until: Moment,
    /// its robots.txt is on its way, perhaps by way of another host
    pub asks_robots: bool,
    /// between two visits
    pub delay: Moment,
    pub next: Moment,
    /// when the last visit was over
    ended: Moment,
    /// how long it rests after a visit: its delay, or more
    pub rest: Moment,
    pub pace: Pace,
    pub is_probed: bool,
    /// the shape of its pages that say that nothing is there
    pub soft: Option<u64>,
    pub pages: u32,
    pub failures: u8,
    /// a visit was begun, by an earlier run too
    pub was_contacted: bool,
    /// sitemaps that it sent, and their bytes
    pub sitemaps: u32,
    pub sitemap_bytes: u64,
    pub in_limbo: bool,
    pub resolved_until: Moment,
    entry: u32,
    is_busy: bool,
    is_waiting: bool,
}

impl Host {
    /// Whether its name ever led to an address.
    pub fn has_address(&self) -> bool {
        self.entry != NOWHERE
    }

    /// Whether there is something to ask it for now.
    pub fn has_work(&self) -> bool {
        self.state == State::Open
            && (!self.errands.is_empty() || (!self.asks_robots && !self.queue.is_empty()))
    }
}

#[derive(Debug)]
struct Entry {
    delay: Moment,
    next: Moment,
    ended: Moment,
    /// its place in the queue of entries; an older one is stale
    key: Moment,
    is_busy: bool,
    waiting: BinaryHeap<Reverse<(Moment, u32)>>,
}

/// All hosts, and the order in which they may be asked.
#[derive(Debug)]
pub struct Workbench {
    hosts: Vec<Host>,
    names: HashTable<u32>,
    entries: Vec<Entry>,
    addresses: HashMap<IpAddr, u32>,
    order: BinaryHeap<Reverse<(Moment, u32)>>,
    /// what the queues of hosts are in
    memory: Arena,
    front: usize,
}

impl Workbench {
    /// An empty one, with room for so many bytes of URLs.
    pub fn new(num_bytes: usize) -> Self {
        Self {
            hosts: Vec::new(),
            names: HashTable::new(),
            entries: Vec::new(),
            addresses: HashMap::new(),
            order: BinaryHeap::new(),
            memory: Arena::new(num_bytes),
            front: 0,
        }
    }

    /// Bytes in the queues of hosts.
    pub fn num_bytes(&self) -> usize {
        self.memory.num_bytes()
    }

    /// The host of that origin, and whether it is new.
    pub fn host(&mut self, origin: &str, delay: Moment) -> (u32, bool) {
        let hash = xxh3_64(origin.as_bytes());
        let hosts = &mut self.hosts;
        let known = self
            .names
            .find(hash, |&host| &*hosts[host as usize].origin == origin);
        if let Some(&host) = known {
            return (host, false);
        }
        let host = hosts.len() as u32;
        hosts.push(Host {
            origin: origin.into(),
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
            queue: Fifo::default(),
            errands: VecDeque::new(),
            state: State::Resolving,
            robots: None,
            robots_until: 0,
            asks_robots: false,
            delay,
            next: 0,
            ended: 0,
            rest: 0,
            pace: Pace::default(),
            is_probed: false,
            soft: None,
            pages: 0,
            failures: 0,
            was_contacted: false,
            sitemaps: 0,
            sitemap_bytes: 0,
            in_limbo: false,
            resolved_until: 0,
            entry: NOWHERE,
            is_busy: false,
            is_waiting: false,
        });
        let rehash = |&host: &u32| xxh3_64(hosts[host as usize].origin.as_bytes());
        self.names.insert_unique(hash, host, rehash);
        (host, true)
    }

    pub fn get(&self, host: u32) -> &Host {
        &self.hosts[host as usize]
    }

    pub fn get_mut(&mut self, host: u32) -> &mut Host {
        &mut self.hosts[host as usize]
    }

    pub fn num_hosts(&self) -> usize {
        self.hosts.len()
    }

    pub fn num_addresses(&self) -> usize {
        self.entries.len()
    }

    /// Hosts that are being asked or wait for it.
    pub fn front(&self) -> usize {
        self.front
    }

    /// Says where a host lives.
    pub fn place(&mut self, host: u32, address: SocketAddr, ip_delay: Moment) {
        let entries = &mut self.entries;
        let entry = *self.addresses.entry(address.ip()).or_insert_with(|| {
            entries.push(Entry {
                delay: ip_delay,
                next: 0,
                ended: 0,
                key: NEVER,
                is_busy: false,
                waiting: BinaryHeap::new(),
            });
            entries.len() as u32 - 1
        });
        let host = self.get_mut(host);
        host.address = address;
        host.entry = entry;
    }

    /// All addresses at which hosts live.
    pub fn addresses(&self) -> Vec<IpAddr> {
        self.addresses.keys().copied().collect()
    }

    pub fn set_ip_delay(&mut self, address: IpAddr, delay: Moment) {
        if let Some(&entry) = self.addresses.get(&address) {
            let entry = &mut self.entries[entry as usize];
            entry.delay = delay;
            if entry.ended > 0 {
                entry.next = entry.ended + delay;
            }
        }
    }

    /// Changes the delay of a host, and with it its next turn, unless it waits for another reason.
    pub fn set_delay(&mut self, host: u32, delay: Moment) {
        let state = self.get_mut(host);
        let is_delayed = state.next <= state.ended + state.delay;
        state.delay = delay;
        if state.ended > 0 && is_delayed {
            state.next = state.ended + delay;
        } else if state.ended > 0 {
            state.next = state.next.max(state.ended + delay);
        }
    }

    /// Puts all who wait into the order of their turns, which have changed.
    pub fn reorder(&mut self) {
        self.order.clear();
        for place in 0..self.entries.len() as u32 {
            let entry = &mut self.entries[place as usize];
            let waiting = std::mem::take(&mut entry.waiting);
            let turn = |Reverse((_, host)): Reverse<(Moment, u32)>| {
                Reverse((self.hosts[host as usize].next, host))
            };
            entry.waiting = waiting.into_iter().map(turn).collect();
            entry.key = NEVER;
            self.schedule(place);
        }
    }

    /// Puts a path behind those that a host has.
    pub fn push(&mut self, host: u32, record: &[u8]) {
        let queue = &mut self.hosts[host as usize].queue;
        queue.push(&mut self.memory, record);
        self.offer(host);
    }

    /// Takes the next path of a host.
    pub fn pop(&mut self, host: u32, record: &mut Vec<u8>) -> bool {
        let queue = &mut self.hosts[host as usize].queue;
        queue.pop(&mut self.memory, record)
    }

    /// Lets a host wait for its turn, if there is something to ask it for.
    pub fn offer(&mut self, host: u32) {
        let place = host as usize;
        let state = &mut self.hosts[place];
        if state.is_busy || state.is_waiting || state.entry == NOWHERE || !state.has_work() {
            return;
        }
        state.is_waiting = true;
        self.front += 1;
        let (next, entry) = (state.next, state.entry);
        self.entries[entry as usize]
            .waiting
            .push(Reverse((next, host)));
        self.schedule(entry);
    }

    fn schedule(&mut self, place: u32) {
        let entry = &mut self.entries[place as usize];
        let Some(Reverse((first, _))) = entry.waiting.peek() else {
            return;
        };
        let key = entry.next.max(*first);
        if !entry.is_busy && entry.key != key {
            entry.key = key;
            self.order.push(Reverse((key, place)));
        }
    }

    /// When the next host may be asked, as far as is known without looking closer.
    pub fn next_moment(&self) -> Option<Moment> {
        self.order.peek().map(|Reverse((moment, _))| *moment)
    }

    /// A host that may be asked now; its address is nobody else's until it is released.
    pub fn acquire(&mut self, now: Moment) -> Option<u32> {
        loop {
            let &Reverse((moment, place)) = self.order.peek()?;
            if moment > now {
                return None;
            }
            self.order.pop();
            let entry = &mut self.entries[place as usize];
            if entry.is_busy || entry.key != moment {
                continue;
            }
            entry.key = NEVER;
            let Some(Reverse((_, host))) = entry.waiting.pop() else {
                continue;
            };
            let state = &mut self.hosts[host as usize];
            state.is_waiting = false;
            if !state.has_work() || state.entry != place {
                // it was closed, held or moved while it waited
                self.front -= 1;
                self.schedule(place);
                self.offer(host);
                continue;
            }
            state.is_busy = true;
            entry.is_busy = true;
            return Some(host);
        }
    }

    /// Gives a host back. If it was asked, `ended` says when the visit was over.
    pub fn release(&mut self, host: u32, ended: Option<Moment>) {
        let state = &mut self.hosts[host as usize];
        state.is_busy = false;
        self.front -= 1;
        let place = state.entry;
        let entry = &mut self.entries[place as usize];
        entry.is_busy = false;
        if let Some(ended) = ended {
            state.next = state.next.max(ended + state.delay.max(state.rest));
            entry.next = entry.next.max(ended + entry.delay);
            (state.ended, entry.ended) = (ended, ended);
        }
        self.schedule(place);
        self.offer(host);
    }

    /// Leaves a host alone from now on, and tells how much it had waiting in memory.
    pub fn close(&mut self, host: u32) -> Vec<Task> {
        let state = &mut self.hosts[host as usize];
        state.state = State::Closed;
        state.queue.clear(&mut self.memory);
        state.robots = None;
        std::mem::take(&mut state.errands).into()
    }
}
