//! Which addresses belong to the public network.
//!
//! IANA's registries of special-purpose addresses (RFC 6890 and its updates) say which do not. An address of version 6
//! may have one of version 4 in it, to which packets for it are delivered: mapped (`::ffff:a.b.c.d`), compatible
//! (`::a.b.c.d`), translated (`::ffff:0:a.b.c.d`, and NAT64 `64:ff9b::a.b.c.d`), 6to4 (`2002:ab:cd::`) and ISATAP (any
//! prefix, then `0:5efe:a.b.c.d` or `200:5efe:a.b.c.d`). It is public only if what is in it is. Teredo (`2001::/32`) and
//! local NAT64 (`64:ff9b:1::/48`) are not public, whatever is in them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one that anybody may contact.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_four(four),
        IpAddr::V6(six) => is_public_six(six),
    }
}

fn is_public_six(six: Ipv6Addr) -> bool {
    let four = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match six.segments() {
        // mapped, compatible (the unspecified address and loopback are special ones of version 4, too), translated
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..]
            if !is_public_four(four(high, low)) =>
        {
            false
        }
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] if !is_public_four(four(high, low)) => false,
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..] => true,
        // protocol assignments with Teredo, benchmarks and ORCHID; documentation
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, ..] => false,
        // all that is assigned to hosts so far
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

fn is_public_four(four: Ipv4Addr) -> bool {
    let [a, b, c, _] = four.octets();
    !(four.is_private()
        || four.is_loopback()
        || four.is_link_local()
        || four.is_documentation()
        || matches!(
            (a, b, c),
            (0 | 224..=255, ..)
                | (100, 64..=127, _)
                | (198, 18 | 19, _)
                | (192, 0, 0)
                | (192, 88, 99)
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_private_one_in_it_is_not_public() {
        for (prefix, suffix) in [
            ("::ffff:", ""),
            ("::", ""),
            ("::ffff:0:", ""),
            ("64:ff9b::", ""),
            ("2606:2800:220:1:0:5efe:", ""),
            ("2606:2800:220:1:200:5efe:", ""),
            ("2002:", "::1"),
        ] {
            for (four, expected) in [
                ("10.0.0.1", false),
                ("127.0.0.1", false),
                ("169.254.169.254", false),
                ("192.168.1.1", false),
                ("0.0.0.1", false),
                ("93.184.216.34", true),
            ] {
                let four: Ipv4Addr = four.parse().unwrap();
                let [a, b, c, d] = four.octets();
                let text = format!("{prefix}{a:02x}{b:02x}:{c:02x}{d:02x}{suffix}");
                let address = text.parse().unwrap();
                assert_eq!(is_public(address), expected, "{text}");
            }
        }
    }

    #[test]
    fn special_addresses_are_not_public_whatever_is_in_them() {
        for text in [
            "::",
            "::1",
            "100::1",
            "64:ff9b:1::5db8:d822",
            "64:ff9b:0:1::5db8:d822",
            "2001:0:5db8:d822::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00::5efe:5db8:d822",
            "fe80::5efe:5db8:d822",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "2606:2800:220:1:248:1893:25c8:1946",
            "2a00:1450:4001:82a::200e",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
