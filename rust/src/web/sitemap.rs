//! Sitemaps: the addresses that a host lists in XML.

use memchr::memmem;

/// What stands in the `loc` elements of a sitemap or of an index of sitemaps, or nothing if it is neither.
pub fn locations(body: &[u8]) -> Vec<String> {
    let start = &body[..body.len().min(4096)];
    let is_sitemap = [&b"<urlset"[..], b"<sitemapindex"]
        .iter()
        .any(|tag| memmem::find(start, tag).is_some());
    let mut found = Vec::new();
    let mut rest = if is_sitemap { body } else { &[] };
    while let Some(at) = memmem::find(rest, b"<loc>") {
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
