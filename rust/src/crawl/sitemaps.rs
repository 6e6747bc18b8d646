//! Sitemaps, within limits: how deep indexes may lie in each other, and how many sitemaps and bytes a host may send.
//!
//! A sitemap that robots.txt names is on level 1, and so is one that was found in any other way. What an index on level n
//! lists is on level n + 1. An index is read if its level is at most `max_sitemap_depth`; sitemaps.org knows one level. The
//! level of a URL that waits is the fifth line of its validators.

use super::fetcher::{Asked, Fetcher};
use super::frontier::Frontier;
use super::page::Page;
use super::skip_reasons::Reason;
use crate::web::sitemap::{self, Kind};

/// What a sitemap lists.
pub struct Sitemap {
    pub locations: Vec<String>,
    /// of the sitemaps that it lists, 0 for one of pages
    pub level: u8,
}

/// The level of a URL by what it carries along; 0 if it is none of a sitemap.
pub fn level_of(validators: Option<&str>) -> u8 {
    let line = validators.and_then(|text| text.split('\n').nth(4));
    line.and_then(|line| line.parse().ok()).unwrap_or(0)
}

impl Fetcher {
    /// The bytes of an answer that is a sitemap, if sitemaps are wanted; else 0.
    pub(super) fn sitemap_size(&self, page: &Page) -> u64 {
        match self.sitemap_kind(page) {
            Some(_) => page.answer.body.len() as u64,
            None => 0,
        }
    }

    fn sitemap_kind(&self, page: &Page) -> Option<Kind> {
        let is_candidate = self.config.limits.sitemaps
            && page.answer.status == 200
            && page.scan.is_none()
            && page.content_type.ends_with("xml");
        match is_candidate {
            true => sitemap::kind(&page.answer.body),
            false => None,
        }
    }

    /// What a page lists if it is a sitemap and within the limits.
    pub(super) fn open_sitemap(&self, asked: &Asked, page: &Page) -> Option<Sitemap> {
        let kind = self.sitemap_kind(page)?;
        let own = level_of(asked.task.validators.as_deref()).max(1);
        let is_deep = kind == Kind::Index && own > self.config.limits.max_sitemap_depth;
        if is_deep || !asked.visit.may_send_sitemaps {
            self.cut(Reason::Sitemap, &page.url);
            return None;
        }
        Some(Sitemap {
            locations: sitemap::locations(&page.answer.body),
            level: match kind {
                Kind::Index => own.saturating_add(1),
                Kind::Urls => 0,
            },
        })
    }
}

impl Frontier {
    /// Whether a host has sent fewer sitemaps, and bytes of them, than it may.
    pub(super) fn may_send_sitemaps(&self, host: u32) -> bool {
        let (limits, state) = (&self.config.limits, self.bench.get(host));
        let is_below = |limit: u64, value: u64| limit == 0 || value < limit;
        is_below(u64::from(limits.max_sitemaps), u64::from(state.sitemaps))
            && is_below(limits.max_sitemap_bytes, state.sitemap_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::level_of;

    #[test]
    fn a_level_is_the_fifth_line() {
        assert_eq!(level_of(Some("\n\n\n\n2")), 2);
        assert_eq!(level_of(Some("\"tag\"\n\nhttp://a/\nLM\n3")), 3);
        assert_eq!(level_of(Some("\"tag\"\n")), 0);
        assert_eq!(level_of(Some("\n\n\n\nmany")), 0);
        assert_eq!(level_of(None), 0);
    }
}
