//! A page, tag by tag.

use super::attributes::{self, Kind};
use super::{Place, stylesheet};
use crate::web::charset;
use crate::web::html::references;
use encoding_rs::UTF_8;
use lol_html::html_content::{ContentType, Element};
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, Settings, element, text};
use std::cell::RefCell;

/// Documents within documents (`srcdoc`, `noscript`) that are rewritten; deeper ones are removed.
const MAX_DEPTH: usize = 3;
/// `http-equiv` that a page keeps.
const KEPT_PRAGMAS: [&str; 3] = ["content-type", "content-language", "x-ua-compatible"];
/// Relations of `link` that would load or look up something ahead of its use, or run it.
const HINTS: [&str; 8] = [
    "dns-prefetch",
    "preconnect",
    "prefetch",
    "prerender",
    "preload",
    "modulepreload",
    "import",
    "pingback",
];

/// A page with addresses that lead to the archive and nothing that runs, and the name of its charset.
///
/// `label` is the charset of its Content-Type, `tld` that of its host.
pub fn page(
    body: &[u8],
    label: Option<&str>,
    tld: &str,
    place: &Place<'_>,
) -> Result<(Vec<u8>, &'static str), String> {
    let (encoding, _) = charset::detect(body, label, tld);
    if let Some(known) = AsciiCompatibleEncoding::new(encoding) {
        let base = find_base(body, known, place.base);
        let place = Place {
            base: &base,
            ..*place
        };
        return Ok((document(body, known, &place, 0)?, encoding.name()));
    }
    // tags of UTF-16 and ISO-2022-JP are not ASCII
    let (text, _, _) = encoding.decode(body);
    let base = find_base(
        text.as_bytes(),
        AsciiCompatibleEncoding::utf_8(),
        place.base,
    );
    let place = Place {
        base: &base,
        ..*place
    };
    let made = document(text.as_bytes(), AsciiCompatibleEncoding::utf_8(), &place, 0)?;
    Ok((made, UTF_8.name()))
}

/// What the addresses of a page are resolved against: its own, or the first `base` with an address that parses.
fn find_base(body: &[u8], encoding: AsciiCompatibleEncoding, own: &str) -> String {
    let mentions = body
        .windows(5)
        .any(|window| window.eq_ignore_ascii_case(b"<base"));
    if !mentions {
        return own.to_owned();
    }
    let found: RefCell<Option<String>> = RefCell::new(None);
    let settings = Settings::new()
        .with_encoding(encoding)
        .with_strict(false)
        .append_element_content_handler(element!("base[href]", |element| {
            // the first one counts, also if it is of no use
            found
                .borrow_mut()
                .get_or_insert_with(|| decode(&element.get_attribute("href").unwrap_or_default()));
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    let _ = rewriter.write(body).and_then(|()| rewriter.end());
    let found = found.into_inner();
    found
        .and_then(|href| ada_url::Url::parse(href.trim(), Some(own)).ok())
        .filter(|url| matches!(url.protocol(), "http:" | "https:"))
        .map_or_else(|| own.to_owned(), |url| url.href().to_owned())
}

fn document(
    body: &[u8],
    encoding: AsciiCompatibleEncoding,
    place: &Place<'_>,
    depth: usize,
) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(body.len() + body.len() / 4);
    let style = RefCell::new(String::new());
    let inner = RefCell::new(String::new());
    let settings = Settings::new()
        .with_encoding(encoding)
        .with_strict(false)
        .append_element_content_handler(element!("*", |element| {
            if is_unwanted(element) {
                discard(element);
            } else {
                change(element, place, depth);
            }
            Ok(())
        }))
        .append_element_content_handler(text!("style", |chunk| {
            let mut text = style.borrow_mut();
            text.push_str(chunk.as_str());
            if chunk.last_in_text_node() {
                let made = stylesheet(&text, place);
                chunk.replace(&made, ContentType::Html);
                text.clear();
            } else {
                chunk.remove();
            }
            Ok(())
        }))
        // what is text to a browser that runs scripts are tags to one that does not
        .append_element_content_handler(text!("noscript", |chunk| {
            let mut text = inner.borrow_mut();
            text.push_str(chunk.as_str());
            if chunk.last_in_text_node() {
                let made = nested(&text, place, depth).unwrap_or_default();
                chunk.replace(&made, ContentType::Html);
                text.clear();
            } else {
                chunk.remove();
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |piece: &[u8]| out.extend_from_slice(piece));
    rewriter.write(body).map_err(|error| error.to_string())?;
    rewriter.end().map_err(|error| error.to_string())?;
    Ok(out)
}

/// A document within a document.
fn nested(text: &str, place: &Place<'_>, depth: usize) -> Option<String> {
    if depth >= MAX_DEPTH {
        return None;
    }
    let made = document(
        text.as_bytes(),
        AsciiCompatibleEncoding::utf_8(),
        place,
        depth + 1,
    );
    String::from_utf8(made.ok()?).ok()
}

/// Removes an element. A comment takes its place, so that the text before and behind it cannot become a tag. Of a `meta`
/// the bare tag stays, since it ends SVG and MathML, and what follows would be read in another way without it.
fn discard(element: &mut Element<'_, '_>) {
    if element.tag_name() != "meta" {
        element.replace("<!---->", ContentType::Html);
        return;
    }
    let names: Vec<String> = element
        .attributes()
        .iter()
        .map(|attribute| attribute.name())
        .collect();
    for name in names {
        element.remove_attribute(&name);
    }
}

fn is_unwanted(element: &Element<'_, '_>) -> bool {
    let has = |name: &str| element.get_attribute(name).map(|value| decode(&value));
    match element.tag_name().as_str() {
        "script" | "base" => true,
        "meta" => {
            let pragma = has("http-equiv").is_some_and(|name| {
                let name = name.trim().to_ascii_lowercase();
                !KEPT_PRAGMAS.contains(&name.as_str())
            });
            pragma || has("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("referrer"))
        }
        "link" => has("rel").is_some_and(|rel| {
            rel.split_ascii_whitespace()
                .any(|word| HINTS.iter().any(|hint| word.eq_ignore_ascii_case(hint)))
        }),
        "animate" | "set" | "animatetransform" | "animatemotion" => has("attributename")
            .is_some_and(|name| {
                let name = name.trim().to_ascii_lowercase();
                name == "href" || name == "xlink:href" || name.starts_with("on")
            }),
        _ => false,
    }
}

fn change(element: &mut Element<'_, '_>, place: &Place<'_>, depth: usize) {
    let tag = element.tag_name();
    let attributes: Vec<(String, String)> = element
        .attributes()
        .iter()
        .map(|attribute| (attribute.name(), attribute.value()))
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    for (name, written) in &attributes {
        if seen.contains(&name.as_str()) {
            continue; // only the first one counts
        }
        seen.push(name);
        let kind = attributes::kind(&tag, name);
        let is_frame_name = name == "target" || name == "formtarget";
        if kind == Kind::Other && !is_frame_name {
            continue;
        }
        let value = decode(written);
        let made = match kind {
            Kind::Other if value.starts_with('_') => None,
            Kind::Document => nested(&value, place, depth),
            _ => {
                let is_sheet = tag == "link" && name == "href" && is_stylesheet(&attributes);
                attributes::rewrite(kind, &value, place, is_sheet)
            }
        };
        match made {
            Some(made) if made == value => {}
            Some(made) => {
                let _ = element.set_attribute(name, &made.replace('&', "&amp;"));
            }
            // a second one of this name would count if only the first were removed
            None => {
                while element.has_attribute(name) {
                    element.remove_attribute(name);
                }
            }
        }
    }
}

fn is_stylesheet(attributes: &[(String, String)]) -> bool {
    attributes.iter().any(|(name, value)| {
        name == "rel"
            && value
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("stylesheet"))
    })
}

/// A value without character references.
fn decode(value: &str) -> String {
    if !value.contains(['&', '\0']) {
        return value.to_owned();
    }
    let mut out = String::with_capacity(value.len());
    references::push_decoded(&mut out, value.as_bytes(), UTF_8, true);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(body: &str) -> String {
        let place = Place {
            base: "http://a.uk/b/",
            prefix: "/t",
        };
        let (made, _) = page(body.as_bytes(), Some("utf-8"), "uk", &place).unwrap();
        String::from_utf8(made).unwrap()
    }

    #[test]
    fn addresses_lead_to_the_archive() {
        for (body, wanted) in [
            ("<a href=c>x</a>", "<a href=\"/t/http://a.uk/b/c\">x</a>"),
            (
                "<A HREF='/c?x=1&amp;y=2'>",
                "<A HREF=\"/t/http://a.uk/c?x=1&amp;y=2\">",
            ),
            (
                "<img src=d.png srcset='e.png 2x'>",
                "<img src=\"/t/http://a.uk/b/d.png\" srcset=\"/t/http://a.uk/b/e.png 2x\">",
            ),
            (
                "<base href=/x/><a href=c>",
                "<a href=\"/t/http://a.uk/x/c\">",
            ),
            (
                "<a href=c><base href=/x/>",
                "<a href=\"/t/http://a.uk/x/c\">",
            ),
            (
                "<link rel=StyleSheet href=s.css integrity=q>",
                "<link rel=StyleSheet href=\"/tcs_/http://a.uk/b/s.css\">",
            ),
            (
                "<style>a{b:url(c)}</style>",
                "<style>a{b:url(\"/t/http://a.uk/b/c\")}</style>",
            ),
            (
                "<p style='b:url(c)'>",
                "<p style=\"b:url(&quot;/t/http://a.uk/b/c&quot;)\">",
            ),
            (
                "<svg><image xlink:href=d.svg /><use href='#x'/></svg>",
                "<svg><image xlink:href=\"/t/http://a.uk/b/d.svg\" /><use href='#x'/></svg>",
            ),
            (
                "<noscript><img src=d.png></noscript>",
                "<noscript><img src=\"/t/http://a.uk/b/d.png\"></noscript>",
            ),
            (
                "<iframe srcdoc='&lt;img src=d onerror=x&gt;'></iframe>",
                "<iframe srcdoc=\"<img src=&quot;/t/http://a.uk/b/d&quot;>\"></iframe>",
            ),
            (
                "<!-- <a href=c> --><textarea><a href=c></textarea>",
                "<!-- <a href=c> --><textarea><a href=c></textarea>",
            ),
        ] {
            let made = make(body).replace(" >", ">").replace("<!---->", "");
            assert_eq!(made, wanted, "{body}");
        }
    }

    #[test]
    fn what_runs_or_leaves_goes() {
        for (body, wanted) in [
            ("a<script>b</script>c", "a<!---->c"),
            ("<script src=x>", "<!---->"),
            ("<svg><script href=x /></svg>", "<svg><!----></svg>"),
            ("<p onclick=x OnLoad=y>", "<p>"),
            ("<p onclick=x onclick=y>", "<p>"),
            ("<a href='java&#115;cript:x'>", "<a>"),
            ("<meta http-equiv=Refresh content='0;url=x'>", "<meta>"),
            (
                "<meta http-equiv=Content-Type content='text/html'>",
                "<meta http-equiv=Content-Type content='text/html'>",
            ),
            ("<link rel='dns-prefetch' href=//x.uk>", "<!---->"),
            ("<a target=_top ping=x>", "<a>"),
            ("<a target=main>", "<a target=main>"),
            (
                "<svg><a><set attributeName=href to=http://x/></set></a></svg>",
                "<svg><a><!----></a></svg>",
            ),
            ("<img crossorigin=use-credentials>", "<img>"),
        ] {
            let made = make(body).replace(" >", ">").replace("  ", " ");
            assert_eq!(made, wanted, "{body}");
        }
    }

    #[test]
    fn charsets_are_kept_where_tags_are_ascii() {
        let place = Place {
            base: "http://a.uk/",
            prefix: "/t",
        };
        let (made, name) = page(b"\xe9<a href=b>", Some("windows-1252"), "uk", &place).unwrap();
        assert_eq!((made[0], name), (0xe9, "windows-1252"));
        let wide: Vec<u8> = "é<i>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (made, name) = page(&wide, Some("utf-16le"), "uk", &place).unwrap();
        assert_eq!((made, name), ("é<i>".as_bytes().to_vec(), "UTF-8"));
    }
}
