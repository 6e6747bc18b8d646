//! Chance without state: every draw is a hash of the seed and of what is drawn for.
//!
//! Real numbers go through `libm` (pure Rust), never through the platform's mathematics library, so that a web is the
//! same on every machine.

/// Finalizer of splitmix64: a bijection of 64-bit numbers that looks random.
#[inline]
pub fn scramble(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number drawn for (`key`, `what`).
#[inline]
pub fn hash(key: u64, what: u64) -> u64 {
    scramble(key ^ what.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Purposes, so that draws for different things are independent.
pub mod purpose {
    pub const DOMAIN: u64 = 1;
    pub const HOST: u64 = 2;
    pub const PAGE: u64 = 3;
    pub const DEATH: u64 = 4;
    pub const CHANGE: u64 = 5;
    pub const LINK: u64 = 6;
    pub const WORDS: u64 = 7;
    pub const TITLE: u64 = 8;
    pub const DEGREE: u64 = 9;
    pub const DUPLICATE: u64 = 10;
    pub const ABSENCE: u64 = 11;
    pub const SLUG: u64 = 12;
    pub const DIRECTORY: u64 = 13;
    pub const PARTNER: u64 = 14;
    pub const POPULAR: u64 = 15;
    pub const STYLE: u64 = 16;
    pub const EVENT: u64 = 17;
    pub const FARM: u64 = 18;
    pub const LATENCY: u64 = 19;
    pub const HAZARD: u64 = 20;
    pub const PARAGRAPH: u64 = 21;
    pub const EPHEMERAL: u64 = 22;
    pub const QUERY: u64 = 23;
    pub const FLAKY: u64 = 24;
    pub const ROBOTS: u64 = 25;
    pub const ADDRESS: u64 = 26;
    pub const NEAR: u64 = 27;
    pub const VOLATILE: u64 = 28;
    pub const SIBLING: u64 = 29;
    pub const LOOK: u64 = 30;
    pub const EXPIRED: u64 = 31;
}

/// A real number in [0, 1) from the upper bits of a draw.
#[inline]
pub fn unit(draw: u64) -> f64 {
    (draw >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Whether a draw falls into a share of all draws.
#[inline]
pub fn falls(draw: u64, share: f64) -> bool {
    unit(draw) < share
}

/// A number below `bound` (above 0), from the upper half of a draw.
#[inline]
pub fn below(draw: u64, bound: u64) -> u64 {
    ((draw as u128 * bound as u128) >> 64) as u64
}

/// A stream of draws for one purpose.
#[derive(Clone, Debug)]
pub struct Stream(u64);

impl Stream {
    #[inline]
    pub fn new(key: u64, what: u64) -> Self {
        Self(hash(key, what))
    }

    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    #[inline]
    pub fn unit(&mut self) -> f64 {
        unit(self.draw())
    }

    #[inline]
    pub fn falls(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        below(self.draw(), bound)
    }
}

/// Ranks 0..n with probability proportional to (rank + 1)^(−s), by inverting the integral of the density.
///
/// The inverse is computed at equal steps and is a straight line between them, so that a draw costs next to nothing.
#[derive(Clone, Debug)]
pub struct Zipf {
    n: u64,
    steps: Vec<f64>,
}

impl Zipf {
    const STEPS: usize = 1 << 12;

    pub fn new(n: u64, s: f64) -> Self {
        let is_log = (s - 1.0).abs() < 1e-9;
        let top = (n + 1) as f64;
        let invert = |u: f64| {
            if is_log {
                libm::exp(u * libm::log(top))
            } else {
                let span = libm::pow(top, 1.0 - s) - 1.0;
                libm::pow(1.0 + u * span, 1.0 / (1.0 - s))
            }
        };
        let steps = (0..=Self::STEPS)
            .map(|step| invert(step as f64 / Self::STEPS as f64) - 1.0)
            .collect();
        Self { n, steps }
    }

    /// The rank at the place `u` in [0, 1) of the distribution.
    #[inline]
    pub fn rank(&self, u: f64) -> u64 {
        let place = u * Self::STEPS as f64;
        let step = (place as usize).min(Self::STEPS - 1);
        let (low, high) = (self.steps[step], self.steps[step + 1]);
        ((low + (place - step as f64) * (high - low)) as u64).min(self.n - 1)
    }
}

/// Whole numbers from `low` on with a tail of exponent `gamma`, cut at `high`; a table, so that a draw costs nothing.
#[derive(Clone, Debug)]
pub struct PowerLaw {
    table: Vec<u16>,
}

impl PowerLaw {
    const SIZE: usize = 1 << 14;

    pub fn new(low: f64, gamma: f64, high: u16) -> Self {
        let table = (0..Self::SIZE)
            .map(|place| {
                let u = (place as f64 + 0.5) / Self::SIZE as f64;
                let value = low * libm::pow(1.0 - u, -1.0 / (gamma - 1.0));
                value.min(f64::from(high)) as u16
            })
            .collect();
        Self { table }
    }

    #[inline]
    pub fn draw(&self, draw: u64) -> u16 {
        self.table[(draw >> 50) as usize]
    }
}

/// A keyed bijection of the numbers below 2^bits (bits even): four rounds of Feistel.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    key: u64,
    half: u32,
}

impl Permutation {
    pub fn new(key: u64, bits: u32) -> Self {
        debug_assert!(bits.is_multiple_of(2) && bits <= 62);
        Self {
            key,
            half: bits / 2,
        }
    }

    fn round(&self, round: u64, value: u64) -> u64 {
        hash(self.key ^ (round << 56), value) & ((1 << self.half) - 1)
    }

    pub fn apply(&self, value: u64) -> u64 {
        let (mut left, mut right) = (value >> self.half, value & ((1 << self.half) - 1));
        for round in 0..4 {
            (left, right) = (right, left ^ self.round(round, right));
        }
        left << self.half | right
    }

    pub fn invert(&self, value: u64) -> u64 {
        let (mut left, mut right) = (value >> self.half, value & ((1 << self.half) - 1));
        for round in (0..4).rev() {
            (left, right) = (right ^ self.round(round, left), left);
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_permutation_is_undone(key: u64, value in 0u64..1 << 30) {
            let permutation = Permutation::new(key, 30);
            let image = permutation.apply(value);
            prop_assert!(image < 1 << 30);
            prop_assert_eq!(permutation.invert(image), value);
        }

        #[test]
        fn zipf_ranks_stay_below_n(n in 1u64..1_000_000, s in 0.2f64..1.9, u in 0.0f64..1.0) {
            prop_assert!(Zipf::new(n, s).rank(u) < n);
        }
    }

    #[test]
    fn a_power_law_has_its_exponent() {
        let law = PowerLaw::new(1.0, 2.5, 10_000);
        let tail = |x: u16| law.table.iter().filter(|&&v| v >= x).count() as f64;
        // P(X ≥ x) falls as x^(1−γ)
        let slope = (tail(64) / tail(4)).ln() / 16f64.ln();
        assert!((slope + 1.5).abs() < 0.05, "{slope}");
    }
}
