//! A URL as it waits: how deep it lies, how many redirects led to it, and what a capture of it was known by.
//!
//! One byte depth, one byte redirects (the highest bit: validators follow, two bytes of length and their text; the next
//! one: it is part of a page, and redirects also count the steps from resource to resource), then the URL, or its path
//! and query where the host is known.

use super::workbench::Task;

const HAS_VALIDATORS: u8 = 0x80;
const IS_PART: u8 = 0x40;
pub const MAX_REDIRECTS: u8 = 0x3f;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record<'a> {
    pub depth: u8,
    pub redirects: u8,
    /// what a page needs to be shown, and not a page that it links to
    pub is_part: bool,
    pub validators: Option<&'a str>,
    pub url: &'a str,
}

impl<'a> Record<'a> {
    pub fn push(&self, out: &mut Vec<u8>) {
        let mut flag = self.validators.map_or(0, |_| HAS_VALIDATORS);
        if self.is_part {
            flag |= IS_PART;
        }
        out.extend_from_slice(&[self.depth, self.redirects.min(MAX_REDIRECTS) | flag]);
        if let Some(text) = self.validators {
            let text = &text.as_bytes()[..text.len().min(u16::MAX as usize)];
            out.extend_from_slice(&(text.len() as u16).to_le_bytes());
            out.extend_from_slice(text);
        }
        out.extend_from_slice(self.url.as_bytes());
    }

    /// None if these are no bytes of ours.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&[depth, flags], mut rest) = bytes.split_first_chunk()?;
        let mut validators = None;
        if flags & HAS_VALIDATORS != 0 {
            let (length, behind) = rest.split_first_chunk()?;
            let length = u16::from_le_bytes(*length) as usize;
            validators = Some(std::str::from_utf8(behind.get(..length)?).ok()?);
            rest = &behind[length..];
        }
        Some(Self {
            depth,
            redirects: flags & MAX_REDIRECTS,
            is_part: flags & IS_PART != 0,
            validators,
            url: std::str::from_utf8(rest).ok()?,
        })
    }

    /// The same as something to be asked of a host.
    pub fn task(&self) -> Task {
        Task {
            target: self.url.into(),
            depth: self.depth,
            redirects: self.redirects,
            attempt: 0,
            robots_for: None,
            is_probe: false,
            is_part: self.is_part,
            validators: self.validators.map(Into::into),
        }
    }
}

/// Records with the hashes of their URLs, one behind the other.
#[derive(Debug, Default, PartialEq)]
pub struct Batch {
    bytes: Vec<u8>,
    pub len: u64,
}

impl Batch {
    pub fn push(&mut self, hash: u64, record: &Record) {
        self.bytes.extend_from_slice(&hash.to_le_bytes());
        let place = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        record.push(&mut self.bytes);
        let length = (self.bytes.len() - place - 4) as u32;
        self.bytes[place..place + 4].copy_from_slice(&length.to_le_bytes());
        self.len += 1;
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A batch from the bytes of one.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        let mut batch = Self { bytes, len: 0 };
        batch.len = batch.iter().count() as u64;
        batch
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (hash, behind) = rest.split_first_chunk()?;
            let (length, behind) = behind.split_first_chunk()?;
            let (record, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = behind;
            Some((u64::from_le_bytes(*hash), record))
        })
    }
}
