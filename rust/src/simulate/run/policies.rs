//! In which order pages are fetched: the key of a page, from the pages that lead to it.
//!
//! Sums, products and comparisons only, in a fixed order, so that the same numbers come out everywhere.

use super::answers::Answer;

/// A page that was fetched.
#[derive(Clone, Copy)]
pub struct Visit {
    pub node: u32,
    /// By which it was chosen.
    pub key: f64,
    /// 1 for the first.
    pub number: u64,
    pub time: f64,
    pub answer: Answer,
}

pub enum Policy {
    /// Breadth-first: in the order in which they were found.
    First,
    /// Depth-first: those of the page fetched last.
    Last,
    /// Any of them alike: a race of clocks that ring after exponential times, which have no memory.
    Race {
        times: Vec<f64>,
        now: f64,
    },
    /// By a number of each page.
    Fixed(Vec<f64>),
    /// The best score of the pages that lead to it.
    Parent,
    /// Shark search: the score of the page that leads to it or, where that is 0, what that one inherited, with a decay;
    /// and where links have scores, a share of these.
    Shark {
        decay: f64,
        share: f64,
        inherited: Vec<f64>,
    },
    /// OPIC: a page passes on its cash in equal shares.
    Cash,
    /// How many pages lead to it.
    InDegree,
    Learned(Box<Learned>),
    /// Somebody else says.
    Given,
}

impl Policy {
    /// The key of a page to begin with.
    pub fn seed(&mut self, node: u32, host: u32, num_seeds: usize) -> f64 {
        match self {
            Self::First | Self::Last | Self::Given => 0.0,
            Self::Race { times, now } => -(*now + times[node as usize]),
            Self::Fixed(keys) => keys[node as usize],
            Self::Parent | Self::InDegree => 1.0,
            Self::Shark { inherited, .. } => {
                inherited[node as usize] = 1.0;
                1.0
            }
            Self::Cash => 1.0 / num_seeds as f64,
            Self::Learned(model) => model.found(node, host, 1.0),
        }
    }

    /// The key of a page that a fetched one, of this score and with so many links, leads to.
    #[inline]
    pub fn key(
        &mut self,
        known: Option<f64>,
        from: &Visit,
        score: f64,
        degree: usize,
        to: (u32, u32),
        said: Option<f64>,
    ) -> f64 {
        let best = |key: f64| known.map_or(key, |known| known.max(key));
        let (node, host) = to;
        match self {
            Self::First | Self::Given => known.unwrap_or(0.0),
            Self::Last => from.number as f64,
            Self::Race { times, now } => known.unwrap_or_else(|| -(*now + times[node as usize])),
            Self::Fixed(keys) => known.unwrap_or_else(|| keys[node as usize]),
            Self::Parent => best(score),
            Self::Shark {
                decay,
                share,
                inherited,
            } => {
                let passed = if score > 0.0 {
                    score
                } else {
                    inherited[from.node as usize]
                };
                let passed = *decay * passed;
                let own = &mut inherited[node as usize];
                *own = own.max(passed);
                best(said.map_or(passed, |said| (1.0 - *share) * passed + *share * said))
            }
            Self::Cash => known.unwrap_or(0.0) + from.key / degree as f64,
            Self::InDegree => known.unwrap_or(0.0) + 1.0,
            Self::Learned(model) => model.found(node, host, score),
        }
    }

    /// The key of a page that another address of it stands for, by what that was fetched for.
    pub fn pass(&mut self, known: Option<f64>, from: &Visit, node: u32, host: u32) -> f64 {
        let best = |key: f64| known.map_or(key, |known| known.max(key));
        match self {
            Self::First | Self::Given => known.unwrap_or(0.0),
            Self::Last => from.number as f64,
            Self::Race { times, now } => known.unwrap_or_else(|| -(*now + times[node as usize])),
            Self::Fixed(keys) => known.unwrap_or_else(|| keys[node as usize]),
            Self::Parent => best(from.key),
            Self::Shark { inherited, .. } => {
                let passed = inherited[from.node as usize];
                let own = &mut inherited[node as usize];
                *own = own.max(passed);
                best(from.key)
            }
            Self::Cash | Self::InDegree => known.unwrap_or(0.0) + from.key,
            Self::Learned(model) => {
                let score = model.best[from.node as usize];
                model.found(node, host, score)
            }
        }
    }

    /// A page was chosen.
    #[inline]
    pub fn chosen(&mut self, key: f64) {
        if let Self::Race { now, .. } = self {
            *now = now.max(-key);
        }
    }

    /// A page was fetched; true if all keys are to be found again.
    #[inline]
    pub fn fetched(&mut self, visit: &Visit, host: u32, score: f64) -> bool {
        match self {
            Self::Learned(model) => model.learn(visit, host, score),
            _ => false,
        }
    }
}

pub const NUM_FEATURES: usize = 6;
/// Pages of the mean score that a host is thought to have had before its first.
const SHRINK: f64 = 2.0;
/// Keeps a step bounded where all features are small.
const FLOOR: f64 = 0.1;

/// Scores foretold by a linear model that learns from each page (normalized least mean squares).
pub struct Learned {
    pub weights: [f64; NUM_FEATURES],
    rate: f64,
    /// What is known of each page beforehand.
    prior: Option<Vec<f64>>,
    best: Vec<f64>,
    sums: Vec<f64>,
    counts: Vec<u32>,
    /// Of each host, and of all behind them: the scores of its pages, and how many.
    hosts: Vec<(f64, f64)>,
    next: u64,
}

impl Learned {
    pub fn new(
        weights: [f64; NUM_FEATURES],
        rate: f64,
        prior: Option<Vec<f64>>,
        num_nodes: usize,
        num_hosts: usize,
    ) -> Self {
        Self {
            weights,
            rate,
            prior,
            best: vec![0.0; num_nodes],
            sums: vec![0.0; num_nodes],
            counts: vec![0; num_nodes],
            hosts: vec![(0.0, 0.0); num_hosts + 1],
            next: 64,
        }
    }

    fn found(&mut self, node: u32, host: u32, score: f64) -> f64 {
        let place = node as usize;
        self.best[place] = self.best[place].max(score);
        self.sums[place] += score;
        self.counts[place] += 1;
        self.foretell(node, host)
    }

    fn features(&self, node: u32, host: u32) -> [f64; NUM_FEATURES] {
        let node = node as usize;
        let (sum, pages) = self.hosts[self.hosts.len() - 1];
        let mean = if pages > 0.0 { sum / pages } else { 0.0 };
        let own = self.hosts[host as usize];
        let count = f64::from(self.counts[node]);
        [
            1.0,
            self.best[node],
            self.sums[node] / count.max(1.0),
            (own.0 + SHRINK * mean) / (own.1 + SHRINK),
            count / (count + 1.0),
            self.prior.as_ref().map_or(0.0, |prior| prior[node]),
        ]
    }

    pub fn foretell(&self, node: u32, host: u32) -> f64 {
        dot(&self.weights, &self.features(node, host))
    }

    fn learn(&mut self, visit: &Visit, host: u32, score: f64) -> bool {
        let features = self.features(visit.node, host);
        let error = score - dot(&self.weights, &features);
        let step = self.rate * error / (FLOOR + dot(&features, &features));
        for (weight, feature) in self.weights.iter_mut().zip(features) {
            *weight += step * feature;
        }
        let all = self.hosts.len() - 1;
        for place in [host as usize, all] {
            self.hosts[place].0 += score;
            self.hosts[place].1 += 1.0;
        }
        let is_due = visit.number >= self.next;
        if is_due {
            self.next = visit.number + (visit.number / 8).max(64);
        }
        is_due
    }
}

fn dot(one: &[f64; NUM_FEATURES], other: &[f64; NUM_FEATURES]) -> f64 {
    one.iter().zip(other).fold(0.0, |sum, (a, b)| sum + a * b)
}
