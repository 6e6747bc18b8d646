//! How many pages each host has, and how they lie in folders.
//!
//! Host slots are ranked by size. The number of pages before slot r is a closed formula, so nothing need be stored:
//!
//! C(r) = r + (P − H) · ((r + 1)^(1−a) − 1) / ((H + 1)^(1−a) − 1),  a = 1 / (γ − 1),
//!
//! which makes sizes fall as r^(−a): a power law with exponent γ, and at least one page on each host. Behind the
//! H ordinary hosts come the spam hosts, farm by farm, all of one size or, where farms buy up sites, each member of a
//! farm with the size of another ordinary host, from the largest to the smallest tenth or so. Inside a host, page i lies in folder i / 16; folders form a
//! tree in which folder n has the children 12n + 1 … 12n + 12, and page 16n is the index of folder n.

use super::draw::scramble;

/// Pages in a folder, its index included.
pub const FOLDER_PAGES: u64 = 16;
/// Folders in a folder.
pub const FOLDER_CHILDREN: u64 = 12;
/// Pages on a host of a link farm.
pub const FARM_PAGES: u64 = 12;
/// Slots whose prefix sums are kept: the largest hosts, to which most links lead.
const KEPT: u64 = 1 << 14;

#[derive(Clone, Debug)]
pub struct Layout {
    /// Ordinary hosts.
    pub hosts: u64,
    /// Spam hosts, in the slots behind them.
    pub spam_hosts: u64,
    pages: u64,
    power: f64,
    scale: f64,
    /// Pages of a farm before each of its members, and of all of it.
    farm: Vec<u64>,
    table: Vec<u64>,
}

impl Layout {
    /// A layout whose farms have hosts of one size.
    pub fn new(
        hosts: u64,
        (spam_hosts, farm_hosts): (u64, u64),
        pages: u64,
        size_exponent: f64,
    ) -> Self {
        let sizes = vec![FARM_PAGES; farm_hosts as usize];
        Self::with_farm(hosts, spam_hosts, pages, size_exponent, &sizes)
    }

    /// A layout whose farms have hosts of the sizes that ordinary hosts have.
    pub fn with_bought(
        hosts: u64,
        (spam_hosts, farm_hosts): (u64, u64),
        pages: u64,
        size_exponent: f64,
    ) -> Self {
        let ordinary = (u128::from(pages) * u128::from(hosts)
            / u128::from((hosts + spam_hosts).max(1))) as u64;
        let alone = Self::with_farm(hosts, 0, ordinary, size_exponent, &[]);
        let sizes: Vec<u64> = (0..farm_hosts)
            .map(|member| {
                alone.size(hosts * (2 * place_of(member, farm_hosts) + 1) / (2 * farm_hosts))
            })
            .collect();
        Self::with_farm(hosts, spam_hosts, pages, size_exponent, &sizes)
    }

    fn with_farm(
        hosts: u64,
        spam_hosts: u64,
        pages: u64,
        size_exponent: f64,
        sizes: &[u64],
    ) -> Self {
        let a = 1.0 / (size_exponent - 1.0);
        // at a = 1 the integral is a logarithm; a hair beside it the formula holds and the sizes are the same
        let power = if (1.0 - a).abs() < 1e-6 {
            1e-6
        } else {
            1.0 - a
        };
        let span = libm::pow((hosts + 1) as f64, power) - 1.0;
        let mut farm = vec![0];
        for size in sizes {
            farm.push(farm[farm.len() - 1] + size);
        }
        let ordinary = pages
            .saturating_sub(pages_before(&farm, spam_hosts))
            .max(hosts);
        let mut layout = Self {
            hosts,
            spam_hosts,
            pages: ordinary,
            power,
            scale: (ordinary - hosts) as f64 / span,
            farm,
            table: Vec::new(),
        };
        layout.table = layout.prefix_sums(hosts.min(KEPT));
        layout
    }

    /// The same layout with all prefix sums in memory, for those who visit every host.
    pub fn with_table(&self) -> Self {
        Self {
            table: self.prefix_sums(self.hosts),
            ..self.clone()
        }
    }

    fn prefix_sums(&self, last: u64) -> Vec<u64> {
        (0..=last).map(|slot| self.compute_first(slot)).collect()
    }

    pub fn num_slots(&self) -> u64 {
        self.hosts + self.spam_hosts
    }

    /// Pages of all hosts, event pages not counted.
    pub fn num_pages(&self) -> u64 {
        self.pages + pages_before(&self.farm, self.spam_hosts)
    }

    /// Number of the first page of a slot.
    #[inline]
    pub fn first(&self, slot: u64) -> u64 {
        if slot > self.hosts {
            return self.pages + pages_before(&self.farm, slot - self.hosts);
        }
        match self.table.get(slot as usize) {
            Some(&first) => first,
            None => self.compute_first(slot),
        }
    }

    fn compute_first(&self, slot: u64) -> u64 {
        if slot >= self.hosts {
            return self.pages;
        }
        let more = (libm::pow((slot + 1) as f64, self.power) - 1.0) * self.scale;
        slot + more as u64
    }

    #[inline]
    pub fn size(&self, slot: u64) -> u64 {
        if slot >= self.hosts {
            let member = ((slot - self.hosts) % (self.farm.len() as u64 - 1)) as usize;
            self.farm[member + 1] - self.farm[member]
        } else {
            self.first(slot + 1) - self.first(slot)
        }
    }

    /// The slot that page number `page` lies on.
    pub fn slot_of(&self, page: u64) -> u64 {
        if page >= self.pages {
            let (members, whole) = (self.farm.len() as u64 - 1, self.farm[self.farm.len() - 1]);
            let (farm, rest) = ((page - self.pages) / whole, (page - self.pages) % whole);
            let member = self.farm.partition_point(|first| *first <= rest) as u64 - 1;
            return self.hosts + farm * members + member;
        }
        let (mut low, mut high) = (0, self.hosts);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.first(middle) <= page {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Pages of so many farm hosts, from a farm's first on.
#[inline]
fn pages_before(farm: &[u64], hosts: u64) -> u64 {
    let members = (farm.len() as u64 - 1).max(1);
    hosts / members * farm[farm.len() - 1] + farm[(hosts % members) as usize]
}

/// The place of a member of a farm when its hosts are sorted by size: which is largest, nobody can tell from its number.
#[inline]
pub fn place_of(member: u64, farm_hosts: u64) -> u64 {
    let draw = |member: u64| (scramble(member + 1), member);
    (0..farm_hosts)
        .filter(|other| draw(*other) < draw(member))
        .count() as u64
}

/// Folder of page `index`.
#[inline]
pub fn folder_of(index: u64) -> u64 {
    index / FOLDER_PAGES
}

/// Folders of a host with `size` pages.
#[inline]
pub fn num_folders(size: u64) -> u64 {
    size.div_ceil(FOLDER_PAGES)
}

/// The folder above, for any but the root (0).
#[inline]
pub fn parent_folder(folder: u64) -> u64 {
    (folder - 1) / FOLDER_CHILDREN
}

/// The folders directly in `folder` of a host with `size` pages.
#[inline]
pub fn child_folders(folder: u64, size: u64) -> std::ops::Range<u64> {
    let first = folder * FOLDER_CHILDREN + 1;
    let folders = num_folders(size);
    first.min(folders)..(first + FOLDER_CHILDREN).min(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_page_has_its_slot(hosts in 1u64..3000, per_host in 1u64..300, spam in 0u64..50, gamma in 1.6f64..3.5, bought: bool) {
            let pages = hosts * per_host + spam * FARM_PAGES;
            let make = if bought { Layout::with_bought } else { Layout::new };
            let layout = make(hosts, (spam, 5), pages, gamma);
            let table = layout.with_table();
            prop_assert_eq!(layout.num_pages(), pages);
            prop_assert_eq!(layout.first(0), 0);
            let total: u64 = (0..layout.num_slots()).map(|slot| table.size(slot)).sum();
            prop_assert_eq!(total, pages);
            for slot in [0, hosts / 2, hosts - 1, (hosts + spam) - 1] {
                prop_assert!(layout.size(slot) >= 1);
                prop_assert_eq!(layout.first(slot), table.first(slot));
                prop_assert_eq!(layout.slot_of(layout.first(slot)), slot);
                prop_assert_eq!(layout.slot_of(layout.first(slot + 1) - 1), slot);
            }
        }
    }

    #[test]
    fn sizes_fall_with_their_exponent() {
        let layout = Layout::new(100_000, (0, 1), 100_000_000, 2.0);
        // γ = 2: size halves when the rank doubles
        let ratio = layout.size(199) as f64 / layout.size(399) as f64;
        assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn folders_form_a_tree() {
        let size = 16 * 200;
        let mut seen = vec![false; 200];
        let mut queue = vec![0];
        while let Some(folder) = queue.pop() {
            assert!(!std::mem::replace(&mut seen[folder as usize], true));
            for child in child_folders(folder, size) {
                assert_eq!(parent_folder(child), folder);
                queue.push(child);
            }
        }
        assert!(seen.into_iter().all(|folder| folder));
    }
}
