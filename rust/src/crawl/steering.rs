//! What can change while a crawl runs, and whom it never asks.

use super::Result;
use super::config::nanos;
use super::frontier::Frontier;
use super::workbench::Moment;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

impl Frontier {
    /// Between two visits to a host, whatever its robots.txt says: that of its authority, or of its name on all ports.
    pub(super) fn host_delay(&self, origin: &str) -> Moment {
        let authority = origin.split_once("://").map_or(origin, |(_, name)| name);
        let delays = &self.config.host_delays;
        let own = delays
            .get(authority)
            .or_else(|| delays.get(name_of(origin)));
        nanos(*own.unwrap_or(&self.host_delay))
    }

    pub(super) fn ip_delay(&self, address: IpAddr) -> Moment {
        let own = self.config.ip_delays.get(&address);
        nanos(*own.unwrap_or(&self.ip_delay))
    }

    /// Changes a delay, also of those that are known.
    pub(super) fn set(&mut self, name: &str, value: f64) {
        match name {
            "host_delay" => {
                self.host_delay = value;
                for host in 0..self.bench.num_hosts() as u32 {
                    let state = self.bench.get(host);
                    let most = self.config.limits.max_crawl_delay;
                    let asked = state.robots.as_ref().map_or(0.0, |rules| rules.crawl_delay);
                    let delay = self.host_delay(&state.origin);
                    self.bench.get_mut(host).delay = delay.max(nanos(asked.min(most)));
                }
            }
            "ip_delay" => {
                self.ip_delay = value;
                for address in self.bench.addresses() {
                    let delay = self.ip_delay(address);
                    self.bench.set_ip_delay(address, delay);
                }
            }
            _ => {}
        }
    }

    /// Asks a host or an address for nothing any more.
    pub(super) fn shut_out(&mut self, what: String) -> Result<()> {
        self.blacklist.insert(what);
        for host in 0..self.bench.num_hosts() as u32 {
            let state = self.bench.get(host);
            if self.is_shut_out(&state.origin, state.address.ip()) {
                self.give_up(host)?;
            }
        }
        Ok(())
    }

    pub(super) fn is_shut_out(&self, origin: &str, address: IpAddr) -> bool {
        !self.blacklist.is_empty()
            && (self.blacklist.contains(name_of(origin))
                || self.blacklist.contains(&address.to_string()))
    }
}

/// The name in an origin, without scheme and port.
pub fn name_of(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, name)| name);
    match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => authority,
    }
}

/// Whether an address belongs to the public network, by the registries of special purposes (RFC 6890 and later).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_four(four),
        IpAddr::V6(six) => {
            let embedded = embedded_four(six);
            let [first, second, ..] = six.segments();
            let is_special = six.is_unspecified()
                || six.is_loopback()
                || six.is_multicast()
                || first & 0xfe00 == 0xfc00
                || first & 0xff80 == 0xfe80
                || (first, second) == (0x2001, 0x0db8)
                || (first, second) == (0x2001, 0)
                || first == 0x3fff
                || first == 0x5f00
                || first == 0x0100;
            embedded.map_or(!is_special, is_public_four)
        }
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

/// The address of version 4 in one of version 6: mapped, compatible, translated (64:ff9b), or of a tunnel (2002).
fn embedded_four(six: Ipv6Addr) -> Option<Ipv4Addr> {
    let four = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match six.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] if (high, low) > (0, 1) => Some(four(high, low)),
        [0x64, 0xff9b, _, _, _, _, high, low] | [0x2002, high, low, ..] => Some(four(high, low)),
        _ => None,
    }
}
