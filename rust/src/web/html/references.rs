//! Character references: `&amp;`, `&#38;`, `&#x26;`, and how a value without them is got.

use encoding_rs::{Encoding, UTF_8};
use memchr::memchr2;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Names and what they stand for, in the order of names; those that may go without a semicolon are there twice.
static NAMES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let lines = include_str!("references.txt").lines();
    lines
        .filter_map(|line| {
            let (name, codes) = line.split_once(' ')?;
            let letters = codes
                .split(' ')
                .map(|code| u32::from_str_radix(code, 16).ok());
            Some((
                name,
                letters
                    .map(|code| char::from_u32(code?))
                    .collect::<Option<_>>()?,
            ))
        })
        .collect()
});

/// The longest name that may go without a semicolon.
const LONGEST: usize = 6;

/// Appends what stands in an attribute or (not `in_attribute`) in a text.
pub fn push_decoded(out: &mut String, raw: &[u8], encoding: &'static Encoding, in_attribute: bool) {
    let text = decode(raw, encoding);
    let mut rest = &*text;
    while let Some(at) = memchr2(b'&', 0, rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('\0') {
            out.push('\u{FFFD}');
            rest = &rest[1..];
        } else {
            rest = &rest[push_reference(out, rest, in_attribute)..];
        }
    }
    out.push_str(rest);
}

pub fn decode<'a>(raw: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    if encoding == UTF_8 {
        String::from_utf8_lossy(raw)
    } else {
        encoding.decode_without_bom_handling(raw).0
    }
}

/// Appends what the reference at the beginning of `text` stands for, and returns how long it is.
fn push_reference(out: &mut String, text: &str, in_attribute: bool) -> usize {
    if let Some(number) = text.strip_prefix("&#") {
        return push_number(out, text, number);
    }
    let bytes = &text.as_bytes()[1..];
    let run = bytes
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(bytes.len());
    let next = bytes.get(run);
    let find = |name: &str| {
        let place = NAMES.binary_search_by(|(known, _)| (*known).cmp(name));
        place.ok().map(|place| &*NAMES[place].1)
    };
    if next == Some(&b';')
        && let Some(letters) = find(&text[1..run + 2])
    {
        out.push_str(letters);
        return run + 2;
    }
    // `?a=1&copy=2` in an attribute is no copyright sign: a name without semicolon ends there at something else
    let shortest = if in_attribute { run } else { 2 };
    if !(in_attribute && next == Some(&b'=')) {
        for length in (shortest..=run.min(LONGEST)).rev() {
            if let Some(letters) = find(&text[1..=length]) {
                out.push_str(letters);
                return 1 + length;
            }
        }
    }
    out.push('&');
    1
}

fn push_number(out: &mut String, text: &str, number: &str) -> usize {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let length = digits
        .bytes()
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    if length == 0 {
        out.push('&');
        return 1;
    }
    let code = u32::from_str_radix(&digits[..length], radix).unwrap_or(u32::MAX);
    match code {
        // who writes these means the letters of Windows, as the standard knows
        0x80..=0x9f => {
            let byte = [code as u8];
            out.push_str(
                &encoding_rs::WINDOWS_1252
                    .decode_without_bom_handling(&byte)
                    .0,
            );
        }
        0 => out.push('\u{FFFD}'),
        _ => out.push(char::from_u32(code).unwrap_or('\u{FFFD}')),
    }
    let used = text.len() - digits.len() + length;
    used + usize::from(digits.as_bytes().get(length) == Some(&b';'))
}
