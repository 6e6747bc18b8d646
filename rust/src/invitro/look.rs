//! What makes a host look like spam: stuffed paragraphs, hidden words, and links in a ring of hosts that move.
//!
//! With `spam_camouflage` 0 all link farms are blatant, and pages and links write them so. Above, each of the three is
//! drawn for the farm and again for the host, so that a host may hide one thing and show another; and a `commercial_share`
//! of the honest hosts show the same things, mostly less of them. Every quantity grows with its draw, so the two kinds
//! overlap and no threshold parts them.
//!
//! An `expired_share` of the hosts of farms that hide stand on domains that others gave up. Such a host is honest until
//! its farm has it, and then keeps pages and links, as many as an honest host of its size has: but nobody links to it any
//! more, and its pages show what the farm shows.

use super::Web;
use super::draw::{Stream, below, falls, hash, purpose, unit};
use super::host::Host;
use super::layout::place_of;
use super::words::Language;

/// Most links of a page to others of its ring, and most hosts that they lead to.
const RING_LINKS: f64 = 12.0;
const PARTNERS: f64 = 5.0;
/// Stuffing of the worst honest host.
const MOST_HONEST: f64 = 0.7;
/// What the most restless honest host changes, over what farms do.
const MOST_RESTLESS: f64 = 0.25;
/// Honest hosts that link to each other as sister sites.
const SISTERS: u64 = 10;

/// What a host shows of spam; all in [0, 1] but the ring.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// How much of its text is stuffed.
    pub stuffing: f64,
    pub has_hidden: bool,
    /// Links of a page to its ring.
    pub ring_links: u64,
    /// Hosts of the ring that it links to in a month.
    pub partners: u64,
    /// Of those, how many are changed per month.
    pub change_rate: f64,
    /// First slot of the ring and how many there are.
    pub ring: (u64, u64),
}

impl Web {
    /// What a host shows of spam, where that is drawn: none for an ordinary one, and for farms that do not hide.
    pub fn look(&self, host: &Host) -> Option<Look> {
        let spec = &self.spec;
        let own = |what: u64| unit(hash(host.key ^ purpose::LOOK, what));
        if let Some(farm) = host.farm {
            if spec.spam_camouflage <= 0.0 {
                return None;
            }
            let key = hash(self.seed ^ purpose::LOOK, farm.number);
            // mostly the same for all hosts of a farm; about a quarter show all of it, a quarter nothing
            let shown = |what: u64| {
                let drawn = 0.8 * unit(hash(key, what)) + 0.2 * own(what);
                1.0 - spec.spam_camouflage * (2.0 * drawn - 0.5).clamp(0.0, 1.0)
            };
            let (stuffing, linking) = (shown(1), shown(3));
            return Some(Look {
                stuffing,
                has_hidden: own(2) < stuffing,
                ring_links: (RING_LINKS * linking) as u64,
                partners: 1 + (PARTNERS * linking) as u64,
                change_rate: spec.farm_change_rate * shown(4),
                ring: (
                    self.layout.hosts + farm.number * spec.farm_hosts,
                    spec.farm_hosts,
                ),
            });
        }
        if host.slot >= self.layout.hosts
            || !falls(hash(host.key ^ purpose::LOOK, 0), spec.commercial_share)
        {
            return None;
        }
        let first = host.slot / SISTERS * SISTERS;
        let stuffing = MOST_HONEST * own(1) * own(1);
        Some(Look {
            stuffing,
            has_hidden: own(2) < stuffing,
            ring_links: (RING_LINKS * own(3)) as u64,
            partners: 1 + (PARTNERS * own(3)) as u64,
            change_rate: MOST_RESTLESS * spec.farm_change_rate * own(4),
            ring: (first, SISTERS.min(self.layout.hosts - first)),
        })
    }

    /// Whether the host of a slot is one that its farm has bought.
    pub fn is_bought(&self, slot: u64) -> bool {
        self.spec.spam_camouflage > 0.0
            && slot >= self.layout.hosts
            && falls(
                hash(self.seed ^ purpose::EXPIRED, slot),
                self.spec.expired_share,
            )
    }

    /// The bought host that has half of the links which would else lead to an honest one, if there is one for this slot
    /// and the link was made before the farm had it: nobody links to it since.
    pub fn heir(&self, slot: u64, born: u32) -> Option<u64> {
        let (hosts, spam) = (self.layout.hosts, self.layout.spam_hosts);
        let (members, farms) = (self.spec.farm_hosts, spam / self.spec.farm_hosts.max(1));
        // farms take turns in every class of size, evenly over the honest hosts
        let number = slot * spam / hosts.max(1);
        if farms == 0 || (2 * number + 1) * hosts / (2 * spam) != slot {
            return None;
        }
        let (place, farm) = (number / farms, number % farms);
        let member = (0..members).find(|member| place_of(*member, members) == place)?;
        let heir = hosts + farm * members + member;
        (self.is_bought(heir) && self.month_of(born) <= self.joined(heir)).then_some(heir)
    }

    /// One of the hosts of its ring that a host links to in a month: the same until it is changed for another.
    pub fn partner(&self, host: &Host, look: &Look, number: u64, month: u32) -> u64 {
        let key = hash(host.key ^ purpose::LOOK, 1 << 32 | number);
        let draw = hash(key, purpose::CHANGE);
        let version = self.events_until(draw, look.change_rate, month);
        look.ring.0 + below(hash(key, u64::from(version.count)), look.ring.1)
    }

    /// A paragraph of a host that stuffs: natural text in turn with runs of words that people search for.
    pub(super) fn push_stuffed(
        &self,
        out: &mut Vec<u8>,
        (language, topic): (Language, u64),
        look: &Look,
        stream: &mut Stream,
        count: usize,
    ) {
        let mut left = count;
        while left > 0 {
            let natural = (6 + stream.below(12) as usize).min(left);
            self.push_paragraph(out, language, topic, stream, natural);
            left -= natural;
            // as long as the text between them where nothing is hidden
            let run = (stream.unit() * look.stuffing * 24.0) as usize;
            let end = left - run.min(left);
            while left > end {
                out.push(b' ');
                let begin = out.len();
                if language == Language::English && stream.falls(0.7) {
                    let query = self.query_rank(stream.unit());
                    self.push_query(out, query);
                } else {
                    self.words.push_topical(out, language, topic, stream.draw());
                }
                let blanks = out[begin..].iter().filter(|byte| **byte == b' ').count();
                left = left.saturating_sub(1 + blanks);
            }
            if left > 0 {
                out.push(b' ');
            }
        }
    }
}
