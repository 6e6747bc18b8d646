//! Sitemaps: the addresses that a host lists in XML (sitemaps.org).

use memchr::memmem;

/// What the protocol allows a sitemap, or an index of sitemaps, to list; more is not read.
pub const MAX_LOCATIONS: usize = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// of pages
    Urls,
    /// of sitemaps
    Index,
}

/// What an XML file is by its first tags, or nothing if it is no sitemap.
pub fn kind(body: &[u8]) -> Option<Kind> {
    let start = &body[..body.len().min(4096)];
    let place = |tag: &[u8]| memmem::find(start, tag);
    match (place(b"<urlset"), place(b"<sitemapindex")) {
        (None, None) => None,
        (Some(urls), Some(index)) if urls < index => Some(Kind::Urls),
        (Some(_), None) => Some(Kind::Urls),
        _ => Some(Kind::Index),
    }
}

/// What stands in the `loc` elements of a sitemap or of an index of sitemaps, or nothing if it is neither.
pub fn locations(body: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = if kind(body).is_some() { body } else { &[] };
    while let Some(at) = memmem::find(rest, b"<loc>").filter(|_| found.len() < MAX_LOCATIONS) {
        rest = &rest[at + 5..];
        let Some(end) = memmem::find(rest, b"</loc>") else {
            break;
        };
        let text = String::from_utf8_lossy(rest[..end].trim_ascii());
        let text = text
            .strip_prefix("<![CDATA[")
            .and_then(|text| text.strip_suffix("]]>"))
            .unwrap_or(&text);
        let entities = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&apos;", "'"),
            ("&amp;", "&"),
        ];
        found.push(
            entities
                .iter()
                .fold(text.trim().to_owned(), |text, (entity, letter)| {
                    text.replace(entity, letter)
                }),
        );
        rest = &rest[end..];
    }
    found
}
