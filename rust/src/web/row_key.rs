//! Row keys: URLs with the host reversed, the one order of everything.
//!
//! `http://www.example.org/a?b` becomes `org,example,www)/a?b`; behind a blank comes what is not the default, the port and
//! then the scheme (`org,example)/ 8080 https`), so that neither splits a host. In the order of bytes `)` < `,` < `-` <
//! digits < letters, so the pages of a host are neighbours, and so are the hosts of a domain.

use super::url;

/// Appends the row key of a normalized URL.
pub fn push_row_key(out: &mut Vec<u8>, url: &str) {
    let (origin, target) = url::split(url);
    let (scheme, authority) = origin.split_once("://").unwrap_or(("http", origin));
    // the colons of an IPv6 address stand within brackets, which the key leaves out
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    push_host_key(out, host.trim_matches(['[', ']']).as_bytes());
    if !target.starts_with('/') {
        out.push(b'/');
    }
    out.extend_from_slice(target.as_bytes());
    if !matches!((scheme, port), (_, "") | ("http", "80") | ("https", "443")) {
        out.push(b' ');
        out.extend_from_slice(port.as_bytes());
    }
    if scheme != "http" {
        out.push(b' ');
        out.extend_from_slice(scheme.as_bytes());
    }
}

/// Appends the labels of a host name from last to first, with commas, and `)`.
pub fn push_host_key(out: &mut Vec<u8>, host: &[u8]) {
    for (place, label) in host.rsplit(|byte| *byte == b'.').enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(label);
    }
    out.push(b')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_reversed() {
        let mut key = Vec::new();
        push_host_key(&mut key, b"www.example.co.uk");
        assert_eq!(key, b"uk,co,example,www)");
    }

    #[test]
    fn port_and_scheme_come_last() {
        for (url, expected) in [
            ("http://www.example.org/a?b", "org,example,www)/a?b"),
            ("https://example.org:8080/", "org,example)/ 8080 https"),
            ("http://[::1]:81/?", "::1)/? 81"),
            ("https://[::1]/", "::1)/ https"),
        ] {
            let mut key = Vec::new();
            push_row_key(&mut key, url);
            assert_eq!(String::from_utf8(key).unwrap(), expected);
        }
    }
}
