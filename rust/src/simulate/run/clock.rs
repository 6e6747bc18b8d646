//! Simulated time: which host may be asked when, at BUbiNG's workbench of addresses with their hosts.
//!
//! Of an address, and of a host, one page at a time is fetched; after its end the host rests, and so does the address.
//! Heaps have entries that are out of date, which are known by what they say.

use super::queue::Queue;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The best page of a host or of an address: its key as a number that sorts, its order, and whose it is.
type Top = (i64, Reverse<u32>, u32);
/// A time that is not negative, as bits that sort.
type Moment = u64;
const NEVER: Moment = Moment::MAX;

#[derive(Clone, Copy, PartialEq)]
enum Status {
    /// It has no page to be fetched.
    Empty,
    /// It has, and rests.
    Waiting,
    Ready,
    Busy,
}

struct Host {
    address: u32,
    status: Status,
    free_at: f64,
    delay: f64,
}

struct Address {
    is_busy: bool,
    free_at: f64,
    delay: f64,
    ready: BinaryHeap<Top>,
    waiting: BinaryHeap<Reverse<(Moment, u32)>>,
    /// When it is looked at next.
    wakes_at: Moment,
}

pub struct Clock {
    pub now: f64,
    hosts: Vec<Host>,
    addresses: Vec<Address>,
    ready: BinaryHeap<Top>,
    waiting: BinaryHeap<Reverse<(Moment, u32)>>,
}

fn best(queue: &Queue, whose: u32) -> Option<Top> {
    let entry = queue.best()?;
    let bits = entry.key.to_bits() as i64;
    // two's complement puts negative numbers the wrong way round
    let sorts = bits ^ (((bits >> 63) as u64) >> 1) as i64;
    Some((sorts, Reverse(entry.order), whose))
}

impl Clock {
    /// Of each host its address and delay, of each address its delay.
    pub fn new(addresses: &[u32], host_delays: &[f64], address_delays: &[f64]) -> Self {
        let hosts = addresses
            .iter()
            .zip(host_delays)
            .map(|(&address, &delay)| Host {
                address,
                status: Status::Empty,
                free_at: 0.0,
                delay,
            });
        let addresses = address_delays.iter().map(|&delay| Address {
            is_busy: false,
            free_at: 0.0,
            delay,
            ready: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            wakes_at: NEVER,
        });
        Self {
            now: 0.0,
            hosts: hosts.collect(),
            addresses: addresses.collect(),
            ready: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
        }
    }

    /// The best page of a host is another one now.
    pub fn offered(&mut self, host: u32, queues: &[Queue]) {
        let own = &mut self.hosts[host as usize];
        let address = &mut self.addresses[own.address as usize];
        let rests = own.status == Status::Empty && own.free_at > self.now;
        match own.status {
            Status::Waiting | Status::Busy => return,
            _ if rests => {
                own.status = Status::Waiting;
                address.waiting.push(Reverse((own.free_at.to_bits(), host)));
            }
            _ => {
                own.status = Status::Ready;
                address.ready.extend(best(&queues[host as usize], host));
            }
        }
        let address = own.address;
        self.open(address, queues);
    }

    /// The host whose page is the best of those that may be fetched now; it is busy from now on.
    pub fn take(&mut self, queues: &[Queue]) -> Option<u32> {
        while let Some(&Reverse((moment, number))) = self.waiting.peek() {
            if f64::from_bits(moment) > self.now {
                break;
            }
            self.waiting.pop();
            let address = &mut self.addresses[number as usize];
            if address.wakes_at == moment {
                address.wakes_at = NEVER;
                self.open(number, queues);
            }
        }
        while let Some((key, order, number)) = self.ready.pop() {
            let address = &self.addresses[number as usize];
            if address.is_busy || address.free_at > self.now {
                continue;
            }
            let Some(top) = self.best_of(number, queues) else {
                continue;
            };
            if (top.0, top.1) != (key, order) {
                self.ready.push((top.0, top.1, number));
                continue;
            }
            self.addresses[number as usize].is_busy = true;
            self.hosts[top.2 as usize].status = Status::Busy;
            return Some(top.2);
        }
        None
    }

    /// When a host may be fetched from that may not be now.
    pub fn next_wake(&self) -> Option<f64> {
        self.waiting
            .peek()
            .map(|Reverse((moment, _))| f64::from_bits(*moment))
    }

    /// The answer of a busy host has come: it rests, for so many seconds at least, and its address does.
    pub fn release(&mut self, host: u32, queues: &[Queue], pause: f64) {
        let own = &mut self.hosts[host as usize];
        let address = &mut self.addresses[own.address as usize];
        own.free_at = self.now + own.delay.max(pause);
        address.is_busy = false;
        address.free_at = self.now + address.delay;
        own.status = Status::Empty;
        if queues[host as usize].best().is_some() {
            own.status = Status::Waiting;
            address.waiting.push(Reverse((own.free_at.to_bits(), host)));
        }
        let address = own.address;
        self.open(address, queues);
    }

    /// All keys are others now.
    pub fn look_again(&mut self, queues: &[Queue]) {
        self.ready.clear();
        for address in &mut self.addresses {
            address.ready.clear();
        }
        for (number, host) in self.hosts.iter().enumerate() {
            if host.status == Status::Ready {
                let top = best(&queues[number], number as u32);
                self.addresses[host.address as usize].ready.extend(top);
            }
        }
        for number in 0..self.addresses.len() as u32 {
            self.open(number, queues);
        }
    }

    /// Enters an address where its state says: among those that may be asked, or those that wait.
    fn open(&mut self, number: u32, queues: &[Queue]) {
        let address = &mut self.addresses[number as usize];
        if address.is_busy {
            return;
        }
        let mut wake = Some(address.free_at.to_bits());
        if address.free_at <= self.now {
            while let Some(&Reverse((moment, host))) = address.waiting.peek() {
                if f64::from_bits(moment) > self.now {
                    break;
                }
                address.waiting.pop();
                self.hosts[host as usize].status = Status::Ready;
                address.ready.extend(best(&queues[host as usize], host));
            }
            wake = address.waiting.peek().map(|Reverse((moment, _))| *moment);
            if let Some(top) = self.best_of(number, queues) {
                self.ready.push((top.0, top.1, number));
            }
        }
        let address = &mut self.addresses[number as usize];
        if let Some(moment) = wake
            && moment < address.wakes_at
        {
            address.wakes_at = moment;
            self.waiting.push(Reverse((moment, number)));
        }
    }

    fn best_of(&mut self, number: u32, queues: &[Queue]) -> Option<Top> {
        let address = &mut self.addresses[number as usize];
        while let Some(&top) = address.ready.peek() {
            let host = top.2 as usize;
            if self.hosts[host].status == Status::Ready && best(&queues[host], top.2) == Some(top) {
                return Some(top);
            }
            address.ready.pop();
        }
        None
    }
}
