//! Row keys: URLs with the host reversed, the one order of everything.
//!
//! `http://www.example.org/a?b` becomes `org,example,www)/a?b`; behind a blank comes what is not the default, the port and
//! then the scheme (`org,example)/ 8080 https`), so that neither splits a host. In the order of bytes `)` < `,` < `-` <
//! digits < letters, so the pages of a host are neighbours, and so are the hosts of a domain.

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
}
