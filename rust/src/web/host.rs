//! Registered domains, by the public suffix list that the crate `psl` carries.

/// The part of a lower-case name under which anybody can register: `co.uk`; none for names with empty labels.
pub fn public_suffix(host: &str) -> Option<&str> {
    psl::suffix_str(host).filter(|_| is_name(host))
}

/// The public suffix and one label more: `example.co.uk`; none for a suffix itself.
pub fn registered_domain(host: &str) -> Option<&str> {
    psl::domain_str(host).filter(|_| is_name(host))
}

/// The same by the suffixes of registries alone, without those of companies: `github.io` for `alice.github.io`.
pub fn registry_domain(host: &str) -> Option<&str> {
    let name = Some(host).filter(|host| is_name(host))?;
    let mut suffix = psl::suffix(name.as_bytes())?;
    while suffix.typ() == Some(psl::Type::Private) {
        let length = suffix.as_bytes().len();
        let (_, rest) = name[name.len() - length..].split_once('.')?;
        suffix = psl::suffix(rest.as_bytes())?;
    }
    let before = name[..name.len() - suffix.as_bytes().len()].strip_suffix('.')?;
    Some(&name[before.rfind('.').map_or(0, |dot| dot + 1)..])
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
        assert_eq!(registry_domain("www.example.co.uk"), Some("example.co.uk"));
        assert_eq!(registry_domain("a.alice.github.io"), Some("github.io"));
        assert_eq!(registry_domain("github.io"), Some("github.io"));
        assert_eq!(registry_domain("a.b.nonsense"), Some("b.nonsense"));
        assert_eq!(registry_domain("co.uk"), None);
        for odd in ["", ".", ".com", "a..com", "127.0.0.1", "::1", "[::1]"] {
            assert_eq!(
                (public_suffix(odd), registered_domain(odd)),
                (None, None),
                "{odd}"
            );
            assert_eq!(registry_domain(odd), None, "{odd}");
        }
    }
}
