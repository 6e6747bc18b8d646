//! What becomes of the attributes of a tag.

use super::{Address, Place, STYLESHEET, stylesheet};

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Address,
    Candidates,
    Style,
    Document,
    /// it is removed
    Active,
    Other,
}

/// What an attribute of an element holds; both names in lower case.
pub fn kind(element: &str, name: &str) -> Kind {
    match name {
        "href" | "src" | "xlink:href" | "action" | "formaction" | "poster" | "background"
        | "cite" | "longdesc" | "lowsrc" | "dynsrc" | "icon" | "manifest" | "profile"
        | "codebase" => Kind::Address,
        "data" if element == "object" => Kind::Address,
        "srcset" | "imagesrcset" => Kind::Candidates,
        "style" => Kind::Style,
        "srcdoc" => Kind::Document,
        "ping" | "integrity" | "nonce" | "crossorigin" | "attributionsrc" | "archive"
        | "classid" => Kind::Active,
        _ if name.starts_with("on") && name.len() > 2 => Kind::Active,
        _ => Kind::Other,
    }
}

/// A value that holds an address, a list of candidates or declarations, or none where the attribute is to be removed.
pub fn rewrite(kind: Kind, value: &str, place: &Place<'_>, is_sheet: bool) -> Option<String> {
    match kind {
        Kind::Address => match place.lead(value, if is_sheet { STYLESHEET } else { "" }) {
            Address::Keep => Some(value.to_owned()),
            Address::Remove => None,
            Address::Replace(address) => Some(address),
        },
        Kind::Candidates => Some(candidates(value, place)),
        Kind::Style => Some(stylesheet(value, place)),
        Kind::Document | Kind::Active => None,
        Kind::Other => Some(value.to_owned()),
    }
}

/// The candidates of a `srcset`, as the HTML standard parses them; those whose address goes are left out.
fn candidates(value: &str, place: &Place<'_>) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return kept.join(", ");
        }
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (address, behind) = rest.split_at(end);
        let bare = address.trim_end_matches(',');
        let descriptor;
        if bare.len() < address.len() {
            (descriptor, rest) = ("", behind);
        } else {
            (descriptor, rest) = behind.split_at(descriptor_end(behind));
        }
        let address = match place.lead(bare, "") {
            Address::Keep => bare.to_owned(),
            Address::Remove => continue,
            Address::Replace(address) => address.replace(',', "%2C"),
        };
        let descriptor = descriptor.trim();
        kept.push(if descriptor.is_empty() {
            address
        } else {
            format!("{address} {descriptor}")
        });
    }
}

/// Where a descriptor ends: at a comma outside of parentheses.
fn descriptor_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_told_apart_as_browsers_do() {
        let place = Place {
            base: "http://a.uk/",
            prefix: "/t",
        };
        for (value, wanted) in [
            (
                "b.png 1x, c.png 2x",
                "/t/http://a.uk/b.png 1x, /t/http://a.uk/c.png 2x",
            ),
            (
                "b.png, c,d.png 2x",
                "/t/http://a.uk/b.png, /t/http://a.uk/c%2Cd.png 2x",
            ),
            (",, b.png ,", "/t/http://a.uk/b.png"),
            ("javascript:x 1x, b.png 2x", "/t/http://a.uk/b.png 2x"),
            ("data:image/png,x 1x", "data:image/png,x 1x"),
            (
                "b.png calc(1,2)x, c",
                "/t/http://a.uk/b.png calc(1,2)x, /t/http://a.uk/c",
            ),
        ] {
            assert_eq!(candidates(value, &place), wanted, "{value}");
        }
    }

    #[test]
    fn handlers_and_pings_are_active() {
        assert_eq!(kind("a", "onclick"), Kind::Active);
        assert_eq!(kind("a", "ping"), Kind::Active);
        assert_eq!(kind("a", "on"), Kind::Other);
        assert_eq!(kind("object", "data"), Kind::Address);
        assert_eq!(kind("div", "data"), Kind::Other);
    }
}
