//! Where a page leads: links in normal form, without those that went by lately.

use super::Result;
use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::filters::Subject;
use super::log::Source;
use super::loops::Loop;
use super::page::Page;
use super::record::{Batch, MAX_REDIRECTS, Record};
use super::requisites::{self, MAX_STEPS};
use super::sieve;
use super::skip_reasons::Reason;
use super::url_cache::UrlCache;
use crate::web::html::{self, NOFOLLOW};
use crate::web::url;

/// Links of a page in normal form, one behind the other.
#[derive(Default)]
struct Found {
    urls: Vec<u8>,
    places: Vec<Place>,
    hashes: Vec<u64>,
}

struct Place {
    begin: usize,
    depth: u8,
    /// from resource to resource
    steps: u8,
    /// an image or the like, and no page
    is_part: bool,
}

/// How a URL was reached.
#[derive(Clone, Copy, Default)]
pub(super) struct Step {
    pub depth: u8,
    /// and steps from resource to resource
    pub redirects: u8,
    pub is_part: bool,
    /// the schedule filter is not asked: a page that is stored cannot be shown without it
    pub is_free: bool,
}

impl Fetcher {
    /// Sends where a page leads to the frontier.
    pub(super) async fn follow(&self, asked: &Asked<'_>, page: &Page) -> Result<()> {
        let limits = &self.config.limits;
        let mut batch = Batch::default();
        if let Some(target) = &page.location {
            let most = limits.max_redirects.min(MAX_REDIRECTS);
            if asked.task.redirects < most && self.admits(1, page, asked).await? {
                let is_local = url::split(target).0 == &*asked.visit.origin;
                let depth = if is_local { asked.task.depth } else { 0 };
                let redirects = asked.task.redirects + 1;
                let source = self.source(asked, &page.url, 'R');
                let is_part = asked.task.is_part;
                let step = Step {
                    depth,
                    redirects,
                    is_part,
                    is_free: is_part && limits.offsite_resources,
                };
                self.push(&mut batch, &source, target, step);
            } else {
                self.cut(Reason::Redirects, target);
            }
            return self.send(batch, &page.url);
        }
        let obeys = limits.obey_robots && page.robots & NOFOLLOW != 0;
        if obeys || page.answer.status != 200 || !self.admits(1, page, asked).await? {
            return Ok(());
        }
        let timer = self.clock_in();
        let mut found = Found::default();
        let mut met = 0;
        if let Some(scan) = &page.scan {
            let mut form = Vec::new();
            let mut base = page.url.clone();
            if let Some(other) = scan.base()
                && url::normalize(other, Some(&page.url), usize::MAX, &mut form).is_ok()
            {
                base = String::from_utf8_lossy(&form).into_owned();
            }
            let base = url::Base::new(&base);
            let is_duplicate = page.earlier.is_some() && scan.fingerprint.is_some();
            let (origin, own) = (&asked.visit.origin, &asked.task.target);
            let looped = Loop::of(page.copies, is_duplicate, origin, own);
            for link in &scan.links {
                met += 1;
                let is_refused = link.rel & 1 != 0 && !limits.follow_nofollow
                    || link.kind == html::Kind::Canonical && !limits.follow_canonical;
                if is_refused {
                    let is_canonical = link.kind == html::Kind::Canonical;
                    add(&self.tools.counters.filtered, 1);
                    self.cut(
                        [Reason::Nofollow, Reason::Canonical][usize::from(is_canonical)],
                        scan.target(link),
                    );
                    continue;
                }
                let is_frame = matches!(link.kind, html::Kind::Frame | html::Kind::Iframe);
                let is_part = !link.kind.is_page() || is_frame && limits.resources;
                let before = found.places.len();
                self.find_link(&mut found, asked, scan.target(link), is_part, &base);
                if let Some(looped) = looped.as_ref().filter(|_| found.places.len() > before) {
                    self.leave_out(&mut found, looped, link.kind == html::Kind::Refresh);
                }
            }
            if limits.resources && scan.links.iter().all(|link| link.kind != html::Kind::Icon) {
                // where browsers look for an icon that no page names
                let base = url::Base::new(&page.url);
                self.find_link(&mut found, asked, "/favicon.ico", true, &base);
            }
        } else if limits.resources
            && let Some(parts) = requisites::references(page, asked.task.is_part)
        {
            let base = url::Base::new(&page.url);
            for target in parts {
                met += 1;
                self.find_link(&mut found, asked, &target, true, &base);
            }
        }
        let mut sources = ['L', 'E'].map(|letter| self.source(asked, &page.url, letter));
        if let Some(sitemap) = self.open_sitemap(asked, page) {
            let base = url::Base::new(&page.url);
            for target in &sitemap.locations {
                met += 1;
                self.find_link(&mut found, asked, target, false, &base);
            }
            if sitemap.level > 0 {
                sources[0] = self.source_at(asked, &page.url, 'M', sitemap.level);
            }
        }
        let is_free = page.is_kept && limits.offsite_resources;
        self.push_links(&mut batch, &sources, &found, is_free);
        add(&self.tools.counters.links, met);
        self.clock_out(&self.tools.counters.links_ns, timer);
        self.send(batch, &page.url)
    }

    /// Adds the normal form of a link, unless it has none or lies too deep.
    fn find_link(
        &self,
        found: &mut Found,
        asked: &Asked,
        target: &str,
        is_part: bool,
        base: &url::Base,
    ) {
        let limits = &self.config.limits;
        let begin = found.urls.len();
        if url::resolve(target, Some(base), limits.max_url_length, &mut found.urls).is_err() {
            add(&self.tools.counters.rejected, 1);
            self.cut(Reason::Rejected, target);
            return;
        }
        let form = &found.urls[begin..];
        // depth is the distance from where the host was entered
        let behind = form.strip_prefix(asked.visit.origin.as_bytes());
        let depth = match behind.and_then(<[u8]>::first) {
            // what a page needs to be shown lies as deep as the page
            Some(b'/') => asked.task.depth.saturating_add(u8::from(!is_part)),
            _ => 0,
        };
        let steps = if is_part && asked.task.is_part {
            asked.task.redirects.saturating_add(1)
        } else {
            0
        };
        if depth > limits.max_depth || steps > MAX_STEPS {
            add(&self.tools.counters.filtered, 1);
            self.cut(Reason::Depth, &String::from_utf8_lossy(form));
            found.urls.truncate(begin);
            return;
        }
        found.hashes.push(sieve::hash(form));
        found.places.push(Place {
            begin,
            depth,
            steps,
            is_part,
        });
    }

    /// Takes the link that was found last back, if it leads on to copies without end.
    fn leave_out(&self, found: &mut Found, looped: &Loop, is_refresh: bool) {
        let Some(place) = found.places.last().filter(|place| !place.is_part) else {
            return;
        };
        let form = String::from_utf8_lossy(&found.urls[place.begin..]);
        if looped.refuses(&form, is_refresh) {
            add(&self.tools.counters.filtered, 1);
            self.cut(Reason::Repeat, &form);
            let begin = place.begin;
            found.urls.truncate(begin);
            found.places.pop();
            found.hashes.pop();
        }
    }

    /// Puts what was found on a page into a batch.
    fn push_links(
        &self,
        batch: &mut Batch,
        [link, part]: &[Source; 2],
        found: &Found,
        is_free: bool,
    ) {
        // normal forms are ASCII
        let Ok(urls) = std::str::from_utf8(&found.urls) else {
            return;
        };
        let ends = found.places[1.min(found.places.len())..]
            .iter()
            .map(|place| place.begin)
            .chain([urls.len()]);
        let links = found.places.iter().zip(ends).zip(&found.hashes);
        for (number, ((place, end), hash)) in links.enumerate() {
            if number.is_multiple_of(UrlCache::GROUP) {
                let next = &found.hashes[number..];
                self.tools
                    .cache
                    .borrow()
                    .touch(&next[..next.len().min(UrlCache::GROUP)]);
            }
            let source = if place.is_part { part } else { link };
            self.push_hashed(
                batch,
                source,
                &urls[place.begin..end],
                *hash,
                Step {
                    depth: place.depth,
                    redirects: place.steps,
                    is_part: place.is_part,
                    is_free: is_free && place.is_part,
                },
            );
        }
    }

    /// Puts a URL into a batch, unless it went by lately or the schedule filter refuses it.
    pub(super) fn push(&self, batch: &mut Batch, source: &Source, found: &str, step: Step) {
        let hash = sieve::hash(found.as_bytes());
        self.push_hashed(batch, source, found, hash, step);
    }

    fn push_hashed(&self, batch: &mut Batch, source: &Source, found: &str, hash: u64, step: Step) {
        let filter = self.config.filters.schedule.as_ref();
        // the cache also holds links that the filter refused, and not as resources of a page
        let is_apart = step.is_free && filter.is_some();
        let key = if is_apart { hash.rotate_left(32) } else { hash };
        let is_new = || self.tools.cache.borrow_mut().insert(key);
        if let Some(filter) = filter.filter(|_| !step.is_free) {
            let subject = Subject {
                url: found,
                source: Some(source.url),
                depth: u32::from(step.depth),
                response: None,
            };
            // what is refused on one page may be let through on another: only then is the cache not asked first
            if !filter.has_source && !is_new() {
                return;
            }
            if filter.admits(&subject) == Some(false) {
                add(&self.tools.counters.filtered, 1);
                self.cut(Reason::Schedule, found);
                return;
            }
            if filter.has_source && !is_new() {
                return;
            }
        } else if !is_new() {
            return;
        }
        batch.push(
            hash,
            &Record {
                depth: step.depth,
                redirects: step.redirects,
                is_part: step.is_part,
                validators: source.way.as_deref(),
                url: found,
            },
        );
    }
}
