//! Web application manifests: the pictures that they name. Their `start_url` is a page, and no part of one.

use serde_json::Value;

/// Bytes of a manifest that is read.
const MAX_SIZE: usize = 1 << 20;

/// The addresses of icons, screenshots and icons of shortcuts, relative to the manifest; none if it is not JSON.
pub fn pictures(body: &[u8]) -> Vec<String> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut found = Vec::new();
    if body.len() > MAX_SIZE {
        return found;
    }
    let Ok(Value::Object(manifest)) = serde_json::from_slice(body) else {
        return found;
    };
    let mut take = |list: Option<&Value>| {
        for entry in list.and_then(Value::as_array).into_iter().flatten() {
            found.extend(entry.get("src").and_then(Value::as_str).map(str::to_owned));
        }
    };
    take(manifest.get("icons"));
    take(manifest.get("screenshots"));
    for shortcut in manifest
        .get("shortcuts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        take(shortcut.get("icons"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::pictures;

    #[test]
    fn pictures_are_named_and_pages_are_not() {
        let text = br#"{"start_url": "/", "icons": [{"src": "a.png"}, {"sizes": "1x1"}, 7],
            "shortcuts": [{"url": "/b", "icons": [{"src": "c.png"}]}], "screenshots": [{"src": "d.png"}]}"#;
        assert_eq!(pictures(text), ["a.png", "d.png", "c.png"]);
        for other in [&b"[]"[..], b"{", b"", b"{\"icons\": 7}"] {
            assert!(pictures(other).is_empty());
        }
    }
}
