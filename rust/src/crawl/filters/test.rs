//! The tests that predicates are made of.

use super::{Parts, repeats, split};
use crate::web::host::registered_domain;
use hashbrown::HashSet;
use regex::{Regex, RegexBuilder, bytes};

pub enum Test {
    Scheme(String),
    Host(HashSet<String>),
    /// suffixes at a dot; one that begins with the dot does not admit itself
    HostSuffix(HashSet<String>),
    /// the same for a few, which are compared faster than looked up at each dot
    HostSuffixes(Vec<String>),
    Domain(HashSet<String>),
    SameHost,
    SameDomain,
    Url(HashSet<String>),
    UrlShorter(usize),
    /// of the whole URL
    UrlMatches(Regex),
    /// of any part of it
    UrlHas(Regex),
    PathSuffix(Vec<String>),
    Slashes(usize),
    NoQuery,
    Repeats(usize),
    Depth(u32),
    HasResponse,
    StatusClass(u16),
    Status(Vec<u16>),
    ContentType(String),
    Size(usize),
    Binary,
    Digest(Vec<[u8; 20]>),
    Duplicate,
    Language(HashSet<String>),
    BodyMatches(bytes::Regex),
}

/// A page is binary if so many of its first bytes are zero (as in BUbiNG: some servers emit one or two for no reason).
const ZEROS: usize = 3;
const SCANNED: usize = 1000;
const FEW: usize = 4;

impl Test {
    pub fn new(name: &str, words: Vec<String>) -> Result<Self, String> {
        let first = words.first().cloned().unwrap_or_default();
        fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
            word.parse().map_err(|_| format!("{word} is no number"))
        }
        let set = |words: Vec<String>| words.into_iter().collect();
        let whole = format!(r"\A(?:{first})\z");
        let regex = |text: &str| RegexBuilder::new(text).build().map_err(explain);
        Ok(match name {
            "scheme" => Self::Scheme(first),
            "host" => Self::Host(set(words)),
            "host-suffix" if words.len() <= FEW => Self::HostSuffixes(words),
            "host-suffix" => Self::HostSuffix(set(words)),
            "domain" => Self::Domain(set(words)),
            "same-host" => Self::SameHost,
            "same-domain" => Self::SameDomain,
            "url" => Self::Url(set(words)),
            "url-shorter" => Self::UrlShorter(number(&first)?),
            "url-matches" => Self::UrlMatches(regex(&first).and(regex(&whole))?),
            "url-has" => Self::UrlHas(regex(&first)?),
            "path-suffix" => Self::PathSuffix(words),
            "slashes" => Self::Slashes(number(&first)?),
            "no-query" => Self::NoQuery,
            "repeats" => Self::Repeats(number(&first)?),
            "depth" => Self::Depth(number(&first)?),
            "response" => Self::HasResponse,
            "status-class" => Self::StatusClass(number(&first)?),
            "status" => {
                let codes = words.iter().map(|word| number(word));
                Self::Status(codes.collect::<Result<_, _>>()?)
            }
            "content-type" => Self::ContentType(first),
            "size" => Self::Size(number(&first)?),
            "binary" => Self::Binary,
            "digest" => Self::Digest(
                words
                    .iter()
                    .map(|word| digest(word))
                    .collect::<Result<_, _>>()?,
            ),
            "duplicate" => Self::Duplicate,
            "language" => Self::Language(set(words)),
            "body-matches" => {
                // bytes, since nobody knows the charset; a page has many lines
                let build = |text: &str| {
                    let mut builder = bytes::RegexBuilder::new(text);
                    builder.unicode(false).dot_matches_new_line(true);
                    builder.build().map_err(explain)
                };
                Self::BodyMatches(build(&first).and(build(&whole))?)
            }
            _ => return Err(format!("there is no test {name}")),
        })
    }

    pub fn holds(&self, parts: &Parts) -> bool {
        let subject = parts.subject;
        match self {
            Self::Scheme(scheme) => parts.scheme == scheme,
            Self::Host(hosts) => hosts.contains(parts.host),
            Self::HostSuffix(suffixes) => ends_with_one(parts.host, suffixes),
            Self::HostSuffixes(suffixes) => suffixes.iter().any(|it| ends_with(parts.host, it)),
            Self::Domain(domains) => {
                registered_domain(parts.host).is_some_and(|domain| domains.contains(domain))
            }
            // what was on no page, as a seed, is foreign to none
            Self::SameHost => source_host(parts).is_none_or(|source| source == parts.host),
            Self::SameDomain => source_host(parts).is_none_or(|source| {
                // addresses and suffixes have no domain, and are their own
                let domain = |host| registered_domain(host).unwrap_or(host);
                source == parts.host || domain(source) == domain(parts.host)
            }),
            Self::Url(urls) => urls.contains(subject.url),
            Self::UrlShorter(length) => subject.url.len() < *length,
            Self::UrlMatches(regex) | Self::UrlHas(regex) => regex.is_match(subject.url),
            Self::PathSuffix(suffixes) => {
                let path = parts.path().as_bytes();
                suffixes.iter().any(|suffix| {
                    let end = path.len().checked_sub(suffix.len());
                    end.is_some_and(|end| path[end..].eq_ignore_ascii_case(suffix.as_bytes()))
                })
            }
            Self::Slashes(most) => {
                memchr::memchr_iter(b'/', parts.path().as_bytes()).count() <= *most
            }
            Self::NoQuery => memchr::memchr(b'?', parts.target.as_bytes()).is_none(),
            Self::Repeats(times) => !repeats::has_repeat(parts.path(), *times),
            Self::Depth(depth) => subject.depth < *depth,
            // a response that is not there has none of the qualities asked for
            _ => subject.response.is_some_and(|facts| match self {
                Self::HasResponse => facts.status >= 100,
                Self::StatusClass(class) => facts.status / 100 == *class,
                Self::Status(codes) => codes.contains(&facts.status),
                Self::ContentType(prefix) => {
                    let head = facts.content_type.as_bytes().get(..prefix.len());
                    head.is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
                }
                Self::Size(size) => facts.body.len() < *size,
                Self::Binary => {
                    let head = &facts.body[..facts.body.len().min(SCANNED)];
                    memchr::memchr_iter(0, head).count() >= ZEROS
                }
                Self::Digest(digests) => digests.contains(facts.digest),
                Self::Duplicate => facts.is_duplicate,
                Self::Language(codes) => {
                    (facts.language)().is_some_and(|language| codes.contains(&language))
                }
                Self::BodyMatches(regex) => regex.is_match(facts.body),
                _ => false,
            }),
        }
    }
}

fn source_host<'a>(parts: &Parts<'a>) -> Option<&'a str> {
    parts.subject.source.map(|source| split(source).1)
}

fn ends_with(host: &str, suffix: &str) -> bool {
    let rest = host.strip_suffix(suffix);
    rest.is_some_and(|rest| rest.ends_with('.') || rest.is_empty() != suffix.starts_with('.'))
}

fn ends_with_one(host: &str, suffixes: &HashSet<String>) -> bool {
    (!host.starts_with('.') && suffixes.contains(host))
        || memchr::memchr_iter(b'.', host.as_bytes()).any(|dot| {
            suffixes.contains(&host[dot + 1..]) || (dot > 0 && suffixes.contains(&host[dot..]))
        })
}

fn digest(hex: &str) -> Result<[u8; 20], String> {
    let mut bytes = [0; 20];
    let pairs = hex.as_bytes().chunks(2);
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let pair = str::from_utf8(pair).map_err(|_| format!("{hex} is no digest"))?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| format!("{hex} is no digest"))?;
    }
    if hex.len() == 40 {
        Ok(bytes)
    } else {
        Err(format!("{hex} is no digest"))
    }
}

/// The last line of what the crate says, which is the reason; those before show the place.
fn explain(error: regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default();
    reason
        .trim_start_matches("error: ")
        .trim_end_matches('.')
        .to_owned()
}
