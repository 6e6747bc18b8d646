//! A host in a month: its name, place, language, manners and faults, all drawn from its slot.

use super::Web;
use super::draw::{below, falls, hash, purpose, unit};
use super::robots::Robots;
use super::words::Language;

/// How the pages of a host are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlStyle {
    /// `/folder/file.html`
    Html,
    /// `/folder/file`
    Bare,
    /// `/view?cat=3&id=1f`
    Dynamic,
}

/// How the pages of a host write their links to the host itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStyle {
    Absolute,
    /// From the root of the host.
    Rooted,
    /// Relative to the page where the target is in the same folder.
    Relative,
    /// Relative to a `<base>`.
    Based,
}

/// What is wrong with the server of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// Every page is 500.
    Error,
    /// Every page is 503 with Retry-After.
    Unavailable,
    /// The connection is closed without an answer.
    Hangup,
}

/// The farm of a spam host, and its place in it; member 0 is the honey pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Farm {
    pub number: u64,
    pub member: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Host {
    pub slot: u64,
    pub domain: u64,
    pub incarnation: u32,
    /// Everything of this host in this incarnation is drawn from it.
    pub key: u64,
    pub size: u64,
    pub topic: u64,
    pub language: Language,
    pub charset: &'static str,
    pub url_style: UrlStyle,
    pub link_style: LinkStyle,
    pub farm: Option<Farm>,
    /// Whether the farm has bought it from somebody.
    pub is_bought: bool,
    pub robots: Robots,
    pub failing: Option<Failing>,
    pub has_sessions: bool,
    pub has_mirror: bool,
    pub has_trap: bool,
    pub has_soft_404: bool,
    pub has_hazards: bool,
    pub is_slow: bool,
    pub is_compressed: bool,
    pub is_cloaked: bool,
    pub has_canonical: bool,
    pub is_volatile: bool,
}

impl Host {
    /// Whether its pages came about as those of honest hosts do: some are copies, some have died.
    #[inline]
    pub fn grew(&self) -> bool {
        self.farm.is_none() || self.is_bought
    }
}

/// Hosts in a group of eight slots, and the registered domains they belong to: five alone, three on one domain.
const GROUP: u64 = 8;
const GROUP_DOMAINS: u64 = 6;
const SHARED_NAMES: [&str; 3] = ["www", "blog", "shop"];

impl Web {
    /// Registered domain of a slot.
    pub fn domain_of(&self, slot: u64) -> u64 {
        if slot >= self.layout.hosts {
            return self.first_spam_domain() + (slot - self.layout.hosts);
        }
        slot / GROUP * GROUP_DOMAINS + (slot % GROUP).min(GROUP_DOMAINS - 1)
    }

    fn first_spam_domain(&self) -> u64 {
        self.layout.hosts / GROUP * GROUP_DOMAINS + GROUP_DOMAINS
    }

    /// Number of registered domains that may ever exist, and so the room names need.
    pub(super) fn num_domains(hosts: u64, spam_hosts: u64) -> u64 {
        hosts / GROUP * GROUP_DOMAINS + GROUP_DOMAINS + spam_hosts
    }

    fn slots_of_domain(&self, domain: u64) -> std::ops::Range<u64> {
        if domain >= self.first_spam_domain() {
            let slot = self.layout.hosts + (domain - self.first_spam_domain());
            return slot..(slot + 1).min(self.layout.num_slots());
        }
        let place = domain % GROUP_DOMAINS;
        let first = domain / GROUP_DOMAINS * GROUP + place;
        let count = if place == GROUP_DOMAINS - 1 { 3 } else { 1 };
        first.min(self.layout.hosts)..(first + count).min(self.layout.hosts)
    }

    /// How often the domain has died and come back under another name until `month`.
    pub fn domain_incarnation(&self, domain: u64, month: u32) -> u32 {
        if domain >= self.first_spam_domain() {
            return 0;
        }
        let key = hash(self.seed ^ purpose::DOMAIN, domain);
        self.events_until(hash(key, purpose::DEATH), self.spec.host_death_rate, month)
            .count
    }

    /// The host of a slot in a month; whether it answers then is [`Web::is_present`].
    pub fn host(&self, slot: u64, month: u32) -> Host {
        if let Some((cached, hosts)) = &self.table
            && *cached == month
            && let Some(host) = hosts.get(slot as usize)
        {
            return *host;
        }
        let spec = &self.spec;
        let domain = self.domain_of(slot);
        let incarnation = self.domain_incarnation(domain, month);
        let key = hash(
            hash(self.seed ^ purpose::HOST, slot),
            u64::from(incarnation),
        );
        let style = hash(key, purpose::STYLE);
        // one independent draw per question
        let drawn = |what: u64, share: f64| falls(hash(style, what), share);
        // a host that is to be bought keeps its manners when it is
        let is_ordinary = slot < self.layout.hosts;
        let owner = (!is_ordinary).then(|| Farm {
            number: (slot - self.layout.hosts) / spec.farm_hosts,
            member: (slot - self.layout.hosts) % spec.farm_hosts,
        });
        let farm =
            owner.filter(|_| !self.is_bought(slot) || self.joined(slot) <= self.month_of(month));
        let language = Language::of_suffix(self.names.suffix(domain, incarnation));
        // only a host that has its domain for itself: the mirror's name must be free
        let has_mirror =
            is_ordinary && slot % GROUP < GROUP_DOMAINS - 1 && drawn(1, spec.mirror_share);
        let link_style = if has_mirror {
            LinkStyle::Absolute
        } else if drawn(2, spec.relative_share) {
            if drawn(3, spec.base_share) {
                LinkStyle::Based
            } else {
                LinkStyle::Relative
            }
        } else if drawn(4, 0.5) {
            LinkStyle::Absolute
        } else {
            LinkStyle::Rooted
        };
        let url_style = if is_ordinary && drawn(5, spec.dynamic_share) {
            UrlStyle::Dynamic
        } else if drawn(6, 0.7) {
            UrlStyle::Html
        } else {
            UrlStyle::Bare
        };
        let failing =
            (is_ordinary && drawn(7, spec.failing_share)).then(|| match below(hash(style, 8), 3) {
                0 => Failing::Error,
                1 => Failing::Unavailable,
                _ => Failing::Hangup,
            });
        let size = self.layout.size(slot);
        let has_trap = is_ordinary && drawn(9, spec.trap_share);
        Host {
            slot,
            domain,
            incarnation,
            key,
            size,
            topic: match owner {
                Some(farm) => below(hash(self.seed ^ purpose::FARM, farm.number), spec.topics),
                None => slot % spec.topics,
            },
            language,
            charset: language.charset(drawn(10, spec.legacy_charset_share)),
            url_style,
            link_style,
            farm,
            is_bought: self.is_bought(slot),
            robots: Robots::draw(
                spec,
                hash(key, purpose::ROBOTS),
                size,
                has_trap,
                is_ordinary,
            ),
            failing,
            has_sessions: is_ordinary && !has_mirror && drawn(11, spec.session_share),
            has_mirror,
            has_trap,
            has_soft_404: is_ordinary && drawn(12, spec.soft_404_share),
            has_hazards: is_ordinary && drawn(13, spec.hazard_share),
            is_slow: drawn(14, spec.slow_share),
            is_compressed: drawn(15, spec.compressed_share),
            is_cloaked: farm.is_some() && drawn(16, spec.cloaking_share),
            has_canonical: drawn(17, spec.canonical_share),
            is_volatile: drawn(18, spec.volatile_share),
        }
    }

    /// Whether the host of a slot answers in a month: it may be away for one, and farms come and go; what a farm will
    /// buy is there before.
    pub fn is_present(&self, slot: u64, month: u32) -> bool {
        let now = self.month_of(month);
        if slot >= self.layout.hosts && (self.joined(slot) <= now || !self.is_bought(slot)) {
            return self.is_farming(slot, month);
        }
        let draw = hash(hash(self.seed ^ purpose::ABSENCE, slot), u64::from(now));
        !falls(draw, self.spec.host_absence)
    }

    /// Whether the host of a slot is a farm's in a month, and answers.
    pub fn is_farming(&self, slot: u64, month: u32) -> bool {
        let month = self.month_of(month);
        slot >= self.layout.hosts && self.joined(slot) <= month && {
            let farm = (slot - self.layout.hosts) / self.spec.farm_hosts;
            month < self.farm_life(farm).1
        }
    }

    /// The month in which a host becomes part of its farm: a farm starts with a third of its hosts and is complete two
    /// months later; one that has always been there is complete.
    pub fn joined(&self, slot: u64) -> u32 {
        let member = (slot - self.layout.hosts) % self.spec.farm_hosts;
        let (first, _) = self.farm_life((slot - self.layout.hosts) / self.spec.farm_hosts);
        let growth = (3 * member / self.spec.farm_hosts.max(1)) as u32;
        if first == 0 { 0 } else { first + growth }
    }

    /// The months in which a farm lives: from the first, until before the second.
    pub fn farm_life(&self, number: u64) -> (u32, u32) {
        let draw = hash(self.seed ^ purpose::FARM ^ 1 << 32, number);
        let months = u64::from(self.spec.months);
        // every third farm, the first among them, is there all the time
        if number.is_multiple_of(3) {
            return (0, self.spec.months);
        }
        let first = below(hash(draw, 1), months) as u32;
        let span = 2 + below(hash(draw, 2), months.max(2)) as u32;
        (first, first + span)
    }

    /// Appends the host's name; a mirror has one of its own.
    pub fn push_host_name(&self, out: &mut Vec<u8>, host: &Host, mirror: bool) {
        if mirror {
            out.extend_from_slice(b"mirror.");
        } else if host.slot < self.layout.hosts && host.slot % GROUP >= GROUP_DOMAINS - 1 {
            let place = (host.slot % GROUP - (GROUP_DOMAINS - 1)) as usize;
            out.extend_from_slice(SHARED_NAMES[place].as_bytes());
            out.push(b'.');
        } else if hash(host.key, purpose::SLUG) & 1 == 0 {
            out.extend_from_slice(b"www.");
        }
        self.names.push(out, host.domain, host.incarnation);
    }

    pub fn host_name(&self, host: &Host, mirror: bool) -> String {
        let mut name = Vec::new();
        self.push_host_name(&mut name, host, mirror);
        String::from_utf8(name).expect("host names are ASCII")
    }

    /// The host that has this name in a month, and whether it is asked as a mirror; none if nobody has it then.
    pub fn find_host(&self, name: &[u8], month: u32) -> Option<(Host, bool)> {
        let first_dot = name.iter().position(|byte| *byte == b'.')?;
        let (sub, rest) = (&name[..first_dot], &name[first_dot + 1..]);
        let prefixed = matches!(sub, b"www" | b"blog" | b"shop" | b"mirror");
        let registered = if prefixed { rest } else { name };
        let (domain, incarnation) = self.names.read(registered)?;
        if self.domain_incarnation(domain, month) != incarnation {
            return None;
        }
        for slot in self.slots_of_domain(domain) {
            if !self.is_present(slot, month) {
                continue;
            }
            let host = self.host(slot, month);
            for mirror in [false, true] {
                if mirror && !host.has_mirror {
                    continue;
                }
                let mut own = Vec::with_capacity(name.len());
                self.push_host_name(&mut own, &host, mirror);
                if own == name {
                    return Some((host, mirror));
                }
            }
        }
        None
    }

    /// The loopback address of a host: several hosts share one, and all hosts of a farm share two.
    pub fn address(&self, slot: u64) -> [u8; 4] {
        let addresses =
            (self.layout.num_slots() as f64 / self.spec.hosts_per_ip.max(1.0)).max(1.0) as u64;
        let draw = if slot >= self.layout.hosts {
            let farm = (slot - self.layout.hosts) / self.spec.farm_hosts;
            hash(self.seed ^ purpose::ADDRESS ^ 1 << 40, farm * 2 + slot % 2)
        } else {
            hash(self.seed ^ purpose::ADDRESS, slot)
        };
        let number = below(draw, addresses.min(120 << 16));
        // 127.1.0.1 and up; 127.0.0.1 stays free for proxies and other servers
        let place = number + (1 << 16) + 1;
        [127, (place >> 16) as u8, (place >> 8) as u8, place as u8]
    }

    /// Time to the first byte of an answer, in seconds: exponential around the host's own mean.
    pub fn latency(&self, host: &Host, request: u64) -> f64 {
        if self.spec.latency <= 0.0 {
            return 0.0;
        }
        let draw = hash(host.key ^ purpose::LATENCY, 0);
        let mean =
            self.spec.latency * (0.25 + 1.5 * unit(draw)) * if host.is_slow { 20.0 } else { 1.0 };
        let u = unit(hash(host.key ^ purpose::LATENCY, request.wrapping_add(1)));
        -libm::log(1.0 - u) * mean
    }
}
