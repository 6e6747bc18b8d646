//! Filters over answers, and the functions of the user's that they ask.

use super::config::{Filters, Judge, Subjects};
use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::filters::{Facts, Filter, Subject};
use super::messages::Event;
use super::page::Page;
use super::record::{Batch, Record};
use super::skip_reasons::Reason;
use super::{CrawlError, Result};
use crate::web::html::{self, Scan, Wants};
use crate::web::language;
use tokio::sync::oneshot;

/// A page that waits for the user's predicates: all that wait are asked about together.
pub struct Pending {
    place: usize,
    subject: Subjects,
    reply: oneshot::Sender<bool>,
}

impl Fetcher {
    /// Sends links to the frontier, those that predicates of the user's let through.
    pub fn send(&self, batch: Batch, source: &str) -> Result<()> {
        let filters = &self.config.filters;
        if !filters.schedule.as_ref().is_some_and(Filter::has_external) {
            let _ = self.tools.events.send(Event::Links(batch));
            return Ok(());
        }
        let read = |(hash, bytes)| Some((hash, Record::read(bytes)?));
        let records: Vec<_> = batch.iter().filter_map(read).collect();
        let urls: Vec<_> = records
            .iter()
            .map(|(_, record)| (record.url, record.depth))
            .collect();
        let told = admit_urls(filters, 0, Some(source), &urls)?;
        let mut admitted = Batch::default();
        for ((hash, record), is_admitted) in records.iter().zip(told) {
            match is_admitted {
                true => admitted.push(*hash, record),
                false => {
                    add(&self.tools.counters.filtered, 1);
                    let cuts = &self.tools.counters.cuts;
                    cuts.note(Reason::Schedule, || record.url.to_owned());
                }
            }
        }
        let _ = self.tools.events.send(Event::Links(admitted));
        Ok(())
    }

    /// Whether the filter at a place (0 parse, 1 follow, 2 store) lets a page through.
    pub(super) async fn admits(
        &self,
        place: usize,
        page: &Page,
        asked: &Asked<'_>,
    ) -> Result<bool> {
        let Some(filter) = at(&self.config.filters, place) else {
            return Ok(true);
        };
        let language = || language_of(&page.answer.body, page.charset.as_deref());
        let facts = Facts {
            status: page.answer.status,
            content_type: &page.content_type,
            body: &page.answer.body,
            digest: &page.digest,
            is_duplicate: page.earlier.is_some(),
            language: &language,
        };
        let depth = u32::from(asked.task.depth);
        let subject = Subject {
            url: &page.url,
            source: None,
            depth,
            response: Some(&facts),
        };
        if let Some(told) = filter.admits(&subject) {
            return Ok(told);
        }
        let (reply, told) = oneshot::channel();
        self.pending.borrow_mut().push(Pending {
            place,
            subject: Subjects {
                url: page.url.clone(),
                source: None,
                depth: asked.task.depth,
                status: page.answer.status,
                content_type: page.content_type.clone(),
                body: Some(page.answer.body.as_slice().into()),
                digest: page.digest,
                is_duplicate: page.earlier.is_some(),
            },
            reply,
        });
        // whoever else is ready joins before the user is asked
        tokio::task::yield_now().await;
        self.ask_user()?;
        told.await.map_err(|_| CrawlError::Callback)
    }

    /// Asks the user's predicates about all pages that wait for them.
    fn ask_user(&self) -> Result<()> {
        let waiting = std::mem::take(&mut *self.pending.borrow_mut());
        let Some(judge) = self
            .config
            .filters
            .judge
            .as_ref()
            .filter(|_| !waiting.is_empty())
        else {
            return Ok(());
        };
        let languages: Vec<_> = waiting
            .iter()
            .map(|page| {
                let body = page.subject.body.clone();
                move || body.as_ref().and_then(|body| language_of(body, None))
            })
            .collect();
        let facts: Vec<_> = waiting
            .iter()
            .zip(&languages)
            .map(|(page, language)| Facts {
                status: page.subject.status,
                content_type: &page.subject.content_type,
                body: page.subject.body.as_deref().unwrap_or_default(),
                digest: &page.subject.digest,
                is_duplicate: page.subject.is_duplicate,
                language,
            })
            .collect();
        let mut told = vec![false; waiting.len()];
        for place in 0..3 {
            let Some(filter) = at(&self.config.filters, place) else {
                continue;
            };
            let chosen: Vec<usize> = (0..waiting.len())
                .filter(|&number| waiting[number].place == place)
                .collect();
            let subjects: Vec<_> = chosen
                .iter()
                .map(|&number| Subject {
                    url: &waiting[number].subject.url,
                    source: None,
                    depth: u32::from(waiting[number].subject.depth),
                    response: Some(&facts[number]),
                })
                .collect();
            let show = |number: usize| waiting[chosen[number]].subject.clone();
            let answers = ask(filter, Some(judge), place + 2, &subjects, &show)?;
            for (number, answer) in chosen.into_iter().zip(answers) {
                told[number] = answer;
            }
        }
        for (page, answer) in waiting.into_iter().zip(told) {
            let _ = page.reply.send(answer);
        }
        Ok(())
    }
}

/// Which URLs, with their depths, the filter of links (0) or of visits (1) lets through.
pub fn admit_urls<T: AsRef<str>>(
    filters: &Filters,
    place: usize,
    source: Option<&str>,
    urls: &[(T, u8)],
) -> Result<Vec<bool>> {
    let Some(filter) = [&filters.schedule, &filters.fetch][place] else {
        return Ok(vec![true; urls.len()]);
    };
    let subjects = urls.iter().map(|(url, depth)| Subject {
        url: url.as_ref(),
        source,
        depth: u32::from(*depth),
        response: None,
    });
    let subjects: Vec<_> = subjects.collect();
    let show = |number: usize| Subjects {
        url: subjects[number].url.to_owned(),
        source: source.map(str::to_owned),
        depth: urls[number].1,
        ..Subjects::default()
    };
    ask(filter, filters.judge.as_ref(), place, &subjects, &show)
}

/// What a filter says of each subject; the user's predicates are asked about all at once, and shown what `show` makes.
fn ask(
    filter: &Filter,
    judge: Option<&Judge>,
    place: usize,
    subjects: &[Subject],
    show: &dyn Fn(usize) -> Subjects,
) -> Result<Vec<bool>> {
    let mut raised = None;
    let told = filter.admits_batch(subjects, &mut |predicate, numbers| {
        let shown: Vec<_> = numbers.iter().map(|&number| show(number)).collect();
        let told = judge.map_or(Ok(Vec::new()), |judge| judge((place, predicate), &shown));
        told.unwrap_or_else(|error| {
            raised = Some(error);
            Vec::new()
        })
    });
    raised.map_or(Ok(told), Err)
}

fn at(filters: &Filters, place: usize) -> Option<&Filter> {
    [&filters.parse, &filters.follow, &filters.store][place].as_ref()
}

/// The language of a page's visible text, by its code of three letters.
fn language_of(body: &[u8], charset: Option<&str>) -> Option<String> {
    let mut scan = Scan::default();
    let wants = Wants {
        text: true,
        ..Wants::default()
    };
    html::scan(body, charset, &wants, &mut scan);
    let found = language::detect(&scan.text)?;
    found.is_reliable().then(|| found.lang().code().to_owned())
}
