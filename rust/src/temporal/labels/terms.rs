//! Which labels a view keeps.

/// The label (L & all) = all and (L & none) = 0 and, unless `any` is 0, (L & any) ≠ 0.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub all: u64,
    pub none: u64,
    pub any: u64,
}

impl Term {
    /// The bit that must be set, if there is nothing else to it.
    pub fn only_bit(&self) -> Option<u64> {
        let is_one = self.all.is_power_of_two() && (self.none, self.any) == (0, 0);
        is_one.then_some(self.all)
    }

    #[inline]
    pub fn has(&self, label: u64) -> bool {
        (label & self.all == self.all)
            & (label & self.none == 0)
            & ((label & self.any != 0) | (self.any == 0))
    }
}

/// Appends those of a list whose labels one of the terms has.
pub fn keep(list: &[u32], labels: &[u64], terms: &[Term], found: &mut Vec<u32>) {
    let begin = found.len();
    let kept = match *terms {
        [
            Term {
                all,
                none: 0,
                any: 0,
            },
        ] => {
            // a page of another time has none of its arcs now, and one of now has most
            let (every, some) = labels.iter().fold((u64::MAX, 0), |(every, some), &label| {
                (every & label, some | label)
            });
            if some & all != all {
                return;
            }
            found.extend_from_slice(list);
            if every & all == all {
                return;
            }
            pack(&mut found[begin..], labels, |label| label & all == all)
        }
        [term] => {
            found.extend_from_slice(list);
            pack(&mut found[begin..], labels, |label| term.has(label))
        }
        ref terms => {
            found.extend_from_slice(list);
            pack(&mut found[begin..], labels, |label| {
                terms.iter().any(|term| term.has(label))
            })
        }
    };
    found.truncate(begin + kept);
}

/// Moves to the front those that are kept; how many.
#[inline]
pub fn pack<L: Copy>(list: &mut [u32], labels: &[L], is_kept: impl Fn(L) -> bool) -> usize {
    let mut kept = 0;
    for (place, &label) in labels.iter().enumerate().take(list.len()) {
        list[kept] = list[place];
        kept += usize::from(is_kept(label));
    }
    kept
}
