//! Registered domains, by the public suffix list that the crate `psl` carries.

/// The part of a lower-case name under which anybody can register: `co.uk`; none for names with empty labels.
pub fn public_suffix(host: &str) -> Option<&str> {
    psl::suffix_str(host).filter(|_| is_name(host))
}

/// The public suffix and one label more: `example.co.uk`; none for a suffix itself.
pub fn registered_domain(host: &str) -> Option<&str> {
    psl::domain_str(host).filter(|_| is_name(host))
}

/// Whether there are labels, none of them empty, and no address.
fn is_name(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host.split('.').all(|label| !label.is_empty())
        && !host.contains(':')
        && host.parse::<std::net::Ipv4Addr>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_one_label_more_than_its_suffix() {
        assert_eq!(public_suffix("www.example.co.uk"), Some("co.uk"));
        assert_eq!(
            registered_domain("www.example.co.uk"),
            Some("example.co.uk")
        );
        assert_eq!(registered_domain("co.uk"), None);
        for odd in ["", ".", ".com", "a..com", "127.0.0.1", "::1", "[::1]"] {
            assert_eq!(
                (public_suffix(odd), registered_domain(odd)),
                (None, None),
                "{odd}"
            );
        }
    }
}
