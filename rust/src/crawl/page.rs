//! What becomes of an answer: is it a page, was it there before, where does it lead, and what is kept of it.

use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::flusher::Stored;
use super::messages::{Copies, Earlier, Event, Notice, Outcome, Question};
use super::signals::{self, Signals};
use super::skip_reasons::Reason;
use super::{Result, sieve};
use crate::archive::warc::{Capture, Profile, Revisit, Truncated};
use crate::web::html::kinds::{is_html, is_text, looks_like_html};
use crate::web::html::{self, Scan, Wants};
use crate::web::http::{Answer, Cut, LARGE};
use crate::web::url;
use tokio::sync::oneshot;

/// Pages of an event loop that are between scan and end: when the frontier is busy, others wait as they came.
pub const READERS: usize = 64;

/// A page on its way through the fetcher.
pub struct Page {
    pub url: String,
    pub answer: Answer,
    pub content_type: String,
    pub charset: Option<String>,
    pub is_decoded: bool,
    pub digest: [u8; 20],
    /// of what a `response` record would hold
    pub block_digest: [u8; 20],
    /// of HTML
    pub scan: Option<Box<Scan>>,
    pub robots: u8,
    /// whether it is to be stored
    pub is_kept: bool,
    /// it says with status 200 that nothing is there
    pub is_soft: bool,
    /// it is a robots.txt, stored as evidence, and no page
    pub is_robots: bool,
    /// what the server sent; a page that was not modified is read as one with status 200
    pub sent_status: u16,
    pub signals: Signals,
    /// 64 bits of what it shows, digits aside; of what is no HTML, of its digest
    pub shape: u64,
    pub earlier: Option<Earlier>,
    /// the capture of an earlier snapshot with the same payload
    pub past: Option<Earlier>,
    pub copies: Copies,
    /// where a redirect leads
    pub location: Option<String>,
    /// `http-equiv` and the like aside, what the header says
    pub declared: String,
}

impl Page {
    /// Whether the host said that an earlier capture still holds.
    fn is_unmodified(&self) -> bool {
        self.sent_status == 304
    }
}

impl Fetcher {
    /// Reads an answer, sends its links to the frontier and its records to the flusher.
    pub async fn receive(&self, asked: &Asked<'_>, mut answer: Answer) -> Result<Outcome> {
        let counters = &self.tools.counters;
        add(
            &counters.statuses[usize::from(answer.status / 100).min(5)],
            1,
        );
        add(&counters.bytes, answer.num_bytes);
        let (is_decoded, _large) = self.decode(asked, &mut answer).await;
        if asked.task.robots_for.is_some() {
            return self.receive_robots(asked, answer, is_decoded);
        }
        if asked.task.is_probe && answer.status != 200 {
            return Ok(Outcome::Probed { soft: None });
        }
        let mut is_farewell = false;
        let is_error = matches!(answer.status, 429 | 500 | 502 | 503 | 504);
        if is_error {
            let after = answer.retry_after();
            let attempts = self.config.retries.last().map_or(0, Vec::len);
            // who asks for more patience than there is gets no request at all
            is_farewell = after > self.config.limits.max_retry_after;
            if !is_farewell && usize::from(asked.task.attempt) < attempts {
                let task = asked.task.clone();
                return Ok(Outcome::Unavailable { task, after });
            }
        }
        let mut page = self.page(asked, answer, is_decoded);
        add(&counters.payload, page.answer.body.len() as u64);
        self.recall_payload(asked, &mut page);
        if let Some(cut) = page.answer.cut {
            add(&counters.truncated, 1);
            add(counters.cut(cut), 1);
        }
        let _turn = self.tools.readers.acquire().await.ok();
        let soft = self.read(asked, &mut page).await?;
        let is_page =
            page.answer.status == 200 && is_text(&page.content_type) && !asked.task.is_probe;
        add(&counters.pages, u64::from(is_page));
        let depth = usize::from(asked.task.depth).min(counters.depths.len() - 1);
        add(&counters.depths[depth], u64::from(is_page));
        if page.is_soft {
            if is_page {
                add(&counters.soft_404, 1);
                self.cut(Reason::SoftError, &page.url);
            }
        } else {
            let is_duplicate = page.earlier.is_some();
            add(&counters.duplicates, u64::from(is_page && is_duplicate));
            if !is_duplicate || self.config.limits.follow_duplicates {
                self.follow(asked, &page).await?;
            }
        }
        let stored = page.is_kept.then(|| self.store(asked, &page)).transpose()?;
        self.log_page(asked, &page);
        let _ = self.tools.events.send(Event::Done {
            hash: sieve::hash(page.url.as_bytes()),
            stored: stored.map(Box::new),
        });
        if asked.visit.is_sample && is_page && !page.is_soft {
            let _ = self.tools.notices.send(Notice::Sample {
                origin: asked.visit.origin.to_string(),
                url: page.url.clone(),
                status: page.answer.status,
                content_type: page.content_type.clone(),
                body: page.answer.body.clone(),
            });
        }
        if self.config.limits.scheduled && !asked.task.is_probe {
            let content = self.content(&page);
            self.report_visit(asked, &page, is_page, content);
        }
        let pattern = self.observe(asked, &page);
        let sitemap_size = self.sitemap_size(&page);
        add(&counters.sitemaps, u64::from(sitemap_size > 0));
        // one that grew with a large page would stay large
        if let Some(scan) = page.scan.take().filter(|scan| scan.num_bytes() < LARGE) {
            self.tools.scans.borrow_mut().push(scan);
        }
        if asked.task.is_probe {
            return Ok(Outcome::Probed { soft });
        }
        Ok(Outcome::Answered {
            is_page,
            is_farewell,
            is_error,
            pattern,
            sitemap_size,
        })
    }

    /// An answer as a page of which nothing is known yet but its digest.
    pub(super) fn page(&self, asked: &Asked, answer: Answer, is_decoded: bool) -> Page {
        let (content_type, charset) = answer.content_type();
        let mut page = Page {
            url: format!("{}{}", asked.visit.origin, asked.task.target),
            declared: content_type.clone(),
            content_type,
            charset,
            is_decoded,
            digest: [0; 20],
            block_digest: [0; 20],
            scan: None,
            robots: 0,
            is_kept: false,
            is_soft: false,
            is_robots: false,
            sent_status: answer.status,
            signals: Signals::new(),
            shape: 0,
            earlier: None,
            past: None,
            copies: Copies::default(),
            location: None,
            answer,
        };
        if page.content_type.is_empty() && looks_like_html(&page.answer.body) {
            page.content_type = "text/html".into();
        }
        if page.answer.undecoded.is_some() {
            // what is stored is the coded body, and no page
            page.content_type = "application/octet-stream".into();
        }
        let timer = self.clock_in();
        let Answer { head, body, .. } = &page.answer;
        [page.digest, page.block_digest] = self
            .tools
            .encoder
            .borrow_mut()
            .digest(head, body, is_decoded);
        self.clock_out(&self.tools.counters.digest_ns, timer);
        page
    }

    /// The target of a redirect, in normal form.
    pub(super) fn location(&self, asked: &Asked, answer: &Answer) -> Option<String> {
        let value = String::from_utf8_lossy(answer.header("location")?).into_owned();
        let base = format!("{}{}", asked.visit.origin, asked.task.target);
        let mut form = Vec::new();
        url::normalize(
            &value,
            Some(&base),
            self.config.limits.max_url_length,
            &mut form,
        )
        .ok()?;
        String::from_utf8(form).ok()
    }

    /// Scans what is HTML, and asks whether it was there before.
    async fn read(&self, asked: &Asked<'_>, page: &mut Page) -> Result<Option<u64>> {
        if (300..400).contains(&page.answer.status) && page.answer.status != 304 {
            page.location = self.location(asked, &page.answer);
        }
        for (name, value) in page.answer.headers() {
            if name.eq_ignore_ascii_case(b"x-robots-tag") {
                let value = String::from_utf8_lossy(value);
                page.robots |= html::parse_robots_directives(&value, &self.config.agents);
            }
        }
        if is_html(&page.content_type)
            && page.answer.status == 200
            && self.admits(0, page, asked).await?
        {
            let timer = self.clock_in();
            let mut scan = self.tools.scans.borrow_mut().pop().unwrap_or_default();
            let name = asked.visit.origin.rsplit('.').next().unwrap_or("");
            let mut wants = Wants {
                resources: self.config.limits.resources,
                agents: &self.config.agents,
                tld: name.split([':', '/']).next().unwrap_or(""),
                ..Wants::default()
            };
            self.wants_contents(&mut wants);
            html::scan(
                &page.answer.body,
                page.charset.as_deref(),
                &wants,
                &mut scan,
            );
            page.robots |= scan.robots;
            page.shape = scan.shape();
            scan.release(LARGE);
            page.scan = Some(scan);
            self.clock_out(&self.tools.counters.parse_ns, timer);
        } else {
            let [a, b, c, d, e, f, g, h, ..] = page.digest;
            page.shape = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        }
        let soft = self.judge_soft(asked, page);
        page.signals = signals::gather(asked, page);
        if asked.task.is_probe {
            return Ok(soft);
        }
        page.is_kept = self.may_keep(page) && self.admits(2, page, asked).await?;
        if page.answer.status == 200 && !page.answer.body.is_empty() {
            let (reply, told) = oneshot::channel();
            let _ = self.tools.events.send(Event::Ask(Question {
                digest: page.digest,
                fingerprint: page.scan.as_ref().and_then(|scan| scan.fingerprint),
                shape: page.shape,
                url: page.url.clone(),
                date: asked.date,
                is_kept: page.is_kept,
                reply,
            }));
            // nobody answers when the crawl is being given up
            let told = told.await.unwrap_or_default();
            (page.earlier, page.copies) = (told.earlier, told.copies);
            if self.is_revisit(asked.task) {
                // a page that is much like it was is no copy of itself
                page.earlier = page
                    .earlier
                    .take()
                    .filter(|earlier| earlier.is_same || earlier.url != page.url);
            }
            if page.is_kept && page.past.is_none() {
                page.past = self.recall_digest(page);
            }
            if page.earlier.is_some() {
                page.is_kept = page.is_kept && self.admits(2, page, asked).await?;
            }
        }
        Ok(soft)
    }

    /// The revisit record that stands for a page whose payload is stored already.
    fn revisit<'a>(&self, page: &'a Page) -> Option<Revisit<'a>> {
        let profile = match &page.earlier {
            _ if page.is_unmodified() => Profile::NotModified,
            _ if page.past.is_some() => Profile::IdenticalDigest,
            Some(earlier) if earlier.is_same => Profile::IdenticalDigest,
            Some(_) if self.config.limits.store_pointers => Profile::Duplicate,
            _ => return None,
        };
        // what this crawl has of it may be a revisit itself
        let earlier = page.past.as_ref().or(page.earlier.as_ref());
        let (uri, date) = earlier.map_or((page.url.as_str(), 0), |earlier| {
            (earlier.url.as_str(), earlier.date)
        });
        Some(Revisit {
            profile,
            refers_to_uri: uri,
            refers_to_date: date,
        })
    }

    pub(super) fn store(&self, asked: &Asked, page: &Page) -> Result<Stored> {
        let timer = self.clock_in();
        let scan = page.scan.as_ref();
        let revisit = self.revisit(page);
        let is_revisit = revisit.is_some();
        let numbers = [
            asked.task.depth.to_string(),
            asked.took.as_millis().to_string(),
        ];
        let mut metadata = vec![
            ("depth", numbers[0].as_str()),
            ("fetchTimeMs", numbers[1].as_str()),
        ];
        if let Some(encoding) = scan.and_then(|scan| scan.encoding) {
            metadata.push(("charset", encoding.name()));
        }
        if let Some(earlier) = page.earlier.as_ref().filter(|_| !is_revisit) {
            metadata.push(("duplicate-of", &earlier.url));
        }
        if page.is_soft {
            metadata.push(("soft-404", "yes"));
        }
        if let Some(why) = &page.answer.undecoded {
            metadata.push(("undecoded", why));
        }
        if let Some(verdict) = &asked.wire.certificate {
            metadata.push(("certificate", verdict));
        }
        let signals = page.signals.iter();
        metadata.extend(signals.map(|(name, value)| (*name, value.as_str())));
        let truncated = page.answer.cut.map(|cut| match cut {
            Cut::Length => Truncated::Length,
            Cut::Time => Truncated::Time,
            Cut::Disconnect => Truncated::Disconnect,
        });
        let mut protocols: Vec<&str> = asked.wire.protocols.clone();
        if page.answer.is_old {
            protocols[0] = "http/1.0";
        }
        let capture = Capture {
            uri: &page.url,
            date: asked.date,
            ip: Some(asked.visit.address.ip()),
            request: asked.request,
            head: &page.answer.head,
            body: if page.is_unmodified() {
                b""
            } else {
                &page.answer.body
            },
            decoded: page.is_decoded,
            truncated,
            payload_digest: page.digest,
            block_digest: Some(page.block_digest),
            identified_type: Some(page.content_type.as_str()).filter(|kind| *kind != page.declared),
            protocols: &protocols,
            cipher: asked.wire.cipher.as_deref(),
            metadata: &metadata,
            revisit,
        };
        let mut records = Vec::with_capacity(8 << 10);
        let encoded = self
            .tools
            .encoder
            .borrow_mut()
            .encode(&capture, &mut records)?;
        self.clock_out(&self.tools.counters.encode_ns, timer);
        Ok(Stored {
            records,
            encoded,
            url: page.url.clone(),
            date: asked.date,
            mime: if is_revisit {
                "warc/revisit".into()
            } else {
                page.content_type.clone()
            },
            payload_mime: is_revisit.then(|| page.content_type.clone()),
            status: page.sent_status,
            digest: page.digest,
            fingerprint: scan.and_then(|scan| scan.fingerprint),
            duplicate_of: page.earlier.as_ref().map(|earlier| earlier.url.clone()),
            redirect: page.location.clone(),
            robots: signals::robots_of(page),
            signals: signals::join(&page.signals),
            truncated: truncated.map(Truncated::name),
        })
    }
}
