//! A survey of a month: what the pages of ordinary hosts link to, counted before anything is resolved or merged.
//!
//! The true graph has forgotten which links stood in the text and which in the template. Settings speak of the
//! text, so what they ask for can only be measured here.

use super::InvitroError;
use super::Web;
use super::address::{Asked, Guise};
use super::host::UrlStyle;
use super::links::{Area, Link};
use super::robots::Shape;
use crate::collection::progress::Meter;
use rayon::prelude::*;

/// The areas of a page, in the order of [`Survey::links`].
pub const AREAS: [&str; 6] = [
    "navigation",
    "breadcrumbs",
    "text",
    "events",
    "side bar",
    "footer",
];
const CHUNK: u64 = 4096;

/// Counts over the pages of ordinary hosts that answer in a month, each page under its own address.
#[derive(Debug, Default)]
pub struct Survey {
    pub pages: u64,
    /// Exact copies of other pages.
    pub copies: u64,
    /// Variations of other pages.
    pub variations: u64,
    pub noindex: u64,
    pub disallowed: u64,
    /// Links of each area: all, and those that stay on the host.
    pub links: [[u64; 2]; 6],
    /// Links of the text that are marked nofollow.
    pub nofollow: u64,
    /// Links in the text of each page that is neither a copy nor a variation.
    pub text_degrees: Vec<u32>,
    /// By slot of an ordinary host: links from the text of those pages on other hosts.
    pub text_in_links: Vec<u64>,
}

/// Manners of a host that no other table has.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    pub charset: &'static str,
    pub robots: &'static str,
    pub addresses: &'static str,
}

impl Survey {
    fn add(mut self, other: Self) -> Self {
        self.pages += other.pages;
        self.copies += other.copies;
        self.variations += other.variations;
        self.noindex += other.noindex;
        self.disallowed += other.disallowed;
        self.nofollow += other.nofollow;
        for (mine, theirs) in self.links.iter_mut().zip(other.links) {
            mine[0] += theirs[0];
            mine[1] += theirs[1];
        }
        self.text_degrees.extend(other.text_degrees);
        if self.text_in_links.is_empty() {
            self.text_in_links = other.text_in_links;
        } else {
            for (mine, theirs) in self.text_in_links.iter_mut().zip(other.text_in_links) {
                *mine += theirs;
            }
        }
        self
    }
}

impl Web {
    /// Surveys a month; the meter counts pages. `self` should be [`Web::with_table`] of that month.
    pub fn survey(&self, month: u32, meter: &Meter) -> Result<Survey, InvitroError> {
        let hosts = self.layout.hosts;
        // pieces of about the same number of pages, whole hosts where they are small
        let pages = self.layout.first(hosts);
        let pieces: Vec<(u64, u64)> = (0..pages.div_ceil(CHUNK))
            .map(|piece| (piece * CHUNK, ((piece + 1) * CHUNK).min(pages)))
            .collect();
        pieces
            .into_par_iter()
            .map(|(first, end)| {
                meter.advance(end - first)?;
                Ok(self.survey_pages(first, end, month))
            })
            .try_reduce(Survey::default, |one, other| Ok(one.add(other)))
    }

    fn survey_pages(&self, first: u64, end: u64, month: u32) -> Survey {
        let mut survey = Survey {
            text_in_links: vec![0; self.layout.hosts as usize],
            ..Survey::default()
        };
        let mut links: Vec<Link> = Vec::new();
        let mut path = Vec::new();
        let mut slot = self.layout.slot_of(first);
        let mut page = first;
        while page < end {
            let start = self.layout.first(slot);
            let stop = (start + self.layout.size(slot)).min(end);
            let host = self.host(slot, month);
            let home = Asked::Page {
                index: 0,
                guise: Guise::Page,
            };
            if self.is_present(slot, month) && self.status(&host, home) == 200 {
                for index in page - start..stop - start {
                    let is_copy = self.original(&host, index) != index;
                    let is_variation = self.near_original(&host, index) != index;
                    path.clear();
                    self.push_target(&mut path, &host, index, Guise::Page, month);
                    survey.pages += 1;
                    survey.copies += u64::from(is_copy);
                    survey.variations += u64::from(is_variation);
                    survey.noindex += u64::from(self.is_noindex(&host, index));
                    survey.disallowed += u64::from(!self.is_allowed(&host, &path));
                    links.clear();
                    self.links(&host, index, Guise::Page, month, &mut links);
                    survey.count(&links, slot, !is_copy && !is_variation);
                }
            }
            page = stop;
            slot += 1;
        }
        survey
    }

    /// Charset, robots.txt and kind of addresses of every host.
    pub fn manners(&self, month: u32) -> Vec<Manners> {
        (0..self.layout.num_slots())
            .map(|slot| {
                let host = self.host(slot, month);
                Manners {
                    charset: host.charset,
                    robots: match host.robots.shape {
                        Shape::Missing => "missing",
                        Shape::Open => "open",
                        Shape::Folder => "folder",
                        Shape::Exception => "exception",
                        Shape::NoQuery => "no query",
                        Shape::Odd => "odd",
                        Shape::Closed => "closed",
                        Shape::Broken => "broken",
                    },
                    addresses: match host.url_style {
                        UrlStyle::Html => "html",
                        UrlStyle::Bare => "bare",
                        UrlStyle::Dynamic => "dynamic",
                    },
                }
            })
            .collect()
    }
}

impl Survey {
    fn count(&mut self, links: &[Link], slot: u64, is_own: bool) {
        let mut degree = 0;
        for link in links {
            let is_inner = link.target.slot == slot;
            let area = match link.area {
                Area::Navigation => 0,
                Area::Breadcrumbs => 1,
                Area::Text => 2,
                Area::Event => 3,
                Area::SideBar => 4,
                Area::Footer => 5,
            };
            self.links[area][0] += 1;
            self.links[area][1] += u64::from(is_inner);
            if link.area == Area::Text {
                degree += 1;
                self.nofollow += u64::from(link.nofollow);
                let place = link.target.slot as usize;
                if is_own && !is_inner && place < self.text_in_links.len() {
                    self.text_in_links[place] += 1;
                }
            }
        }
        if is_own {
            self.text_degrees.push(degree);
        }
    }
}
