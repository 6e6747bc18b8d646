//! What a host answers to a request: status, headers, body, and how it behaves while sending them.

use super::Web;
use super::address::{Asked, Guise, LOOP};
use super::clock::observe;
use super::draw::{falls, hash, purpose};
use super::host::{Failing, Host};
use super::negotiate::{compress, has_tag, is_since, modified};
use super::page::View;
use std::borrow::Cow;
use std::io::Write;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// What of a request the answer depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// Path and query.
    pub target: &'a [u8],
    pub accept_encoding: &'a [u8],
    pub if_none_match: &'a [u8],
    pub if_modified_since: &'a [u8],
    pub user_agent: &'a [u8],
    /// How often this address was asked for before.
    pub attempt: u32,
}

/// How an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it should be.
    Plain,
    /// The connection is closed without a byte.
    Hangup,
    /// The body is repeated until so many bytes are out.
    Repeat(u64),
    /// In chunks, until the client leaves.
    Endless,
    /// The head and half of the body, then nothing.
    Stall,
    /// The head and half of the body, then the end.
    Die,
    /// Everything, then the connection is closed: the length is wrong or missing.
    Close,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: Vec<u8>,
    pub body: Cow<'static, [u8]>,
    pub manner: Manner,
}

const BOMB_BYTES: usize = 256 << 20;

/// A quarter gigabyte of blanks, as gzip: some 260 kB.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..BOMB_BYTES >> 20 {
        encoder.write_all(&blanks).expect("writing to memory");
    }
    encoder.finish().expect("writing to memory")
});

impl Web {
    /// The status of what a request names, temporary failures aside.
    pub fn status(&self, host: &Host, asked: Asked) -> u16 {
        match (host.failing, asked) {
            (Some(Failing::Hangup), _) => 0,
            (_, Asked::Robots) => self.robots_txt(host).0,
            (Some(Failing::Error), _) => 500,
            (Some(Failing::Unavailable), _) => 503,
            (None, Asked::Sitemap) => 200,
            (None, Asked::Nothing) => {
                if host.has_soft_404 {
                    200
                } else {
                    404
                }
            }
            (None, Asked::Page { guise, .. }) => match guise {
                Guise::Redirect(_) | Guise::Loop(_) => {
                    if host.slot.is_multiple_of(2) {
                        301
                    } else {
                        302
                    }
                }
                Guise::Old(_) | Guise::Missing => 404,
                _ => 200,
            },
        }
    }

    /// The answer of a host that is there.
    pub fn respond(
        &self,
        host: &Host,
        is_mirror: bool,
        month: u32,
        request: &Request<'_>,
    ) -> Reply {
        let asked = self.read_target(host, request.target, month);
        let status = self.status(host, asked);
        if status == 0 {
            return bare(0, Manner::Hangup);
        }
        if let Some(reply) = self.temporary_failure(host, asked, request) {
            return reply;
        }
        match asked {
            Asked::Robots => {
                let (status, text) = self.robots_txt(host);
                reply(status, "text/plain", text)
            }
            _ if status >= 500 => {
                let mut answer = reply(status, "text/html", b"<h1>Out of order</h1>\n".to_vec());
                if status == 503 {
                    push_header(&mut answer.head, "Retry-After", "120");
                }
                answer
            }
            Asked::Sitemap => reply(200, "application/xml", self.sitemap(host, month)),
            Asked::Nothing => reply(
                status,
                "text/html; charset=utf-8",
                self.not_found(host, status),
            ),
            Asked::Page { index, guise } => match guise {
                Guise::Redirect(_) | Guise::Loop(_) => {
                    self.redirect(host, index, guise, month, status)
                }
                Guise::Calendar(_) | Guise::Deeper(_) => reply(200, "text/html", trap_page(guise)),
                Guise::Hazard(kind) => hazard(kind, index),
                _ => {
                    let guise = if is_mirror { Guise::Mirror } else { guise };
                    self.page_reply(host, index, guise, month, request)
                }
            },
        }
    }

    fn page_reply(
        &self,
        host: &Host,
        index: u64,
        guise: Guise,
        month: u32,
        request: &Request<'_>,
    ) -> Reply {
        let mut links = Vec::with_capacity(128);
        let mut body = Vec::with_capacity(32 << 10);
        let view = View {
            host,
            index,
            guise,
            month,
            is_browser: looks_like_browser(request.user_agent),
        };
        let ((), last, _) = observe(|| {
            self.links(host, index, guise, month, &mut links);
            self.push_html(&mut body, view, &links);
        });
        if host.charset != "utf-8" {
            let text = std::str::from_utf8(&body).expect("pages are written in UTF-8");
            let encoding =
                encoding_rs::Encoding::for_label(host.charset.as_bytes()).expect("a known charset");
            body = encoding.encode(text).0.into_owned();
        }
        let mut head = Vec::with_capacity(512);
        let mut status = 200;
        let validators = match self.is_continuous() {
            true => self.validators(view, &links, last),
            false => (!host.is_volatile)
                .then(|| (format!("\"{:016x}\"", xxh3_64(&body)), modified(month))),
        };
        if let Some((tag, date)) = validators {
            let is_known = if request.if_none_match.is_empty() {
                is_since(request.if_modified_since, &date)
            } else {
                has_tag(request.if_none_match, &tag)
            };
            if is_known {
                status = 304;
            }
            push_status(&mut head, status);
            push_header(&mut head, "ETag", &tag);
            push_header(&mut head, "Last-Modified", &date);
        } else {
            push_status(&mut head, status);
        }
        if status == 304 {
            return Reply {
                status,
                head,
                body: Cow::default(),
                manner: Manner::Plain,
            };
        }
        head.extend_from_slice(b"Content-Type: text/html; charset=");
        head.extend_from_slice(host.charset.as_bytes());
        head.extend_from_slice(b"\r\n");
        if host.is_compressed {
            push_header(&mut head, "Vary", "Accept-Encoding");
            if let Some((name, packed)) = compress(host, request.accept_encoding, &body) {
                push_header(&mut head, "Content-Encoding", name);
                body = packed;
            }
        }
        push_length(&mut head, body.len());
        Reply {
            status,
            head,
            body: body.into(),
            manner: Manner::Plain,
        }
    }

    /// Some pages fail the first time, and say when to come back.
    fn temporary_failure(&self, host: &Host, asked: Asked, request: &Request<'_>) -> Option<Reply> {
        let Asked::Page { index, guise: _ } = asked else {
            return None;
        };
        let draw = hash(self.place_key(host, index), purpose::FLAKY);
        if request.attempt > 0 || index == 0 || !falls(draw, self.spec.flaky_share) {
            return None;
        }
        let status = if draw & 1 == 0 { 503 } else { 429 };
        let mut answer = reply(status, "text/html", b"<h1>Come back later</h1>\n".to_vec());
        push_header(&mut answer.head, "Retry-After", "1");
        Some(answer)
    }

    fn redirect(&self, host: &Host, index: u64, guise: Guise, month: u32, status: u16) -> Reply {
        let next = match guise {
            Guise::Redirect(hops) if hops > 1 => Guise::Redirect(hops - 1),
            Guise::Loop(step) => Guise::Loop((step + 1) % LOOP),
            _ => Guise::Page,
        };
        let mut head = Vec::new();
        push_status(&mut head, status);
        head.extend_from_slice(b"Location: ");
        if hash(host.key, index) & 1 == 0 {
            self.push_url(&mut head, host, index, next, month);
        } else {
            self.push_target(&mut head, host, index, next, month);
        }
        head.extend_from_slice(b"\r\n");
        push_length(&mut head, 0);
        Reply {
            status,
            head,
            body: Cow::default(),
            manner: Manner::Plain,
        }
    }

    /// The page for what is not there, the same for all such addresses of a host.
    fn not_found(&self, host: &Host, status: u16) -> Vec<u8> {
        let mut body =
            b"<!DOCTYPE html>\n<html><head><title>Not found</title></head>\n<body><h1>".to_vec();
        body.extend_from_slice(if status == 200 {
            b"Sorry, nothing here"
        } else {
            b"404 not found"
        });
        body.extend_from_slice(b"</h1>\n<p>Try the <a href=\"");
        body.extend_from_slice(self.scheme());
        self.push_host_name(&mut body, host, false);
        body.extend_from_slice(b"/\">home page</a>.</p></body></html>\n");
        body
    }

    fn sitemap(&self, host: &Host, month: u32) -> Vec<u8> {
        let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
            .to_vec();
        for index in (0..host.size).take(200) {
            let mut target = Vec::new();
            self.push_target(&mut target, host, index, Guise::Page, month);
            if self.is_allowed(host, &target) && self.original(host, index) == index {
                out.extend_from_slice(b"<url><loc>");
                out.extend_from_slice(self.scheme());
                self.push_host_name(&mut out, host, false);
                for byte in target {
                    if byte == b'&' {
                        out.extend_from_slice(b"&amp;");
                    } else {
                        out.push(byte);
                    }
                }
                out.extend_from_slice(b"</loc></url>\n");
            }
        }
        out.extend_from_slice(b"</urlset>\n");
        out
    }
}

fn trap_page(guise: Guise) -> Vec<u8> {
    match guise {
        Guise::Calendar(number) => {
            let show = |number: u16| format!("/calendar/{}/{:02}/", 2000 + number / 12, number % 12 + 1);
            format!(
                "<!DOCTYPE html>\n<html><head><title>Calendar {number}</title></head>\n<body><h1>Month {number}</h1>\n\
                 <p><a href=\"{}\">before</a> <a href=\"{}\">after</a> <a href=\"/\">home</a></p></body></html>\n",
                show(number.saturating_sub(1)),
                show((number + 1).min(47_999)),
            )
            .into_bytes()
        }
        Guise::Deeper(levels) => format!(
            "<!DOCTYPE html>\n<html><head><title>Level {levels}</title></head>\n<body><h1>Level {levels}</h1>\n\
             <p><a href=\"deeper/\">go on</a> <a href=\"/\">home</a></p></body></html>\n"
        )
        .into_bytes(),
        _ => Vec::new(),
    }
}

/// Answers that hurt a careless client.
fn hazard(kind: u8, index: u64) -> Reply {
    let filler = format!(
        "<p>Hazard {kind} of {index}. {}</p>\n",
        "More of the same. ".repeat(60)
    );
    let mut body = b"<!DOCTYPE html>\n<html><head><title>Hazard</title></head>\n<body>\n".to_vec();
    while body.len() < 16 << 10 {
        body.extend_from_slice(filler.as_bytes());
    }
    let mut head = Vec::new();
    push_status(&mut head, 200);
    push_header(&mut head, "Content-Type", "text/html; charset=utf-8");
    let manner = match kind {
        0 => {
            let length = 200u64 << 20;
            push_header(&mut head, "Content-Length", &length.to_string());
            Manner::Repeat(length)
        }
        1 => {
            push_header(&mut head, "Transfer-Encoding", "chunked");
            Manner::Endless
        }
        2 => {
            push_length(&mut head, body.len());
            Manner::Stall
        }
        3 => {
            push_length(&mut head, body.len());
            Manner::Die
        }
        4 => {
            // more comes than was announced
            push_length(&mut head, body.len() / 3);
            Manner::Close
        }
        5 => {
            push_header(&mut head, "Content-Encoding", "gzip");
            push_length(&mut head, BOMB.len());
            return Reply {
                status: 200,
                head,
                body: Cow::Borrowed(&BOMB),
                manner: Manner::Plain,
            };
        }
        6 => Manner::Close, // no length at all
        _ => {
            head = b"HTTP/1.1 200\r\nContent-Type text/html\r\n: nothing\r\nX-Long: ".to_vec();
            head.resize(head.len() + (64 << 10), b'x');
            head.extend_from_slice(b"\r\n");
            Manner::Close
        }
    };
    Reply {
        status: 200,
        head,
        body: body.into(),
        manner,
    }
}

/// Browsers say what they are compatible with, and robots where their page is.
pub fn looks_like_browser(user_agent: &[u8]) -> bool {
    let agent = user_agent.to_ascii_lowercase();
    let has = |word: &[u8]| agent.windows(word.len()).any(|window| window == word);
    has(b"mozilla/") && !has(b"bot") && !has(b"+http") && !has(b"crawl")
}

/// An answer without anything, for a host that is not there.
pub fn bare(status: u16, manner: Manner) -> Reply {
    let mut head = Vec::new();
    push_status(&mut head, status);
    push_length(&mut head, 0);
    Reply {
        status,
        head,
        body: Cow::default(),
        manner,
    }
}

/// The answer of a host that is to be asked over TLS.
pub fn to_https(host: &[u8], target: &[u8]) -> Reply {
    let mut answer = bare(301, Manner::Plain);
    answer.head.extend_from_slice(b"Location: https://");
    // what the client sent must not end the line
    let clean = |byte: &&u8| byte.is_ascii_graphic();
    answer.head.extend(host.iter().chain(target).filter(clean));
    answer.head.extend_from_slice(b"\r\n");
    answer
}

/// An ordinary answer.
pub fn reply(status: u16, content_type: &str, body: Vec<u8>) -> Reply {
    let mut head = Vec::new();
    push_status(&mut head, status);
    push_header(&mut head, "Content-Type", content_type);
    push_length(&mut head, body.len());
    Reply {
        status,
        head,
        body: body.into(),
        manner: Manner::Plain,
    }
}

fn push_status(head: &mut Vec<u8>, status: u16) {
    let reason = match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Other",
    };
    head.extend_from_slice(format!("HTTP/1.1 {status} {reason}\r\n").as_bytes());
}

fn push_header(head: &mut Vec<u8>, name: &str, value: &str) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value.as_bytes());
    head.extend_from_slice(b"\r\n");
}

fn push_length(head: &mut Vec<u8>, length: usize) {
    push_header(head, "Content-Length", &length.to_string());
}
