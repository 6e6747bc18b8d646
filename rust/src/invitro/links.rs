//! The links of a page, in the order of the document.
//!
//! Most links of a page are its template's, and so the same on all pages of a host or folder: the navigation (home
//! page, sections, popular pages), the breadcrumbs, the side bar (all pages of the folder, and the folders in it) and
//! the partners in the footer. The links of the text are the page's own, or shared by the pages of a folder, as pages
//! about one thing point to the same places: near pages of the host, and pages of other hosts chosen by popularity,
//! mostly of the same topic. A link of the text lives until it is changed, or until the page
//! it points to is replaced; then it vanishes, or stays as a broken link.

use super::Web;
use super::address::{Guise, LOOP, MAX_HOPS, Target};
use super::draw::{Stream, falls, hash, purpose, unit};
use super::events::Kind;
use super::host::{Host, UrlStyle};
use super::layout::{FOLDER_PAGES, child_folders, folder_of, parent_folder};
use super::look::Look;

/// Popular pages in the navigation, and partners in the footer.
const POPULAR: u64 = 8;
const PARTNERS: u64 = 5;
/// Kinds of hazards, see `respond`.
pub const HAZARDS: u8 = 8;

/// The part of a page that a link stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    Navigation,
    Breadcrumbs,
    Text,
    Event,
    SideBar,
    Footer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub target: Target,
    pub area: Area,
    pub nofollow: bool,
}

/// Gathers links that share where they come from.
struct Gather<'a> {
    web: &'a Web,
    host: &'a Host,
    month: u32,
    session: Option<u8>,
    out: &'a mut Vec<Link>,
}

impl Web {
    /// Fills `out` with the links of the page that `index` and `guise` address on `host`.
    pub fn links(&self, host: &Host, index: u64, guise: Guise, month: u32, out: &mut Vec<Link>) {
        let session = self.session(host, index, guise);
        self.header_links(host, session, month, out);
        self.own_links(host, index, session, month, out);
        self.footer_links(host, session, month, out);
    }

    /// The session that the links of a page carry: the one it was asked with, or one it hands out.
    pub fn session(&self, host: &Host, index: u64, guise: Guise) -> Option<u8> {
        host.has_sessions.then(|| match guise {
            Guise::Session(number) => number,
            _ => 1 + (self.original(host, index) % self.spec.sessions) as u8,
        })
    }

    /// The links above the text of every page of a host.
    pub fn header_links(&self, host: &Host, session: Option<u8>, month: u32, out: &mut Vec<Link>) {
        self.gather(host, session, month, out).navigation();
    }

    /// The links below the text of every page of a host.
    pub fn footer_links(&self, host: &Host, session: Option<u8>, month: u32, out: &mut Vec<Link>) {
        self.gather(host, session, month, out).footer();
    }

    /// The links of one page: its place in the folders, and its text.
    pub fn own_links(
        &self,
        host: &Host,
        index: u64,
        session: Option<u8>,
        month: u32,
        out: &mut Vec<Link>,
    ) {
        let content = self.original(host, index);
        let mut gather = self.gather(host, session, month, out);
        gather.breadcrumbs(content);
        gather.text(content);
        gather.events(content);
        gather.side_bar(content);
    }

    fn gather<'a>(
        &'a self,
        host: &'a Host,
        session: Option<u8>,
        month: u32,
        out: &'a mut Vec<Link>,
    ) -> Gather<'a> {
        Gather {
            web: self,
            host,
            month,
            session,
            out,
        }
    }
}

impl Gather<'_> {
    fn push(&mut self, target: Target, area: Area, nofollow: bool) {
        self.out.push(Link {
            target,
            area,
            nofollow,
        });
    }

    /// A link to a page of the same host.
    fn inner(&mut self, index: u64, area: Area) {
        let guise = match self.session {
            Some(number) => Guise::Session(number),
            None => Guise::Page,
        };
        let slot = self.host.slot;
        self.push(Target::new(slot, index, guise), area, false);
    }

    fn navigation(&mut self) {
        let host = self.host;
        self.inner(0, Area::Navigation);
        for folder in child_folders(0, host.size) {
            self.inner(folder * FOLDER_PAGES, Area::Navigation);
        }
        for place in 0..POPULAR.min(host.size / 4) {
            let u = unit(hash(host.key ^ purpose::POPULAR, place));
            self.inner(popular_index(host.size, u), Area::Navigation);
        }
        if host.has_trap {
            let slot = host.slot;
            for guise in [Guise::Calendar(312), Guise::Deeper(1)] {
                self.push(Target::new(slot, 0, guise), Area::Navigation, false);
            }
        }
    }

    fn breadcrumbs(&mut self, content: u64) {
        if content >= self.host.size {
            return;
        }
        let mut folder = folder_of(content);
        while folder > 0 {
            self.inner(folder * FOLDER_PAGES, Area::Breadcrumbs);
            folder = parent_folder(folder);
        }
    }

    fn side_bar(&mut self, content: u64) {
        if content >= self.host.size {
            return;
        }
        let host = self.host;
        let folder = folder_of(content);
        for index in folder * FOLDER_PAGES..((folder + 1) * FOLDER_PAGES).min(host.size) {
            self.inner(index, Area::SideBar);
        }
        if folder > 0 {
            for child in child_folders(folder, host.size) {
                self.inner(child * FOLDER_PAGES, Area::SideBar);
            }
        }
        if content == 0 && host.has_hazards {
            for kind in 0..HAZARDS {
                let target = Target::new(host.slot, 0, Guise::Hazard(kind));
                self.push(target, Area::SideBar, false);
            }
        }
    }

    fn footer(&mut self) {
        for place in 0..PARTNERS {
            let key = hash(self.host.key ^ purpose::PARTNER, place);
            self.outer(key, Area::Footer);
        }
    }

    fn events(&mut self, content: u64) {
        let (web, host, month) = (self.web, self.host, self.month);
        let slot = host.slot;
        if let Some((number, page)) = web.event_of(host, content, month) {
            // an event page links to the others of its host, and to one on each other host
            for other in 0..web.event_pages_per_host() {
                let index = web.event_index(host, number, other);
                self.push(Target::page(slot, index), Area::Event, false);
            }
            self.elsewhere(number, page);
            self.inner(0, Area::Event);
        }
        for (number, pages) in web.links_to_events(host, content, month) {
            for page in 0..pages {
                let index = web.event_index(host, number, page);
                self.push(Target::page(slot, index), Area::Event, false);
            }
            let event = &web.events[number];
            if event.kind == Kind::Links && event.month <= web.month_of(month) {
                self.elsewhere(number, content);
            }
        }
    }

    /// Links to one page of an event on each other host.
    fn elsewhere(&mut self, number: usize, page: u64) {
        let (web, month) = (self.web, self.month);
        for (place, &other) in web.events[number].slots.iter().enumerate() {
            if other != self.host.slot && web.is_present(other, month) {
                let there = web.host(other, month);
                let choice = (page + place as u64) % web.event_pages_per_host();
                let index = web.event_index(&there, number, choice);
                self.push(Target::page(other, index), Area::Event, false);
            }
        }
    }

    /// The links of the text of a page.
    fn text(&mut self, content: u64) {
        let (web, host, month) = (self.web, self.host, self.month);
        if content >= host.size {
            return;
        }
        // variations of a page keep its links
        let source = web.near_original(host, content);
        let key = web.page_key(host, source, month);
        if let Some(look) = web.look(host) {
            self.ring(key, &look);
        } else if let Some(farm) = host.farm {
            self.farm(key, farm.number, farm.member);
        }
        let count = web.degrees.draw(hash(key, purpose::DEGREE));
        let folder = folder_of(source);
        let siblings = hash(host.key ^ purpose::SIBLING, folder);
        for place in 0..u64::from(count) {
            let shared = hash(siblings, place);
            let (key, source) = if falls(shared, web.spec.sibling_share) {
                (shared, folder * FOLDER_PAGES)
            } else {
                (hash(key ^ purpose::LINK, place), source)
            };
            let draw = hash(key, purpose::CHANGE);
            let version = web.events_until(draw, web.spec.link_change_rate, month);
            let mut stream = Stream::new(key, u64::from(version.count));
            if stream.falls(web.spec.local_share) {
                let index = near_index(source, host.size, &mut stream);
                self.text_link(host, index, version.last, &mut stream);
            } else if stream.falls(web.spec.comment_spam_share) && web.layout.spam_hosts > 0 {
                let farms = web.layout.spam_hosts / web.spec.farm_hosts;
                let mut slot = web.layout.hosts + stream.below(farms) * web.spec.farm_hosts;
                if web.spec.spam_camouflage > 0.0 {
                    // who hides has comments for all hosts of the farm, and not for the honey pot alone
                    slot += stream.below(web.spec.farm_hosts);
                }
                if web.is_farming(slot, month) {
                    let nofollow = stream.falls(0.5);
                    let target = Target::page(slot, 0);
                    self.push(target, Area::Text, nofollow);
                }
            } else if let Some((slot, index)) = self.choose_outer(version.last, &mut stream) {
                let there = web.host(slot, month);
                self.text_link(&there, index, version.last, &mut stream);
            }
        }
    }

    /// Links of a spam page: to the honey pot, and to pages of other members.
    fn farm(&mut self, key: u64, number: u64, member: u64) {
        let (web, month) = (self.web, self.month);
        let first = web.layout.hosts + number * web.spec.farm_hosts;
        let mut stream = Stream::new(key, purpose::FARM);
        if member != 0 && web.is_farming(first, month) {
            self.push(Target::page(first, 0), Area::Text, false);
        }
        for _ in 0..12 {
            let slot = first + stream.below(web.spec.farm_hosts);
            let index = stream.below(super::layout::FARM_PAGES);
            if web.is_farming(slot, month) {
                self.push(Target::page(slot, index), Area::Text, false);
            }
        }
    }

    /// Links to other hosts of a farm that hides, or to sister sites.
    fn ring(&mut self, key: u64, look: &Look) {
        let (web, month) = (self.web, self.month);
        for place in 0..look.ring_links {
            let mut stream = Stream::new(key ^ purpose::LOOK, place);
            let slot = web.partner(self.host, look, stream.below(look.partners), month);
            let index = popular_index(web.layout.size(slot), stream.unit());
            let is_there = if self.host.farm.is_some() {
                web.is_farming(slot, month)
            } else {
                web.is_present(slot, month)
            };
            if slot != self.host.slot && is_there {
                self.push(Target::page(slot, index), Area::Text, false);
            }
        }
    }

    /// A page of another host: by popularity, mostly of the own topic, half of the time the home page; chosen in the
    /// month `born`.
    fn choose_outer(&self, born: u32, stream: &mut Stream) -> Option<(u64, u64)> {
        let (web, host) = (self.web, self.host);
        let mut slot = web.popular_hosts.rank(stream.unit());
        if stream.falls(web.spec.topical_share) {
            slot = slot / web.spec.topics * web.spec.topics + host.topic;
        }
        let is_home = stream.falls(0.5);
        let u = stream.unit();
        if slot >= web.layout.hosts {
            return None;
        }
        if web.spec.expired_share > 0.0 && stream.falls(0.5) {
            slot = web.heir(slot, born).unwrap_or(slot);
        }
        if slot == host.slot && host.is_bought || !web.is_present(slot, self.month) {
            return None;
        }
        let index = if is_home {
            0
        } else {
            popular_index(web.layout.size(slot), u)
        };
        Some((slot, index))
    }

    /// A link of the template to another host.
    fn outer(&mut self, key: u64, area: Area) {
        let rate = self.web.spec.link_change_rate;
        let version = self
            .web
            .events_until(hash(key, purpose::CHANGE), rate, self.month);
        let mut stream = Stream::new(key, u64::from(version.count));
        if let Some((slot, index)) = self.choose_outer(version.last, &mut stream) {
            let index = if self.is_lost(&self.web.host(slot, self.month), index, version.last) {
                0
            } else {
                index
            };
            self.push(Target::page(slot, index), area, false);
        }
    }

    /// Whether the page that a link of month `born` meant has been replaced since.
    fn is_lost(&self, there: &Host, index: u64, born: u32) -> bool {
        self.web.page_incarnation(there, index, self.month).last > born
    }

    /// A link of the text: it may go through a redirect, be broken, or name the page otherwise.
    fn text_link(&mut self, there: &Host, index: u64, born: u32, stream: &mut Stream) {
        let (web, spec) = (self.web, &self.web.spec);
        let incarnation = web.page_incarnation(there, index, self.month);
        let nofollow = stream.falls(spec.nofollow_share);
        let guise = if incarnation.last > born {
            if !stream.falls(spec.broken_share * 4.0) {
                return;
            }
            Guise::Old(u8::try_from(incarnation.count - 1).unwrap_or(u8::MAX))
        } else if stream.falls(spec.broken_share) {
            Guise::Missing
        } else if stream.falls(spec.redirect_share) {
            Guise::Redirect([1, 1, 2, MAX_HOPS][stream.below(4) as usize])
        } else if stream.falls(spec.redirect_loop_share) {
            Guise::Loop(stream.below(u64::from(LOOP)) as u8)
        } else if there.slot == self.host.slot && self.session.is_some() {
            Guise::Session(self.session.unwrap_or(1))
        } else if there.has_mirror && stream.falls(0.3) {
            Guise::Mirror
        } else if there.url_style == UrlStyle::Dynamic && index > 0 && stream.falls(0.3) {
            Guise::Shuffled
        } else {
            Guise::Page
        };
        let target = Target::new(there.slot, index, guise);
        self.push(target, Area::Text, nofollow);
    }
}

/// A page of a host by popularity: the first ones more than the last.
#[inline]
fn popular_index(size: u64, u: f64) -> u64 {
    ((size as f64 * u * u * u) as u64).min(size - 1)
}

/// A page near another one of the same host.
#[inline]
fn near_index(index: u64, size: u64, stream: &mut Stream) -> u64 {
    let draw = stream.draw();
    // distances halve in probability every eight pages
    let distance = 1 + (draw.trailing_zeros() as u64) * 8 + (draw >> 32 & 7);
    let forward = falls(hash(draw, 1), 0.5);
    let moved = if forward {
        index + distance
    } else {
        index + size - distance % size
    };
    moved % size
}
