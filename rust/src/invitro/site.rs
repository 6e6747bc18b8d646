//! What a server serves: a web, or a given graph or an archive under their own addresses.

use super::Web;
use super::archive::Archive;
use super::given::GivenGraph;
use super::host::Host;
use super::respond::{Reply, Request};

pub enum Site {
    Web(Web),
    /// The web lends its words and its speed; addresses and links are the graph's.
    Given(Web, GivenGraph),
    /// The same with the answers of an archive.
    Archive(Web, Archive),
}

/// A host that a site has.
pub enum Found {
    /// A host of the web, and whether it was asked as a mirror.
    Host(Host, bool),
    /// The number of a host of a given graph or archive.
    Given(u64),
}

impl Site {
    /// The site with the most popular hosts of a month in memory.
    pub fn with_popular(self, month: u32) -> Self {
        match self {
            Self::Web(web) => Self::Web(web.with_popular(month)),
            other => other,
        }
    }

    pub fn web(&self) -> &Web {
        match self {
            Self::Web(web) | Self::Given(web, _) | Self::Archive(web, _) => web,
        }
    }

    pub fn find(&self, name: &[u8], month: u32) -> Option<Found> {
        match self {
            Self::Web(web) => web
                .find_host(name, month)
                .map(|(host, is_mirror)| Found::Host(host, is_mirror)),
            Self::Given(_, graph) => graph.find_host(name).map(Found::Given),
            Self::Archive(_, archive) => archive.find_host(name).map(Found::Given),
        }
    }

    pub fn address(&self, found: &Found) -> [u8; 4] {
        match found {
            Found::Host(host, _) => self.web().address(host.slot),
            // all of the web's, those of farms too: `Server.addresses` tells the same
            Found::Given(number) => self.web().address(number % self.web().layout.num_slots()),
        }
    }

    /// Seconds until the first byte of the answer to a request.
    pub fn latency(&self, found: &Found, request: u64) -> f64 {
        match found {
            Found::Host(host, _) => self.web().latency(host, request),
            Found::Given(_) => 0.0,
        }
    }

    pub fn respond(&self, found: &Found, name: &[u8], month: u32, request: &Request<'_>) -> Reply {
        match (self, found) {
            (Self::Given(web, graph), _) => graph.respond(web, name, request),
            (Self::Archive(_, archive), _) => archive.respond(name, request.target),
            (Self::Web(web), Found::Host(host, is_mirror)) => {
                web.respond(host, *is_mirror, month, request)
            }
            (Self::Web(_), Found::Given(_)) => unreachable!("a web finds no hosts of a graph"),
        }
    }
}
