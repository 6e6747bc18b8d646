//! Names and their addresses: the hosts table first, then the name servers, asked by a thread of its own.

use super::config::Config;
use super::messages::Event;
use crate::web::address::is_public;
use crossbeam::channel::Sender;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolverConfig};
use hickory_resolver::name_server::TokioConnectionProvider;
use hickory_resolver::proto::xfer::Protocol;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Questions on their way to name servers.
const IN_FLIGHT: usize = 256;
/// No address is kept for less than this.
const SHORTEST: Duration = Duration::from_secs(60);

/// Where a host lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// and for how long that holds
    At(SocketAddr, Duration),
    /// the name leads nowhere
    Nowhere,
    /// its addresses are all of networks that may not be contacted
    Forbidden,
}

pub struct Resolver {
    config: Arc<Config>,
    events: Sender<Event>,
    questions: Option<UnboundedSender<(u32, String, u16)>>,
}

impl Resolver {
    pub fn new(config: Arc<Config>, events: Sender<Event>) -> Self {
        Self {
            config,
            events,
            questions: None,
        }
    }

    /// The answer if it is at hand; else it comes as an event.
    pub fn ask(&mut self, host: u32, origin: &str) -> Option<Found> {
        let (scheme, authority) = origin.split_once("://").unwrap_or(("http", origin));
        let default = if scheme == "https" { 443 } else { 80 };
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().unwrap_or(default)),
            _ => (authority, default),
        };
        let forever = |ip, port| Some(Found::At(SocketAddr::new(ip, port), Duration::MAX));
        if let Some((ip, other_port)) = self.config.hosts.get(name) {
            return forever(*ip, other_port.unwrap_or(port));
        }
        let is_open = self.config.limits.private_addresses;
        if let Ok(ip) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
            return if is_open || is_public(ip) {
                forever(ip, port)
            } else {
                Some(Found::Forbidden)
            };
        }
        if !self.config.limits.resolve {
            return Some(Found::Nowhere);
        }
        if self.questions.is_none() {
            self.questions = start(&self.config, self.events.clone());
        }
        let sent = self.questions.as_ref()?.send((host, name.to_owned(), port));
        if sent.is_ok() {
            None
        } else {
            Some(Found::Nowhere)
        }
    }
}

fn start(config: &Config, events: Sender<Event>) -> Option<UnboundedSender<(u32, String, u16)>> {
    let servers = config.name_servers.clone();
    let is_open = config.limits.private_addresses;
    let (questions, mut incoming) = unbounded_channel::<(u32, String, u16)>();
    let serve = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        runtime.block_on(async move {
            let resolver = resolver(&servers);
            let seats = Arc::new(Semaphore::new(IN_FLIGHT));
            while let Some((host, name, port)) = incoming.recv().await {
                let Ok(seat) = seats.clone().acquire_owned().await else {
                    return;
                };
                let (resolver, events) = (resolver.clone(), events.clone());
                tokio::spawn(async move {
                    let found = match resolver {
                        Some(resolver) => look_up(&resolver, &name, port, is_open).await,
                        None => Found::Nowhere,
                    };
                    let _ = events.send(Event::Resolved { host, found });
                    drop(seat);
                });
            }
        });
    };
    std::thread::Builder::new()
        .name("names".into())
        .spawn(serve)
        .ok()?;
    Some(questions)
}

async fn look_up(resolver: &TokioResolver, name: &str, port: u16, is_open: bool) -> Found {
    // a name with a dot at its end is looked up as it is, in no local domain
    let Ok(answer) = resolver.lookup_ip(format!("{name}.")).await else {
        return Found::Nowhere;
    };
    let lasts = answer
        .valid_until()
        .saturating_duration_since(std::time::Instant::now());
    // the address that is checked is the one that is asked: no second answer can replace it
    let may_ask = |ip: &IpAddr| is_open || is_public(*ip);
    let first = answer.iter().filter(may_ask).min_by_key(IpAddr::is_ipv6);
    match first {
        Some(first) => Found::At(SocketAddr::new(first, port), lasts.max(SHORTEST)),
        None if answer.iter().next().is_some() => Found::Forbidden,
        None => Found::Nowhere,
    }
}

fn resolver(servers: &[SocketAddr]) -> Option<TokioResolver> {
    let provider = TokioConnectionProvider::default();
    let mut builder = if servers.is_empty() {
        TokioResolver::builder(provider).ok()?
    } else {
        let mut config = ResolverConfig::new();
        for server in servers {
            config.add_name_server(NameServerConfig::new(*server, Protocol::Udp));
        }
        TokioResolver::builder_with_config(config, provider)
    };
    let options = builder.options_mut();
    options.cache_size = 10_000;
    options.attempts = 3;
    options.timeout = Duration::from_secs(5);
    Some(builder.build())
}
