//! The robots.txt of a host: its text, and what it forbids.

use super::Web;
use super::draw::{below, falls, hash};
use super::host::{Host, UrlStyle};
use super::layout::{child_folders, num_folders};
use super::spec::Spec;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 404: everything is allowed.
    Missing,
    /// An empty Disallow.
    Open,
    /// One folder is forbidden.
    Folder,
    /// One folder is forbidden, but a folder in it is allowed.
    Exception,
    /// Addresses with a question mark are forbidden.
    NoQuery,
    /// Mixed case, comments, unknown lines, a byte-order mark, groups for others; one folder is forbidden.
    Odd,
    /// Everything is forbidden.
    Closed,
    /// The file answers 503: everything is forbidden for now.
    Broken,
}

#[derive(Clone, Copy, Debug)]
pub struct Robots {
    pub shape: Shape,
    pub folder: u64,
    pub forbids_traps: bool,
}

impl Robots {
    pub fn draw(spec: &Spec, key: u64, size: u64, has_trap: bool, is_ordinary: bool) -> Self {
        let folders = num_folders(size);
        let shape = if is_ordinary && falls(hash(key, 1), spec.robots_error_share) {
            if hash(key, 2) & 1 == 0 {
                Shape::Closed
            } else {
                Shape::Broken
            }
        } else if falls(hash(key, 3), spec.robots_share) {
            match below(hash(key, 4), 6) {
                0 => Shape::Open,
                1 | 2 if folders > 1 => Shape::Folder,
                3 if folders > 1 => Shape::Exception,
                4 => Shape::NoQuery,
                5 if folders > 1 => Shape::Odd,
                _ => Shape::Open,
            }
        } else {
            Shape::Missing
        };
        let forbids_traps = has_trap && falls(hash(key, 5), spec.traps_disallowed);
        let folder = 1 + below(hash(key, 6), folders.saturating_sub(1).clamp(1, 12));
        // a host that forbids its trap must have a file to say so
        let shape = if forbids_traps && shape == Shape::Missing {
            Shape::Open
        } else {
            shape
        };
        Self {
            shape,
            folder,
            forbids_traps,
        }
    }
}

impl Web {
    /// Status and text of a host's robots.txt.
    pub fn robots_txt(&self, host: &Host) -> (u16, Vec<u8>) {
        let robots = host.robots;
        let mut text = Vec::new();
        let folder = |out: &mut Vec<u8>, field: &str, number: u64| {
            out.extend_from_slice(field.as_bytes());
            self.push_folder(out, host, number);
            out.push(b'\n');
        };
        let traps = |out: &mut Vec<u8>| {
            if robots.forbids_traps {
                out.extend_from_slice(b"Disallow: /calendar/\nDisallow: /deeper/\n");
            }
        };
        match robots.shape {
            Shape::Missing => return (404, b"no robots here\n".to_vec()),
            Shape::Broken => return (503, b"out of order\n".to_vec()),
            Shape::Open => {
                text.extend_from_slice(b"User-agent: *\nDisallow:\n");
                traps(&mut text);
            }
            Shape::Closed => text.extend_from_slice(b"User-agent: *\nDisallow: /\n"),
            Shape::NoQuery => {
                text.extend_from_slice(b"User-agent: *\n");
                text.extend_from_slice(match host.url_style {
                    UrlStyle::Dynamic => b"Disallow: /search?\n",
                    _ => b"Disallow: /*?\n",
                });
                traps(&mut text);
            }
            Shape::Folder => {
                text.extend_from_slice(b"User-agent: *\n");
                folder(&mut text, "Disallow: ", robots.folder);
                traps(&mut text);
            }
            Shape::Exception => {
                text.extend_from_slice(b"User-agent: *\n");
                folder(&mut text, "Disallow: ", robots.folder);
                if let Some(child) = child_folders(robots.folder, host.size).next() {
                    folder(&mut text, "Allow: ", child);
                }
                traps(&mut text);
            }
            Shape::Odd => {
                text.extend_from_slice("\u{feff}# who may come\r\n".as_bytes());
                text.extend_from_slice(
                    b"User-Agent: BadBot\r\nDisallow: /\r\n\r\nUSER-AGENT:*   # the others\r\n",
                );
                text.extend_from_slice(b"Noindex: /x\r\nCrawl-delay: 1\r\n");
                folder(&mut text, "disallow :   ", robots.folder);
                traps(&mut text);
                text.extend_from_slice(b"this line means nothing\r\n");
            }
        }
        text.extend_from_slice(b"\nSitemap: ");
        text.extend_from_slice(self.scheme());
        self.push_host_name(&mut text, host, false);
        text.extend_from_slice(b"/sitemap.xml\n");
        (200, text)
    }

    /// Whether a crawler may fetch `target` (path and query) of the host.
    pub fn is_allowed(&self, host: &Host, target: &[u8]) -> bool {
        let robots = host.robots;
        if robots.forbids_traps
            && (target.starts_with(b"/calendar/") || target.starts_with(b"/deeper/"))
        {
            return false;
        }
        let below_folder = |number: u64| {
            let mut folder = Vec::new();
            self.push_folder(&mut folder, host, number);
            target.starts_with(&folder)
        };
        match robots.shape {
            Shape::Missing | Shape::Open => true,
            Shape::Closed | Shape::Broken => target == b"/robots.txt",
            Shape::NoQuery => match host.url_style {
                UrlStyle::Dynamic => true,
                _ => !target.contains(&b'?'),
            },
            Shape::Folder | Shape::Odd => !below_folder(robots.folder),
            Shape::Exception => {
                !below_folder(robots.folder)
                    || child_folders(robots.folder, host.size)
                        .next()
                        .is_some_and(below_folder)
            }
        }
    }
}
