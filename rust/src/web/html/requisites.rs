//! What a browser fetches to show a page, beyond the `src` and `href` that `take` keeps: style sheets within the page,
//! candidates of `srcset`, posters, backgrounds, buttons that are images, and references of SVG.

use super::names::{Attribute, Kind, key};
use super::references::{decode, push_decoded};
use super::{Scanner, css};

const BODY: u64 = key(b"body");
const TABLE: u64 = key(b"table");
const TR: u64 = key(b"tr");
const TD: u64 = key(b"td");
const TH: u64 = key(b"th");
const IMG: u64 = key(b"img");
const SOURCE: u64 = key(b"source");
const VIDEO: u64 = key(b"video");
const INPUT: u64 = key(b"input");
const LINK: u64 = key(b"link");
const SVG_IMAGE: u64 = key(b"image");
const SVG_USE: u64 = key(b"use");
const SVG_SCRIPT: u64 = key(b"script");
const SVG_FE_IMAGE: u64 = key(b"feimage");

/// Whether a `style` element of this type is CSS.
pub fn is_css(kind: Option<&[u8]>) -> bool {
    kind.is_none_or(|kind| kind.is_empty() || kind.eq_ignore_ascii_case(b"text/css"))
}

impl Scanner<'_> {
    /// Keeps the resources that an element names, its name being a [`key`].
    pub(super) fn take_requisites(
        &mut self,
        name: u64,
        values: &[Option<&[u8]>; Attribute::COUNT],
        is_foreign: bool,
    ) {
        let value = |which: Attribute| values[which as usize].filter(|value| !value.is_empty());
        if let Some(style) = value(Attribute::Style).filter(|style| style.contains(&b'(')) {
            let mut text = String::new();
            push_decoded(&mut text, style, self.encoding, true);
            self.push_css(&text);
        }
        if is_foreign {
            let kind = match name {
                SVG_IMAGE | SVG_USE | SVG_FE_IMAGE => Kind::Image,
                SVG_SCRIPT => Kind::Script,
                _ => return,
            };
            if let Some(target) = value(Attribute::Href).or(value(Attribute::XlinkHref)) {
                self.push_requisite(kind, target);
            }
            return;
        }
        let (srcset, picture) = match name {
            IMG | SOURCE => (value(Attribute::Srcset), None),
            LINK => (value(Attribute::ImageSrcset), None),
            VIDEO => (None, value(Attribute::Poster)),
            BODY | TABLE | TR | TD | TH => (None, value(Attribute::Background)),
            INPUT => {
                let kind = value(Attribute::Type).unwrap_or_default();
                let is_image = kind.eq_ignore_ascii_case(b"image");
                (None, value(Attribute::Src).filter(|_| is_image))
            }
            _ => return,
        };
        if let Some(picture) = picture {
            self.push_requisite(Kind::Image, picture);
        }
        if let Some(srcset) = srcset {
            let mut text = String::new();
            push_decoded(&mut text, srcset, self.encoding, true);
            for candidate in candidates(&text) {
                self.push_written(Kind::Image, candidate);
            }
        }
    }

    /// Keeps the addresses in the content of a `style` element.
    pub(super) fn take_css(&mut self, content: &[u8]) {
        let text = decode(content, self.encoding);
        self.push_css(&text);
    }

    fn push_css(&mut self, text: &str) {
        css::references(text, &mut |address| self.push_written(Kind::Style, address));
    }

    /// A mark within the page itself is no resource.
    fn push_requisite(&mut self, kind: Kind, raw: &[u8]) {
        if !raw.trim_ascii_start().starts_with(b"#") {
            self.push_link(kind, 0, raw);
        }
    }

    fn push_written(&mut self, kind: Kind, target: &str) {
        let begin = self.scan.targets.len();
        self.scan.targets.push_str(target);
        self.add_link(kind, 0, begin..begin + target.len());
    }
}

/// The addresses of a `srcset`, as the HTML standard parses it.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_space = |c: char| c.is_ascii_whitespace();
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (address, behind) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        let trimmed = address.trim_end_matches(',');
        rest = if trimmed.len() < address.len() {
            behind
        } else {
            // descriptors, with brackets in which a comma does not end them
            let mut depth = 0_usize;
            let end = behind.find(|c: char| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            &behind[end.unwrap_or(behind.len())..]
        };
        Some(trimmed)
    })
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn candidates_are_split_as_browsers_split_them() {
        for (text, wanted) in [
            ("a.png", "a.png"),
            (" a.png 1x , b.png 2x", "a.png b.png"),
            ("a.png, b.png,c.png 3x", "a.png b.png,c.png"),
            ("a.png 100w(1,2), b.png", "a.png b.png"),
            (" , ,", ""),
        ] {
            assert_eq!(
                candidates(text).collect::<Vec<_>>().join(" "),
                wanted,
                "{text}"
            );
        }
    }
}
