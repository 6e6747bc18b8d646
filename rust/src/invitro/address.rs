//! Addresses: which page, in which guise; written as path and query, and read back.

use super::Web;
use super::draw::{hash, purpose};
use super::host::{Host, UrlStyle};
use super::layout::{FOLDER_CHILDREN, FOLDER_PAGES, folder_of, parent_folder};
use super::names::{push_number, push_word, read_number};

/// Longest chain of redirects that ends at a page.
pub const MAX_HOPS: u8 = 3;
/// Steps in a loop of redirects.
pub const LOOP: u8 = 3;
/// Most session identifiers that a host hands out.
pub const SESSIONS: u8 = 3;

/// The guise in which a page is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guise {
    Page,
    /// On the mirror of its host.
    Mirror,
    /// With a session identifier, 1 to [`SESSIONS`].
    Session(u8),
    /// With its parameters in the other order.
    Shuffled,
    /// Through so many redirects.
    Redirect(u8),
    /// Into a loop of redirects.
    Loop(u8),
    /// By the address that the page of an earlier incarnation had: gone.
    Old(u8),
    /// Never there.
    Missing,
    /// A month of a calendar without end.
    Calendar(u16),
    /// A folder that always has another one in it.
    Deeper(u8),
    /// A response that hurts.
    Hazard(u8),
}

/// What an address of a host names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub slot: u64,
    pub index: u64,
    pub guise: Guise,
}

impl Target {
    pub fn new(slot: u64, index: u64, guise: Guise) -> Self {
        Self { slot, index, guise }
    }

    /// A page under its own address.
    pub fn page(slot: u64, index: u64) -> Self {
        Self::new(slot, index, Guise::Page)
    }
}

/// What a request asks a host for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Robots,
    Sitemap,
    Page { index: u64, guise: Guise },
    Nothing,
}

impl Web {
    /// Appends the path of a folder, `/` for the root.
    pub fn push_folder(&self, out: &mut Vec<u8>, host: &Host, folder: u64) {
        if folder == 0 {
            out.push(b'/');
            return;
        }
        self.push_folder(out, host, parent_folder(folder));
        push_word(out, hash(host.key ^ purpose::DIRECTORY, folder));
        push_number(out, (folder - 1) % FOLDER_CHILDREN);
        out.push(b'/');
    }

    fn push_file(&self, out: &mut Vec<u8>, host: &Host, index: u64, incarnation: u32) {
        let slug = hash(
            hash(self.place_key(host, index), purpose::SLUG),
            u64::from(incarnation),
        );
        push_word(out, slug);
        out.push(b'-');
        push_word(out, slug.rotate_left(20));
        out.push(b'-');
        push_number(out, index);
        if incarnation > 0 {
            out.push(b'_');
            push_number(out, u64::from(incarnation));
        }
        if host.url_style == UrlStyle::Html {
            out.extend_from_slice(b".html");
        }
    }

    /// Appends path and query of a page under the address of one incarnation.
    fn push_page(
        &self,
        out: &mut Vec<u8>,
        host: &Host,
        index: u64,
        incarnation: u32,
        shuffled: bool,
    ) {
        if index >= host.size {
            out.extend_from_slice(b"/news/");
            push_word(out, hash(self.place_key(host, index), purpose::SLUG));
            out.push(b'-');
            push_number(out, index - host.size);
            out.extend_from_slice(b".html");
        } else if host.url_style == UrlStyle::Dynamic && index > 0 {
            let folder = folder_of(index);
            out.extend_from_slice(if shuffled {
                b"/view?id="
            } else {
                b"/view?cat="
            });
            if shuffled {
                push_number(out, index);
                out.extend_from_slice(b"&cat=");
                push_number(out, folder);
            } else {
                push_number(out, folder);
                out.extend_from_slice(b"&id=");
                push_number(out, index);
            }
            if incarnation > 0 {
                out.extend_from_slice(b"&rev=");
                push_number(out, u64::from(incarnation));
            }
        } else {
            self.push_folder(out, host, folder_of(index));
            if !index.is_multiple_of(FOLDER_PAGES) {
                self.push_file(out, host, index, incarnation);
            }
        }
    }

    /// Appends path and query of a target on its host.
    pub fn push_target(
        &self,
        out: &mut Vec<u8>,
        host: &Host,
        index: u64,
        guise: Guise,
        month: u32,
    ) {
        let now = |web: &Self| web.page_incarnation(host, index, month).count;
        match guise {
            Guise::Page | Guise::Mirror => self.push_page(out, host, index, now(self), false),
            Guise::Shuffled => self.push_page(out, host, index, now(self), true),
            Guise::Old(incarnation) => {
                self.push_page(out, host, index, u32::from(incarnation), false)
            }
            Guise::Session(number) => {
                let begin = out.len();
                self.push_page(out, host, index, now(self), false);
                let mark = if out[begin..].contains(&b'?') {
                    b'&'
                } else {
                    b'?'
                };
                out.push(mark);
                out.extend_from_slice(b"sid=");
                push_session(out, host, number);
            }
            Guise::Redirect(hops) => push_numbered(out, b"/go/", index, hops),
            Guise::Loop(step) => push_numbered(out, b"/loop/", index, step),
            Guise::Missing => push_numbered(out, b"/gone/", index, 0),
            Guise::Hazard(kind) => push_numbered(out, b"/hazard/", index, kind),
            Guise::Calendar(number) => {
                let year = 2000 + number / 12;
                out.extend_from_slice(
                    format!("/calendar/{year}/{:02}/", number % 12 + 1).as_bytes(),
                );
            }
            Guise::Deeper(levels) => {
                for _ in 0..levels {
                    out.extend_from_slice(b"/deeper");
                }
                out.push(b'/');
            }
        }
    }

    /// Appends the whole URL of a target.
    pub fn push_url(&self, out: &mut Vec<u8>, host: &Host, index: u64, guise: Guise, month: u32) {
        out.extend_from_slice(self.scheme());
        self.push_host_name(out, host, guise == Guise::Mirror);
        self.push_target(out, host, index, guise, month);
    }

    /// What path and query of a request name on a host in a month; old addresses are told from those never used.
    pub fn read_target(&self, host: &Host, target: &[u8], month: u32) -> Asked {
        match target {
            b"/" => return found(0, Guise::Page),
            b"/robots.txt" => return Asked::Robots,
            b"/sitemap.xml" => return Asked::Sitemap,
            _ => {}
        }
        let guess = self.guess_target(host, target);
        let Some((index, guise)) = guess else {
            return Asked::Nothing;
        };
        // an address counts only if it is written as we write it; event pages exist from their month on
        let mut written = Vec::with_capacity(target.len());
        self.push_target(&mut written, host, index, guise, month);
        let is_old = matches!(guise, Guise::Old(_));
        let exists = index < host.size
            || (guise == Guise::Page && self.event_of(host, index, month).is_some());
        if written == target && exists && !is_old {
            found(index, guise)
        } else {
            Asked::Nothing
        }
    }

    /// The only page and guise that an address could name, if any.
    fn guess_target(&self, host: &Host, target: &[u8]) -> Option<(u64, Guise)> {
        if let Some(rest) = target.strip_prefix(b"/go/") {
            let (index, hops) = read_numbered(rest)?;
            return (1..=MAX_HOPS)
                .contains(&hops)
                .then_some((index, Guise::Redirect(hops)));
        }
        if let Some(rest) = target.strip_prefix(b"/loop/") {
            let (index, step) = read_numbered(rest)?;
            return (step < LOOP).then_some((index, Guise::Loop(step)));
        }
        if let Some(rest) = target.strip_prefix(b"/hazard/") {
            let (index, kind) = read_numbered(rest)?;
            return host.has_hazards.then_some((index, Guise::Hazard(kind)));
        }
        if let Some(rest) = target.strip_prefix(b"/calendar/") {
            return if host.has_trap {
                read_calendar(rest)
            } else {
                None
            };
        }
        if target.starts_with(b"/deeper/") {
            let levels = target
                .split(|byte| *byte == b'/')
                .filter(|part| !part.is_empty())
                .count();
            return (host.has_trap && levels <= 200).then_some((0, Guise::Deeper(levels as u8)));
        }
        if let Some(rest) = target.strip_prefix(b"/news/") {
            let code = rest
                .strip_suffix(b".html")?
                .rsplit(|byte| *byte == b'-')
                .next()?;
            return Some((host.size.checked_add(read_number(code)?)?, Guise::Page));
        }
        let (path, session) = split_session(host, target);
        let guise = match session {
            Some(number) if host.has_sessions => Guise::Session(number),
            Some(_) => return None,
            None => Guise::Page,
        };
        if let Some(query) = path.strip_prefix(b"/view?") {
            let shuffled = query.starts_with(b"id=");
            let parameter = query
                .split(|byte| *byte == b'&')
                .find_map(|part| part.strip_prefix(b"id="))?;
            let guise = if shuffled && session.is_none() {
                Guise::Shuffled
            } else {
                guise
            };
            return Some((read_number(parameter)?, guise));
        }
        if path.ends_with(b"/") {
            return Some((self.read_folder(path)? * FOLDER_PAGES, guise));
        }
        let file = path.rsplit(|byte| *byte == b'/').next()?;
        let file = file.strip_suffix(b".html").unwrap_or(file);
        let code = file.rsplit(|byte| *byte == b'-').next()?;
        let number = code.split(|byte| *byte == b'_').next()?;
        Some((read_number(number)?, guise))
    }

    fn read_folder(&self, path: &[u8]) -> Option<u64> {
        let mut folder = 0u64;
        for part in path
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
        {
            let digit = part.last()?;
            let ordinal = read_number(std::slice::from_ref(digit))?;
            if ordinal >= FOLDER_CHILDREN {
                return None;
            }
            folder = folder
                .checked_mul(FOLDER_CHILDREN)?
                .checked_add(1 + ordinal)?;
        }
        (folder < u64::MAX / 32).then_some(folder)
    }
}

fn found(index: u64, guise: Guise) -> Asked {
    Asked::Page { index, guise }
}

fn push_numbered(out: &mut Vec<u8>, prefix: &[u8], index: u64, number: u8) {
    out.extend_from_slice(prefix);
    push_number(out, index);
    out.push(b'/');
    push_number(out, u64::from(number));
}

fn read_numbered(text: &[u8]) -> Option<(u64, u8)> {
    let mut parts = text.split(|byte| *byte == b'/');
    let index = read_number(parts.next()?)?;
    let number = read_number(parts.next()?)?;
    parts
        .next()
        .is_none()
        .then_some((index, u8::try_from(number).ok()?))
}

fn read_calendar(text: &[u8]) -> Option<(u64, Guise)> {
    let text = std::str::from_utf8(text).ok()?;
    let (year, month) = text.strip_suffix('/')?.split_once('/')?;
    let (year, month): (u16, u16) = (year.parse().ok()?, month.parse().ok()?);
    let in_range = (2000..6000).contains(&year) && (1..=12).contains(&month);
    in_range.then(|| (0, Guise::Calendar((year - 2000) * 12 + month - 1)))
}

fn push_session(out: &mut Vec<u8>, host: &Host, number: u8) {
    let draw = hash(host.key ^ purpose::VOLATILE, u64::from(number));
    out.extend_from_slice(format!("{:016x}", draw).as_bytes());
}

/// Splits a session identifier of the host off an address.
fn split_session<'t>(host: &Host, target: &'t [u8]) -> (&'t [u8], Option<u8>) {
    if host.has_sessions && target.len() > 21 {
        let (path, tail) = target.split_at(target.len() - 21);
        if matches!(tail[0], b'?' | b'&') && &tail[1..5] == b"sid=" {
            for number in 1..=SESSIONS {
                let mut session = Vec::new();
                push_session(&mut session, host, number);
                if session == tail[5..] {
                    return (path, Some(number));
                }
            }
        }
    }
    (target, None)
}
