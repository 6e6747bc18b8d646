//! ETag and Last-Modified in continuous time, as honest as the host.
//!
//! An honest host derives both from the content, so that they change when it does; they leave out what is different on
//! every visit. A stale host never changes them, whatever happens to the page. A fickle one changes them all the time.
//! Every other host has none.

use super::Web;
use super::draw::{hash, purpose, unit};
use super::links::Link;
use super::page::View;
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_64;

/// The beginning of every web: 1 January 2026, in seconds since 1970.
pub const BEGINNING: u64 = 1_767_225_600;

impl Web {
    /// ETag and Last-Modified of a page that last changed at a tick.
    pub(super) fn validators(
        &self,
        view: View<'_>,
        links: &[Link],
        last: u32,
    ) -> Option<(String, String)> {
        let View {
            host, index, month, ..
        } = view;
        let (honest, stale) = (self.spec.honest_share, self.spec.stale_share);
        let draw = unit(hash(host.key ^ purpose::VOLATILE, purpose::STYLE));
        let key = self.page_key(host, index, month);
        let (tag, moment) = if draw < honest {
            let mut state = self.main_text(view, links).into_bytes();
            for link in links {
                state.extend_from_slice(&link.target.slot.to_le_bytes());
                state.extend_from_slice(&link.target.index.to_le_bytes());
            }
            (xxh3_64(&state), last)
        } else if draw < honest + stale {
            (key, 0)
        } else if draw < honest + stale + self.spec.fickle_share {
            (hash(key, u64::from(month)), month)
        } else {
            return None;
        };
        Some((format!("\"{tag:016x}\""), self.http_date(moment)))
    }

    /// A tick as HTTP writes it.
    fn http_date(&self, moment: u32) -> String {
        let seconds = BEGINNING + self.seconds_until(moment) as u64;
        httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }
}
