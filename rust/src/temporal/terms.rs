//! Which labels a view keeps.

/// The label (L & all) = all and (L & none) = 0 and, unless `any` is 0, (L & any) ≠ 0.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub all: u64,
    pub none: u64,
    pub any: u64,
}

impl Term {
    #[inline]
    pub fn has(&self, label: u64) -> bool {
        (label & self.all == self.all)
            & (label & self.none == 0)
            & ((label & self.any != 0) | (self.any == 0))
    }
}

/// Leaves of the targets from `begin` on those whose labels one of the terms has.
pub fn keep(targets: &mut Vec<u32>, begin: usize, labels: &[u64], terms: &[Term]) {
    let list = &mut targets[begin..];
    let kept = match terms {
        [
            Term {
                all,
                none: 0,
                any: 0,
            },
        ] => pack(list, labels, |label| label & all == *all),
        [term] => pack(list, labels, |label| term.has(label)),
        terms => pack(list, labels, |label| {
            terms.iter().any(|term| term.has(label))
        }),
    };
    targets.truncate(begin + kept);
}

/// Moves to the front those that are kept; how many.
#[inline]
fn pack(list: &mut [u32], labels: &[u64], is_kept: impl Fn(u64) -> bool) -> usize {
    let mut kept = 0;
    for (place, &label) in labels.iter().enumerate().take(list.len()) {
        list[kept] = list[place];
        kept += usize::from(is_kept(label));
    }
    kept
}
