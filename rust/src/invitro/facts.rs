//! The truth about single addresses and about all nodes of a graph.

use super::Web;
use super::address::{Asked, Guise, Target};
use super::draw::hash;
use super::host::Host;
use super::links::{Area, Link};
use super::page::View;
use rayon::prelude::*;

/// What is known about an address in a month.
#[derive(Debug, Default)]
pub struct Facts {
    pub status: u16,
    pub allowed: bool,
    pub slot: u64,
    pub topic: u64,
    pub is_spam: bool,
    pub is_trap: bool,
    pub is_noindex: bool,
    pub language: &'static str,
    pub title: String,
    pub text: String,
    pub duplicate_of: Option<String>,
    pub near_duplicate_of: Option<String>,
}

/// Columns about the nodes of a graph.
#[derive(Debug, Default)]
pub struct Columns {
    pub slots: Vec<u64>,
    pub topics: Vec<u64>,
    /// Equal for addresses with the same page behind them.
    pub pages: Vec<u64>,
    /// Equal for addresses that differ in session identifiers or in the order of parameters alone.
    pub places: Vec<u64>,
    /// Equal for pages that are variations of one page.
    pub families: Vec<u64>,
    /// Equal as long as the main content of the page does not change.
    pub contents: Vec<u64>,
}

impl Web {
    /// Splits an address into host and target, if it has the scheme of this web.
    pub fn split_url<'u>(&self, url: &'u str) -> Option<(&'u str, &'u str)> {
        let scheme = std::str::from_utf8(self.scheme()).ok()?;
        let rest = url.strip_prefix(scheme)?;
        Some(rest.split_at(rest.find('/')?))
    }

    /// The host of an address and what it names there; none where no such host is in that month.
    pub fn locate(&self, url: &str, month: u32) -> Option<(Host, bool, Asked)> {
        let (name, target) = self.split_url(url)?;
        let (host, is_mirror) = self.find_host(name.as_bytes(), month)?;
        let asked = self.read_target(&host, target.as_bytes(), month);
        Some((host, is_mirror, asked))
    }

    /// Target, address, whether it is nofollow, and anchor text of each link of a page, in the order of the document.
    pub fn links_of(&self, url: &str, month: u32) -> Vec<(Link, String, String)> {
        let Some((host, is_mirror, asked)) = self.locate(url, month) else {
            return Vec::new();
        };
        if self.status(&host, asked) != 200 {
            return Vec::new();
        }
        let (index, guise) = match asked {
            Asked::Page { index, guise } if is_page(guise) => (index, guise),
            Asked::Nothing => return vec![self.link_of_soft_error(&host, month)],
            _ => return Vec::new(),
        };
        let guise = if is_mirror { Guise::Mirror } else { guise };
        let mut links = Vec::new();
        self.links(&host, index, guise, month, &mut links);
        links
            .iter()
            .map(|link| {
                let there = self.host(link.target.slot, month);
                let (mut address, mut anchor) = (Vec::new(), Vec::new());
                self.push_url(
                    &mut address,
                    &there,
                    link.target.index,
                    link.target.guise,
                    month,
                );
                self.push_title(&mut anchor, &there, link.target.index, month, 2);
                (*link, into_text(address), into_text(anchor))
            })
            .collect()
    }

    /// The one link of a page that says, with status 200, that nothing is there.
    fn link_of_soft_error(&self, host: &Host, month: u32) -> (Link, String, String) {
        let target = Target::page(host.slot, 0);
        let link = Link {
            target,
            area: Area::Text,
            nofollow: false,
        };
        let mut address = Vec::new();
        self.push_url(&mut address, host, 0, Guise::Page, month);
        (link, into_text(address), "home page".to_owned())
    }

    /// Everything about one address.
    pub fn facts(&self, url: &str, month: u32) -> Option<Facts> {
        let (host, is_mirror, asked) = self.locate(url, month)?;
        let (_, path) = self.split_url(url)?;
        let mut facts = Facts {
            status: self.status(&host, asked),
            allowed: self.is_allowed(&host, path.as_bytes()),
            slot: host.slot,
            topic: host.topic,
            is_spam: host.farm.is_some(),
            language: host.language.code(),
            ..Facts::default()
        };
        let Asked::Page { index, guise } = asked else {
            return Some(facts);
        };
        facts.is_trap = matches!(guise, Guise::Calendar(_) | Guise::Deeper(_));
        if !is_page(guise) || facts.status != 200 {
            return Some(facts);
        }
        facts.topic = self.page_topic(&host, index);
        facts.is_noindex = self.is_noindex(&host, index);
        let mut title = Vec::new();
        self.push_title(&mut title, &host, index, month, 3);
        facts.title = into_text(title);
        let mut links = Vec::new();
        self.links(&host, index, guise, month, &mut links);
        let view = View {
            host: &host,
            index,
            guise,
            month,
            is_browser: false,
        };
        facts.text = self.main_text(view, &links);
        let address = |index: u64| {
            let mut out = Vec::new();
            self.push_url(&mut out, &host, index, Guise::Page, month);
            into_text(out)
        };
        let original = self.original(&host, index);
        if original != index || guise != Guise::Page || is_mirror {
            facts.duplicate_of = Some(address(original));
        }
        let near = self.near_original(&host, original);
        if near != original {
            facts.near_duplicate_of = Some(address(near));
        }
        Some(facts)
    }

    /// Columns for the nodes of a graph of `month`.
    pub fn columns(&self, nodes: &[Target], month: u32) -> Columns {
        let rows: Vec<[u64; 6]> = nodes
            .par_iter()
            .map(|target| {
                let host = self.host(target.slot, month);
                let is_page = is_page(target.guise);
                let index = if is_page {
                    self.original(&host, target.index)
                } else {
                    u64::MAX >> 1
                };
                // what is not there looks the same on all hosts that do not say so by the status
                let key = |index: u64| match is_page {
                    true => self.page_key(&host, index, month),
                    false => index,
                };
                let (near, topic) = if is_page {
                    (
                        self.near_original(&host, index),
                        self.page_topic(&host, index),
                    )
                } else {
                    (index, host.topic)
                };
                let events = self.events_on(&host, index, month).count() as u64
                    + self.attention_on(&host, index, month);
                let version = u64::from(self.page_version(&host, near, month).count);
                let content = hash(hash(key(index), version), events);
                let place = match target.guise {
                    guise if is_page => {
                        let own = self.page_key(&host, target.index, month);
                        hash(own, u64::from(guise == Guise::Mirror))
                    }
                    _ => hash(hash(index, target.slot), target.index),
                };
                [target.slot, topic, key(index), place, key(near), content]
            })
            .collect();
        let column = |place: usize| rows.iter().map(|row| row[place]).collect();
        Columns {
            slots: column(0),
            topics: column(1),
            pages: column(2),
            places: column(3),
            families: column(4),
            contents: column(5),
        }
    }
}

/// Whether a guise shows the page itself.
fn is_page(guise: Guise) -> bool {
    matches!(
        guise,
        Guise::Page | Guise::Mirror | Guise::Session(_) | Guise::Shuffled
    )
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("addresses and words are UTF-8")
}
