//! URLs as a crawl knows them: absolute, http or https, one spelling for each.
//!
//! Parsing and resolution are those of the WHATWG URL standard, by ada: case of scheme and host, default port, dot
//! segments, IDNA, empty path, escaping. On top of it the fragment is dropped, percent escapes are written in upper case,
//! and what RFC 3986 does not admit in a path or query (`[ ] | ^ { }`, a `%` that begins no escape, …) is escaped.

use ada_url::{HostType, SchemeType, Url};

/// Bytes of the longest normal form where nobody says otherwise (as in BUbiNG).
pub const MAX_LENGTH: usize = 2048;
/// References longer than this are not looked at.
const MAX_REFERENCE: usize = 1 << 20;

/// Why something is no URL of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reject {
    Scheme,
    Relative,
    NoHost,
    Host,
    Port,
    Credentials,
    TooLong,
}

impl Reject {
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Relative => "relative",
            Self::NoHost => "no host",
            Self::Host => "host",
            Self::Port => "port",
            Self::Credentials => "credentials",
            Self::TooLong => "too long",
        }
    }
}

/// The address of a page, before the references on it: what many of them need of it is found once.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    url: &'a str,
    /// Scheme and name, if [`plain_origin`] knows them.
    origin: Option<&'a str>,
    /// All up to the last slash of the path, if there is nothing in it that would change.
    folder: Option<&'a str>,
}

impl<'a> Base<'a> {
    pub fn new(url: &'a str) -> Self {
        let (origin, target) = split(url);
        let is_plain = plain_origin(origin.as_bytes()) == Some(origin.len());
        let path = target.split('?').next().unwrap_or("");
        let folder = path.rfind('/').map(|at| &url[..origin.len() + at + 1]);
        Self {
            url,
            origin: Some(origin).filter(|_| is_plain),
            folder: folder.filter(|_| is_plain && is_plain_path(path.as_bytes())),
        }
    }
}

/// Replaces `out` by the normal form of `reference`, as found on a page whose address is `base`. After a reject, what
/// `out` holds has no meaning. A base that does not parse is as good as none.
pub fn normalize(
    reference: &str,
    base: Option<&str>,
    max_length: usize,
    out: &mut Vec<u8>,
) -> Result<(), Reject> {
    out.clear();
    resolve(reference, base.map(Base::new).as_ref(), max_length, out)
}

/// Appends the normal form of a reference to `out`; after a reject, nothing.
pub fn resolve(
    reference: &str,
    base: Option<&Base<'_>>,
    max_length: usize,
    out: &mut Vec<u8>,
) -> Result<(), Reject> {
    if reference.len() > MAX_REFERENCE {
        let is_foreign = foreign_scheme(reference);
        return Err(if is_foreign {
            Reject::Scheme
        } else {
            Reject::TooLong
        });
    }
    let begin = out.len();
    if let Some((before, rest)) = plain(reference, base) {
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(rest.as_bytes());
    } else {
        let base = base.map(|base| base.url);
        // an address that names its host owes nothing to the base, which then need not be parsed
        let base = base.filter(|base| base.len() <= MAX_REFERENCE && !is_absolute(reference));
        parse(reference, base, out)?;
    }
    if out.len() - begin > max_length {
        out.truncate(begin);
        return Err(Reject::TooLong);
    }
    Ok(())
}

fn parse(reference: &str, base: Option<&str>, out: &mut Vec<u8>) -> Result<(), Reject> {
    let url = Url::parse(reference, base).or_else(|_| {
        // the standard refuses everything beside a base that does not parse
        let base = base.filter(|base| Url::can_parse(base, None));
        Url::parse(reference, base).map_err(|_| explain(reference, base))
    })?;
    if !matches!(url.scheme_type(), SchemeType::Http | SchemeType::Https) {
        return Err(Reject::Scheme);
    }
    if url.has_credentials() {
        return Err(Reject::Credentials);
    }
    // of a host that comes from the base, ada does not tell that it is an address
    let is_name = url.host_type() == HostType::Domain && !url.hostname().starts_with('[');
    if is_name && !url.hostname().bytes().all(is_host_byte) {
        return Err(Reject::Host);
    }
    let (href, parts) = (url.href().as_bytes(), url.components());
    let path = parts.pathname_start.map_or(href.len(), |at| at as usize);
    let end = parts.hash_start.map_or(href.len(), |at| at as usize);
    out.extend_from_slice(&href[..path]);
    push_escaped(out, &href[path..end]);
    Ok(())
}

/// Two texts that make the normal form of a reference, if no more is to be done: nothing and an address in normal form,
/// the origin of the page and a path from its root, or the folder of the page and a path from there. Most links are
/// such, and are spared the parser.
fn plain<'a>(reference: &'a str, base: Option<&Base<'a>>) -> Option<(&'a str, &'a str)> {
    let bytes = reference.as_bytes();
    if bytes.first() == Some(&b'/') {
        return is_plain_path(bytes).then_some((base?.origin?, reference));
    }
    if bytes.starts_with(b"http") && is_absolute(reference) {
        let target = &bytes[plain_origin(bytes)?..];
        return is_plain_path(target).then_some(("", reference));
    }
    // a name in the same folder, which no colon may make a scheme
    let folder = base?.folder?;
    let rest = reference.strip_prefix("./").unwrap_or(reference);
    let is_name = !reference.is_empty()
        && rest.as_bytes().first() != Some(&b'?')
        && !rest.as_bytes().contains(&b':')
        && is_plain_below(rest.as_bytes());
    is_name.then_some((folder, rest))
}

/// The length of a scheme and a name of small letters, digits and hyphens that no rule of IDNA or of addresses concerns,
/// with a slash or nothing behind them.
fn plain_origin(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"http")?;
    let name = rest
        .strip_prefix(b"s")
        .unwrap_or(rest)
        .strip_prefix(b"://")?;
    let is_label = |label: &[u8]| !label.is_empty() && label.get(2..4) != Some(b"--");
    let (mut at, mut label) = (0, 0);
    loop {
        match name.get(at) {
            Some(b'a'..=b'z' | b'0'..=b'9' | b'-') => {}
            Some(b'.') => {
                if !is_label(&name[label..at]) {
                    return None;
                }
                label = at + 1;
            }
            Some(b'/') | None => break,
            _ => return None,
        }
        at += 1;
    }
    let last = &name[label..at];
    let ends_in_letter = last.last().is_some_and(u8::is_ascii_lowercase);
    let is_plain = ends_in_letter && is_label(last) && !last.starts_with(b"0x");
    is_plain.then_some(bytes.len() - name.len() + at)
}

/// A path from the root, and perhaps a query, without what [`is_plain_below`] refuses.
fn is_plain_path(bytes: &[u8]) -> bool {
    bytes
        .split_first()
        .is_some_and(|(first, rest)| *first == b'/' && is_plain_below(rest))
}

/// What stands behind a slash has no empty, dotted or escaped segments, and not the quote that queries escape.
fn is_plain_below(bytes: &[u8]) -> bool {
    let mut before = b'/';
    bytes.iter().all(|&byte| {
        let is_plain = PLAIN[usize::from(byte)] && !(before == b'/' && matches!(byte, b'/' | b'.'));
        before = byte;
        is_plain
    })
}

const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        plain[byte as usize] = is_legal(byte) && byte != b'\'';
        byte += 1;
    }
    plain
};

/// Scheme and authority, and path and query, of a normal form.
pub fn split(url: &str) -> (&str, &str) {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..].find(['/', '?']);
    url.split_at(end.map_or(url.len(), |at| authority + at))
}

/// What stands behind the last dot of the host of a normal form.
pub fn find_tld(url: &str) -> &str {
    let (origin, _) = split(url);
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => host,
        _ => authority,
    };
    host.rsplit('.').next().unwrap_or("")
}

fn is_absolute(reference: &str) -> bool {
    let rest = reference.strip_prefix("http");
    rest.is_some_and(|rest| rest.strip_prefix('s').unwrap_or(rest).starts_with("://"))
}

/// What names have: other bytes resolve nowhere, and commas and parentheses would confuse row keys.
fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

/// What RFC 3986 admits in a path or query, apart from escapes: from `!` to `~`, with gaps.
const fn is_legal(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~')
        && !matches!(
            byte,
            b'"' | b'#'
                | b'%'
                | b'<'
                | b'>'
                | b'['
                | b'\\'
                | b']'
                | b'^'
                | b'`'
                | b'{'
                | b'|'
                | b'}'
        )
}

fn push_escaped(out: &mut Vec<u8>, mut text: &[u8]) {
    while let Some(at) = text.iter().position(|byte| !is_legal(*byte)) {
        out.extend_from_slice(&text[..at]);
        let escape = match text[at..] {
            [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                text = &text[at + 3..];
                [high.to_ascii_uppercase(), low.to_ascii_uppercase()]
            }
            _ => {
                let byte = text[at];
                text = &text[at + 1..];
                [byte >> 4, byte & 15].map(|digit| b"0123456789ABCDEF"[digit as usize])
            }
        };
        out.extend_from_slice(&[b'%', escape[0], escape[1]]);
    }
    out.extend_from_slice(text);
}

/// The text without what the standard's parser does not see.
fn visible(reference: &str) -> impl Iterator<Item = char> + '_ {
    reference
        .trim_start_matches(|c| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
}

fn scheme(reference: &str) -> Option<String> {
    let mut name = String::new();
    for (place, letter) in visible(reference).enumerate() {
        match letter {
            ':' if place > 0 => return Some(name),
            'a'..='z' | 'A'..='Z' => name.push(letter.to_ascii_lowercase()),
            '0'..='9' | '+' | '-' | '.' if place > 0 => name.push(letter),
            _ => return None,
        }
    }
    None
}

fn foreign_scheme(reference: &str) -> bool {
    scheme(reference).is_some_and(|name| name != "http" && name != "https")
}

/// Why the parser failed.
fn explain(reference: &str, base: Option<&str>) -> Reject {
    let own = scheme(reference);
    if foreign_scheme(reference) || own.is_none() && base.is_some_and(foreign_scheme) {
        return Reject::Scheme;
    }
    let skipped = own.as_ref().map_or(0, |name| name.len() + 1);
    let text: String = visible(reference).skip(skipped).collect();
    if own.is_none() && (base.is_none() || !text.starts_with(['/', '\\'])) {
        return Reject::Relative;
    }
    let rest = text.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or("");
    let address = authority.rsplit('@').next().unwrap_or("");
    // the colons of an IPv6 address stand within brackets
    let brackets = address.rfind(']').map_or(0, |at| at + 1);
    let (name, port) = address[brackets..]
        .split_once(':')
        .unwrap_or((&address[brackets..], "0"));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    match brackets + name.len() {
        0 => Reject::NoHost,
        _ if is_port && (port.is_empty() || port.parse::<u16>().is_ok()) => Reject::Host,
        _ => Reject::Port,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal(reference: &str, base: Option<&str>) -> Result<String, Reject> {
        let mut out = Vec::new();
        normalize(reference, base, MAX_LENGTH, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn what_is_legal_stays_and_what_is_not_is_escaped() {
        let page = Some("http://Example.org:80/a/b");
        assert_eq!(
            normal("../c[1]?x|%3d%#f", page).unwrap(),
            "http://example.org/c%5B1%5D?x%7C%3D%25"
        );
        assert_eq!(
            normal("https://bücher.de", page).unwrap(),
            "https://xn--bcher-kva.de/"
        );
    }

    #[test]
    fn rejects_say_why() {
        for (reference, base, reason) in [
            ("mailto:a@b", None, Reject::Scheme),
            ("x", Some("about:blank"), Reject::Scheme),
            ("x", None, Reject::Relative),
            ("http://", None, Reject::NoHost),
            ("http://a b/", None, Reject::Host),
            ("http://a,b/", None, Reject::Host),
            ("http://[::1]:x/", None, Reject::Port),
            ("//a:70000/", Some("http://b/"), Reject::Port),
            ("http://u:p@a/", None, Reject::Credentials),
            (
                &format!("http://a/{}", "x".repeat(MAX_LENGTH)),
                None,
                Reject::TooLong,
            ),
        ] {
            assert_eq!(normal(reference, base), Err(reason), "{reference}");
        }
    }

    proptest! {
        #[test]
        fn what_is_spared_the_parser_is_what_it_would_say(
            host in "[a-z0-9.-]{1,12}|[ -~]{1,8}",
            path in "(\\./|[a-z/]){0,3}[a-z/.?%&=#:'-]{0,12}",
            folder in "/([a-z./%-]{0,8}/)?[a-z?/.-]{0,6}",
            kind in 0..3
        ) {
            let base = format!("http://a.b-c.org{folder}");
            let reference = [path.clone(), format!("/{path}"), format!("http://{host}/{path}")]
                [kind as usize].clone();
            if let Some((before, rest)) = plain(&reference, Some(&Base::new(&base))) {
                let parsed = Url::parse(&reference, Some(&base)).unwrap();
                prop_assert_eq!(parsed.href(), format!("{before}{rest}"));
            }
        }

        #[test]
        fn most_links_are_spared_the_parser(name in "[a-z]{1,8}", is_below: bool) {
            let base = Base::new("http://a.b-c.org/d/e?f=/g");
            let folder = if is_below { "./" } else { "" };
            for (reference, whole) in [
                (format!("/{name}/?q=1"), format!("http://a.b-c.org/{name}/?q=1")),
                (format!("{folder}{name}.html"), format!("http://a.b-c.org/d/{name}.html")),
                ("./".to_owned(), "http://a.b-c.org/d/".to_owned()),
                (format!("https://{name}.org/"), format!("https://{name}.org/")),
            ] {
                let found = plain(&reference, Some(&base));
                prop_assert_eq!(found.map(|(before, rest)| format!("{before}{rest}")), Some(whole));
            }
        }

        #[test]
        fn a_normal_form_stays_and_its_halves_join(reference in ".{0,40}", path in "[ -~]{0,30}") {
            for text in [reference, format!("http://a.b/{path}")] {
                if let Ok(url) = normal(&text, Some("http://c.d/e/f?g")) {
                    prop_assert_eq!(normal(&url, None).unwrap(), url.as_str());
                    let (origin, target) = split(&url);
                    prop_assert!(target.starts_with('/'));
                    prop_assert!(target.bytes().all(|byte| is_legal(byte) || byte == b'%'));
                    prop_assert_eq!(format!("{origin}{target}"), url);
                }
            }
        }
    }
}
