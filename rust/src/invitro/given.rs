//! A given graph as a web: its addresses, its links, words of ours.

use super::InvitroError;
use super::Web;
use super::draw::{Stream, purpose};
use super::respond::{Manner, Reply, Request, bare, reply};
use super::words::Language;
use std::collections::HashMap;

#[derive(Debug)]
pub struct GivenGraph {
    urls: Vec<Vec<u8>>,
    offsets: Vec<u64>,
    targets: Vec<u32>,
    hosts: HashMap<Vec<u8>, u64>,
    nodes: HashMap<Vec<u8>, u32>,
}

impl GivenGraph {
    /// A graph from the addresses of its nodes and its rows: the successors of u are `targets[offsets[u]..offsets[u + 1]]`.
    pub fn new(
        urls: Vec<Vec<u8>>,
        offsets: Vec<u64>,
        targets: Vec<u32>,
    ) -> Result<Self, InvitroError> {
        let mut hosts = HashMap::new();
        let mut nodes = HashMap::new();
        for (node, url) in urls.iter().enumerate() {
            let (host, _) = split(url).ok_or_else(|| {
                InvitroError::Input(format!(
                    "line {}: `{}` is no address of the form http://host/path; a web can serve only those",
                    node + 1,
                    String::from_utf8_lossy(url)
                ))
            })?;
            let next = hosts.len() as u64;
            hosts.entry(host.to_vec()).or_insert(next);
            nodes.insert(url.clone(), node as u32);
        }
        let fits = offsets.len() == urls.len() + 1
            && offsets.is_sorted()
            && offsets.last() == Some(&(targets.len() as u64))
            && targets.iter().all(|&target| (target as usize) < urls.len());
        if !fits {
            return Err(InvitroError::Input(format!(
                "a graph of {} nodes and {} arcs does not fit the {} addresses that were given; the list of addresses \
                 is truncated, or belongs to another graph",
                offsets.len().saturating_sub(1),
                targets.len(),
                urls.len()
            )));
        }
        Ok(Self {
            urls,
            offsets,
            targets,
            hosts,
            nodes,
        })
    }

    pub fn find_host(&self, name: &[u8]) -> Option<u64> {
        self.hosts.get(name).copied()
    }

    pub fn respond(&self, web: &Web, name: &[u8], request: &Request<'_>) -> Reply {
        let url = [b"http://", name, request.target].concat();
        let Some(&node) = self.nodes.get(&url) else {
            return bare(404, Manner::Plain);
        };
        let mut body = b"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>".to_vec();
        push_escaped(&mut body, &self.urls[node as usize]);
        body.extend_from_slice(b"</title></head>\n<body>\n<p>");
        let mut stream = Stream::new(web.seed ^ purpose::WORDS, u64::from(node));
        let topic = u64::from(node) % web.spec.topics;
        web.words.push_text(
            &mut body,
            Language::English,
            topic,
            &mut stream,
            web.spec.words as usize,
        );
        body.extend_from_slice(b"</p>\n<ul>\n");
        let range = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        for &target in &self.targets[range] {
            body.extend_from_slice(b"<li><a href=\"");
            push_escaped(&mut body, &self.urls[target as usize]);
            body.extend_from_slice(b"\">");
            web.words.push_topical(
                &mut body,
                Language::English,
                u64::from(target) % web.spec.topics,
                stream.draw(),
            );
            body.extend_from_slice(b"</a></li>\n");
        }
        body.extend_from_slice(b"</ul>\n</body></html>\n");
        reply(200, "text/html; charset=utf-8", body)
    }
}

/// Host and target of an address.
fn split(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = url.strip_prefix(b"http://")?;
    let slash = rest.iter().position(|byte| *byte == b'/')?;
    let is_clean = slash > 0 && rest.iter().all(|byte| byte.is_ascii_graphic());
    is_clean.then(|| rest.split_at(slash))
}

fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            _ => out.push(byte),
        }
    }
}
