//! What a body is, by its type and by its beginning.

pub fn is_html(kind: &str) -> bool {
    matches!(kind, "text/html" | "application/xhtml+xml")
}

pub fn is_text(kind: &str) -> bool {
    is_html(kind) || kind == "text/plain"
}

/// For answers without a type.
pub fn looks_like_html(body: &[u8]) -> bool {
    let start = body[..body.len().min(512)]
        .trim_ascii_start()
        .to_ascii_lowercase();
    [
        &b"<!doctype html"[..],
        b"<html",
        b"<head",
        b"<body",
        b"<title",
        b"<!--",
    ]
    .iter()
    .any(|tag| start.starts_with(tag))
}
