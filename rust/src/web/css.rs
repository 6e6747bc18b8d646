//! The addresses that a stylesheet names: `@import`, `url()`, `src()` and the strings of `image-set()`.
//!
//! The tokens are those of CSS Syntax Level 3, read by the crate `cssparser`. What a rule means is not looked at, but for
//! `@namespace`, whose address is a name and is never fetched. An address is relative to the stylesheet that names it.

use cssparser::{ParseError, Parser, ParserInput, Token};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// Blocks within blocks that are looked into: a bound for the stack.
const MAX_DEPTH: usize = 64;
/// Bytes before which an `@charset` must end (CSS Syntax, 3.2).
const PRESCAN: usize = 1024;

/// What the strings among the tokens are.
#[derive(Clone, Copy, PartialEq)]
enum Strings {
    /// the first one is the address of a stylesheet
    Import,
    Addresses,
    /// neither strings nor `url()` are addresses
    Names,
    Other,
}

/// A stylesheet as text: by its byte order mark, the charset of its Content-Type, `@charset`, or else UTF-8.
pub fn decode<'a>(body: &'a [u8], label: Option<&str>) -> Cow<'a, str> {
    let encoding = label
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| declared(body))
        .unwrap_or(UTF_8);
    encoding.decode(body).0
}

/// The encoding of `@charset "…";`, which counts only in this very spelling at the very beginning.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let rest = body.strip_prefix(b"@charset \"")?;
    let rest = &rest[..rest.len().min(PRESCAN)];
    let end = memchr::memchr(b'"', rest)?;
    (rest.get(end + 1) == Some(&b';')).then_some(())?;
    let encoding = Encoding::for_label(&rest[..end])?;
    // it was read as ASCII, so it cannot be what it says
    let is_wide = encoding == UTF_16BE || encoding == UTF_16LE;
    Some(if is_wide { UTF_8 } else { encoding })
}

/// Gives each address of a stylesheet, of a `style` element or of a `style` attribute, as written, to `take`.
///
/// Addresses within the document (`#mark`) and those that carry their content along (`data:`) are none.
pub fn references(text: &str, take: &mut dyn FnMut(&str)) {
    if !text.contains(['(', '@']) {
        return;
    }
    let mut input = ParserInput::new(text);
    let mut keep = |address: &str| {
        let address = address.trim_matches(|c: char| c.is_ascii_whitespace());
        let is_data = address
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        if !address.is_empty() && !address.starts_with('#') && !is_data {
            take(address);
        }
    };
    walk(&mut Parser::new(&mut input), 0, Strings::Other, &mut keep);
}

/// What strings are after an at-keyword, up to the end of its statement.
fn after_keyword(name: &str, outer: Strings) -> Strings {
    if name.eq_ignore_ascii_case("import") {
        Strings::Import
    } else if name.eq_ignore_ascii_case("namespace") {
        Strings::Names
    } else {
        outer
    }
}

/// What strings are among the arguments of a function.
fn in_function(name: &str, outside: Strings) -> Strings {
    let is_address = ["url", "src", "image-set", "-webkit-image-set"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    match outside {
        Strings::Names => Strings::Names,
        _ if is_address => Strings::Addresses,
        _ => Strings::Other,
    }
}

fn walk(parser: &mut Parser, depth: usize, outer: Strings, take: &mut dyn FnMut(&str)) {
    let mut strings = outer;
    // the only error is the end of the block
    while let Ok(token) = parser.next().cloned() {
        let inner = match &token {
            Token::AtKeyword(name) => {
                strings = after_keyword(name, outer);
                continue;
            }
            Token::Semicolon => {
                strings = outer;
                continue;
            }
            Token::UnquotedUrl(address) => {
                if strings != Strings::Names {
                    take(address);
                }
                if strings == Strings::Import {
                    strings = Strings::Other;
                }
                continue;
            }
            Token::QuotedString(address) => {
                if matches!(strings, Strings::Import | Strings::Addresses) {
                    take(address);
                }
                if strings == Strings::Import {
                    strings = Strings::Other;
                }
                continue;
            }
            Token::Function(name) => in_function(name, strings),
            Token::ParenthesisBlock | Token::SquareBracketBlock => Strings::Other,
            Token::CurlyBracketBlock => {
                strings = outer;
                Strings::Other
            }
            _ => continue,
        };
        // the parser passes over what is not looked into
        if depth < MAX_DEPTH {
            let _ = parser.parse_nested_block(|block| -> Result<(), ParseError<'_, ()>> {
                walk(block, depth + 1, inner, take);
                Ok(())
            });
        }
        if strings == Strings::Import {
            strings = Strings::Other;
        }
    }
}

/// A stylesheet with each address replaced by what `make` gives for it, which is also told whether it is that of a
/// stylesheet; where it gives none, the address stays as written. Everything else is copied.
pub fn rewrite(text: &str, make: &mut dyn FnMut(&str, bool) -> Option<String>) -> String {
    if !text.contains(['(', '@']) {
        return text.to_owned();
    }
    let mut input = ParserInput::new(text);
    let mut writer = Writer {
        text,
        out: String::with_capacity(text.len()),
        copied: 0,
        make,
    };
    copy(
        &mut Parser::new(&mut input),
        0,
        Strings::Other,
        false,
        &mut writer,
    );
    writer.out.push_str(&text[writer.copied..]);
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    /// what is before it is in `out`
    copied: usize,
    make: &'a mut dyn FnMut(&str, bool) -> Option<String>,
}

impl Writer<'_> {
    fn replace(&mut self, address: &str, start: usize, end: usize, is_sheet: bool, is_url: bool) {
        let Some(made) = (self.make)(address, is_sheet) else {
            return;
        };
        self.out.push_str(&self.text[self.copied..start]);
        if is_url {
            self.out.push_str("url(");
        }
        self.out.push('"');
        for letter in made.chars() {
            match letter {
                '"' | '\\' => self.out.extend(['\\', letter]),
                '\n' | '\r' | '\x0c' => {}
                _ => self.out.push(letter),
            }
        }
        self.out.push('"');
        if is_url {
            self.out.push(')');
        }
        self.copied = end;
    }
}

/// As [`walk`], with the places of tokens.
fn copy(
    parser: &mut Parser,
    depth: usize,
    outer: Strings,
    is_sheet_outside: bool,
    out: &mut Writer<'_>,
) {
    let mut strings = outer;
    let mut is_sheet = is_sheet_outside;
    loop {
        parser.skip_whitespace();
        let start = parser.position().byte_index();
        let Ok(token) = parser.next().cloned() else {
            return;
        };
        let end = parser.position().byte_index();
        let inner = match &token {
            Token::AtKeyword(name) => {
                strings = after_keyword(name, outer);
                is_sheet = strings == Strings::Import;
                continue;
            }
            Token::Semicolon => {
                (strings, is_sheet) = (outer, is_sheet_outside);
                continue;
            }
            Token::UnquotedUrl(address) => {
                if strings != Strings::Names {
                    out.replace(address, start, end, is_sheet, true);
                }
                if strings == Strings::Import {
                    (strings, is_sheet) = (Strings::Other, false);
                }
                continue;
            }
            Token::QuotedString(address) => {
                if matches!(strings, Strings::Import | Strings::Addresses) {
                    out.replace(address, start, end, is_sheet, false);
                }
                if strings == Strings::Import {
                    (strings, is_sheet) = (Strings::Other, false);
                }
                continue;
            }
            Token::Function(name) => in_function(name, strings),
            Token::ParenthesisBlock | Token::SquareBracketBlock => Strings::Other,
            Token::CurlyBracketBlock => {
                strings = outer;
                Strings::Other
            }
            _ => continue,
        };
        if depth < MAX_DEPTH {
            let _ = parser.parse_nested_block(|block| -> Result<(), ParseError<'_, ()>> {
                copy(block, depth + 1, inner, is_sheet, out);
                Ok(())
            });
        }
        if strings == Strings::Import {
            (strings, is_sheet) = (Strings::Other, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        references(text, &mut |address| found.push(address.to_owned()));
        found
    }

    #[test]
    fn imports_and_urls_are_found_wherever_they_stand() {
        for (text, wanted) in [
            ("@import 'a.css';@import url(b.css) screen;", "a.css b.css"),
            (
                "@IMPORT url(\"c.css\") layer(x) supports(display:grid);",
                "c.css",
            ),
            ("a{background:url( 'd.png' ),url(e.png)}", "d.png e.png"),
            (
                "@font-face{src:url(f.woff2)format('woff2'),url(g.ttf)}",
                "f.woff2 g.ttf",
            ),
            (
                "@media print{@supports(a:b){i{cursor:url(h.cur),auto}}}",
                "h.cur",
            ),
            (
                "p{background-image:image-set('i.png' 1x,url(j.png) 2x type('image/png'))}",
                "i.png j.png",
            ),
            ("background:url(k.png)", "k.png"),
            ("q{b:u\\72l(l.png)}", "l.png"),
            (
                "/* url(no) */ a{content:'url(no)'} @namespace url(http://no/);b{c:url(m)}",
                "m",
            ),
            (
                "a{b:url(data:image/png;base64,xx);c:url(#mark);d:url()}",
                "",
            ),
            ("a{b:url(unended", "unended"),
            ("@import 'n.css' ; @layer 'no'; a{b:'no'}", "n.css"),
        ] {
            assert_eq!(find(text).join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn deep_blocks_end_without_ending_the_stack() {
        let deep = "a{".repeat(200_000) + "b:url(c)";
        assert!(find(&deep).is_empty());
        assert_eq!(find(&("(".repeat(30) + "url(d)")), ["d"]);
    }

    #[test]
    fn the_charset_is_that_of_the_mark_the_header_or_the_rule() {
        assert_eq!(
            decode(b"@charset \"iso-8859-1\";\xe9", None),
            "@charset \"iso-8859-1\";é"
        );
        assert_eq!(decode("é".as_bytes(), None), "é");
        assert_eq!(decode(b"\xe9", Some("windows-1252")), "é");
        assert_eq!(decode(b"\xff\xfea\0", Some("utf-8")), "a");
        assert_eq!(
            decode(b"@charset \"utf-16\";a", None),
            "@charset \"utf-16\";a"
        );
    }
}
