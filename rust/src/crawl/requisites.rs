//! Resources that lead to others: stylesheets, manifests and pictures in SVG.

use super::page::Page;
use crate::web::html::{self, Scan, Wants};
use crate::web::{css, manifest};

/// Steps from resource to resource that are taken: a bound for stylesheets that import each other without end.
pub const MAX_STEPS: u8 = 8;

/// What a resource needs, as it writes it; None if it is nothing that leads to others.
pub fn references(page: &Page, is_part: bool) -> Option<Vec<String>> {
    let (kind, body) = (page.content_type.as_str(), &page.answer.body);
    let path = page.url.split('?').next().unwrap_or("");
    let mut found = Vec::new();
    if kind == "text/css" || kind.is_empty() && path.ends_with(".css") {
        let text = css::decode(body, page.charset.as_deref());
        css::references(&text, &mut |address| found.push(address.to_owned()));
    } else if kind == "image/svg+xml" {
        let wants = Wants {
            resources: true,
            no_fingerprint: true,
            ..Wants::default()
        };
        let mut scan = Scan::default();
        html::scan(body, page.charset.as_deref(), &wants, &mut scan);
        let parts = scan.links.iter().filter(|link| !link.kind.is_page());
        found.extend(parts.map(|link| scan.target(link).to_owned()));
    } else if kind == "application/manifest+json"
        || is_part && (kind.ends_with("json") || path.ends_with(".webmanifest"))
    {
        found = manifest::pictures(body);
    } else {
        return None;
    }
    Some(found)
}
