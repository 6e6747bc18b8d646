//! Links and texts as a scan keeps them.

use super::names::Kind;
use super::references::{decode, push_decoded};
use super::texts::{collapse, trim_end};
use super::{Link, Scan, Scanner};
use std::ops::Range;

impl Scanner<'_> {
    pub(super) fn push_target(&mut self, raw: &[u8]) -> Range<usize> {
        let targets = &mut self.scan.targets;
        let begin = targets.len();
        push_decoded(targets, raw, self.encoding, true);
        let written = &targets[begin..];
        let start = begin + written.len() - written.trim_start_matches(|c| c <= ' ').len();
        start..start + targets[start..].trim_end_matches(|c| c <= ' ').len()
    }

    pub(super) fn push_link(&mut self, kind: Kind, rel: u8, raw: &[u8]) {
        let target = self.push_target(raw);
        self.add_link(kind, rel, target);
    }

    pub(super) fn add_link(&mut self, kind: Kind, rel: u8, target: Range<usize>) {
        let end = self.scan.anchors.len();
        if kind == Kind::Anchor && self.wants.anchors {
            self.open_anchor = Some(self.scan.links.len());
        }
        self.scan.links.push(Link {
            kind,
            rel,
            target,
            anchor: end..end,
        });
    }

    pub(super) fn close_anchor(&mut self) {
        if let Some(place) = self.open_anchor.take() {
            trim_end(&mut self.scan.anchors);
            let anchor = &mut self.scan.links[place].anchor;
            anchor.end = self.scan.anchors.len().max(anchor.start);
        }
    }

    pub(super) fn push_text(&mut self, text: &[u8], has_references: bool) {
        if text.is_empty() || self.is_muted {
            if self.is_style && self.wants.resources && self.num_templates == 0 {
                self.take_css(text);
            }
            return;
        }
        self.scan.hashed.push_text(text);
        if self.num_templates > 0 || self.open_anchor.is_none() && !self.wants.text {
            return;
        }
        let Scan { scratch, .. } = &mut *self.scan;
        scratch.clear();
        if has_references {
            push_decoded(scratch, text, self.encoding, false);
        } else {
            scratch.push_str(&decode(text, self.encoding));
        }
        if let Some(place) = self.open_anchor {
            let floor = self.scan.links[place].anchor.start;
            collapse(&mut self.scan.anchors, floor, &self.scan.scratch);
        }
        if self.wants.text {
            let before = self.scan.text.len();
            collapse(&mut self.scan.text, 0, &self.scan.scratch);
            let length = self.scan.text.len() - before;
            let is_linked = self.open_anchor.is_some();
            self.scan.outline.add_text(length, is_linked);
        }
    }
}
