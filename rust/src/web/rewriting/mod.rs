//! Pages and stylesheets as a replay without scripts shows them.
//!
//! Addresses lead to the archive, `{prefix}{modifier}/{absolute address}`; those of other schemes than `http` and `https`
//! stay if nothing is loaded or run from them (`data:`, `mailto:` …), and are removed if not (`javascript:`). What would run,
//! leave the page or look up a name goes: `script`, event handlers, `base`, meta refresh and other `http-equiv`, hints
//! such as `preconnect`, `ping`, animations of addresses. Everything else is copied byte by byte.
//!
//! Tags are found by the crate `lol_html`, tokens of CSS by `cssparser`. This is for fidelity; that nothing is loaded from
//! elsewhere is ensured by the policy with which a page is sent.

mod attributes;
mod page;

pub use page::page;

use crate::web::css;
use ada_url::Url;

/// The modifier of stylesheets: what is served under it is rewritten as one, whatever its type was.
pub const STYLESHEET: &str = "cs_";
/// Schemes that are left as they are.
const HARMLESS: [&str; 5] = ["data:", "about:", "blob:", "mailto:", "tel:"];

/// Where addresses of a document lead.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// What relative addresses are resolved against.
    pub base: &'a str,
    /// The collection and the time, `/uk/20260612000000`.
    pub prefix: &'a str,
}

/// What becomes of an address.
#[derive(Debug, PartialEq)]
pub enum Address {
    Keep,
    Remove,
    Replace(String),
}

impl Place<'_> {
    /// What becomes of an address as written, character references decoded.
    pub fn lead(&self, written: &str, modifier: &str) -> Address {
        let text = written.trim_matches(|c: char| c <= ' ');
        if text.is_empty() || text.starts_with('#') {
            return Address::Keep;
        }
        let base = Some(self.base).filter(|base| Url::can_parse(base, None));
        let Ok(url) = Url::parse(text, base) else {
            return Address::Remove;
        };
        match url.protocol() {
            "http:" | "https:" => {
                Address::Replace(format!("{}{modifier}/{}", self.prefix, url.href()))
            }
            scheme if HARMLESS.contains(&scheme) => Address::Keep,
            _ => Address::Remove,
        }
    }
}

/// A stylesheet, or the declarations of a `style` attribute, with addresses that lead to the archive.
pub fn stylesheet(text: &str, place: &Place<'_>) -> String {
    css::rewrite(text, &mut |address, is_sheet| match place
        .lead(address, if is_sheet { STYLESHEET } else { "" })
    {
        Address::Keep => None,
        Address::Remove => Some("about:blank".to_owned()),
        Address::Replace(address) => Some(address),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> = Place {
        base: "http://a.uk/b/c",
        prefix: "/uk/20260612000000",
    };

    #[test]
    fn addresses_lead_to_the_archive_or_go() {
        for (written, wanted) in [
            ("d?e=1#f", "/uk/20260612000000/http://a.uk/b/d?e=1#f"),
            (" //x.uk", "/uk/20260612000000/http://x.uk/"),
            ("https://x.uk/ü", "/uk/20260612000000/https://x.uk/%C3%BC"),
            ("#mark", "keep"),
            ("", "keep"),
            ("data:image/png;base64,xx", "keep"),
            ("mailto:a@b.uk", "keep"),
            ("javascript:alert(1)", "remove"),
            (" java\tscript:alert(1)", "remove"),
            ("ws://x.uk/", "remove"),
            ("http://[", "remove"),
        ] {
            let found = match PLACE.lead(written, "") {
                Address::Keep => "keep".to_owned(),
                Address::Remove => "remove".to_owned(),
                Address::Replace(address) => address,
            };
            assert_eq!(found, wanted, "{written}");
        }
    }

    #[test]
    fn stylesheets_keep_all_but_their_addresses() {
        let text = "@import 'x.css' print; a{b:url(c.png) /* url(no) */;content:'d\\'e'}";
        assert_eq!(
            stylesheet(text, &PLACE),
            "@import \"/uk/20260612000000cs_/http://a.uk/b/x.css\" print; \
             a{b:url(\"/uk/20260612000000/http://a.uk/b/c.png\") /* url(no) */;content:'d\\'e'}"
        );
        assert_eq!(
            stylesheet("b:url(javascript:x)", &PLACE),
            "b:url(\"about:blank\")"
        );
        assert_eq!(stylesheet("b:url(#x)", &PLACE), "b:url(#x)");
    }
}
