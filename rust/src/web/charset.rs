//! Which charset a page is written in: mark of byte order, header, meta, guess.

use super::html::{Attributes, find_comment_end};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr;

/// What is searched for a declaration, and what a guess is made from. The standard looks at 1024 bytes, and starts
/// again when a declaration comes later; looking further at once does the same.
const PRESCAN: usize = 1 << 14;
const SAMPLE: usize = 1 << 12;

/// What told the charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    Bom,
    Header,
    Meta,
    Guess,
    /// Nothing but ASCII, for which nothing needs to be known.
    #[default]
    Default,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Header => "header",
            Self::Meta => "meta",
            Self::Guess => "guess",
            Self::Default => "default",
        }
    }
}

/// The charset of a page, with the label of its Content-Type and the top-level domain (`jp`, in Punycode) of its host.
pub fn detect(body: &[u8], label: Option<&str>, tld: &str) -> (&'static Encoding, Source) {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return (encoding, Source::Bom);
    }
    if let Some(encoding) = label.and_then(|label| Encoding::for_label(label.as_bytes())) {
        return (encoding, Source::Header);
    }
    if let Some(encoding) = prescan(&body[..body.len().min(PRESCAN)]) {
        return (encoding, Source::Meta);
    }
    guess(body, tld)
}

fn guess(body: &[u8], tld: &str) -> (&'static Encoding, Source) {
    match std::str::from_utf8(body) {
        // an escape begins the letters of ISO-2022-JP, which are ASCII to all appearance
        Ok(text) if text.is_ascii() && memchr(0x1b, body).is_none() => {
            return (WINDOWS_1252, Source::Default);
        }
        Ok(text) if !text.is_ascii() => return (UTF_8, Source::Guess),
        // the end may have been cut off within a letter
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            return (UTF_8, Source::Guess);
        }
        _ => {}
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // what tells is not ASCII; the detector needs up to a microsecond for each byte of it
    let is_telling = |byte: &u8| !byte.is_ascii() || *byte == 0x1b;
    let begin = body.iter().position(is_telling).unwrap_or(0);
    detector.feed(&body[begin..body.len().min(begin + SAMPLE)], true);
    let is_tld = !tld.is_empty()
        && tld
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let hint = is_tld.then_some(tld.as_bytes());
    (detector.guess(hint, Utf8Detection::Allow), Source::Guess)
}

/// The algorithm "prescan a byte stream to determine its encoding" of the HTML standard.
fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = declared_in_xml(head) {
        return Some(encoding);
    }
    let mut at = 0;
    loop {
        at += memchr(b'<', &head[at..])?;
        let rest = &head[at..];
        let is_end = rest.get(1) == Some(&b'/');
        if rest.starts_with(b"<!--") {
            at = find_comment_end(head, at + 4)?;
        } else if is_meta(rest) {
            let mut attributes = Attributes::new(head, at + 5);
            if let Some(encoding) = declared_in_meta(&mut attributes) {
                return Some(encoding);
            }
            at = attributes.end?;
        } else if rest
            .get(1 + usize::from(is_end))
            .is_some_and(u8::is_ascii_alphabetic)
        {
            let name = rest
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
            let mut attributes = Attributes::new(head, at + name);
            while attributes.next().is_some() {}
            at = attributes.end?;
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5
        && rest[1..5].eq_ignore_ascii_case(b"meta")
        && (rest[5].is_ascii_whitespace() || rest[5] == b'/')
}

fn declared_in_meta(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let (mut is_pragma, mut needs_pragma, mut charset) = (false, false, None);
    let mut seen: [bool; 3] = [false; 3];
    for (name, value) in attributes {
        let names = [&b"http-equiv"[..], b"content", b"charset"];
        let Some(which) = names
            .iter()
            .position(|known| name.eq_ignore_ascii_case(known))
        else {
            continue;
        };
        if std::mem::replace(&mut seen[which], true) {
            continue;
        }
        match which {
            0 => is_pragma = value.eq_ignore_ascii_case(b"content-type"),
            1 if charset.is_none() => {
                charset = find_label(value);
                needs_pragma = charset.is_some();
            }
            2 => (charset, needs_pragma) = (Some(value), false),
            _ => {}
        }
    }
    if needs_pragma && !is_pragma {
        return None;
    }
    let encoding = Encoding::for_label(charset?)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == encoding_rs::X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// The label in a Content-Type like `text/html; charset=utf-8`.
pub fn find_label(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value;
    loop {
        let at = rest
            .windows(7)
            .position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(label) = rest.strip_prefix(b"=") {
            let label = label.trim_ascii_start();
            return match label.first()? {
                quote @ (b'"' | b'\'') => {
                    let end = memchr(*quote, &label[1..])?;
                    Some(&label[1..=end])
                }
                _ => label
                    .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
                    .next(),
            };
        }
    }
}

/// The encoding of `<?xml … encoding="…"`, which must be the first thing of all.
fn declared_in_xml(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = &head[..memchr(b'>', head.strip_prefix(b"<?xml").map(|_| head)?)?];
    let at = declaration
        .windows(8)
        .position(|window| window == b"encoding")?;
    let rest = declaration[at + 8..]
        .trim_ascii_start()
        .strip_prefix(b"=")?;
    let rest = rest.trim_ascii_start();
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &rest[1..=memchr(quote, &rest[1..])?];
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else {
        encoding
    })
}
