//! Payloads of earlier snapshots: which are known by their digest, and what a capture of a URL was known by.
//!
//! Two files, written by `webstrata.crawl.earlier` before a crawl starts, are mapped and never changed, so any number of
//! payloads takes no memory and a crawl that was killed finds them as they were. `digests` has a row of 32 bytes per
//! payload, sorted: SHA-1 (20), number of the WARC file (4, little-endian), offset of the record (8). `urls` has a row of
//! 40 bytes per URL, sorted: its hash (8, big-endian), then SHA-1, file and offset of its last complete capture.
//! What a row leads to is read from the WARC file, so nothing is claimed that is not there.

use super::Result;
use super::fetcher::{Asked, Fetcher};
use super::messages::{Earlier, Visit};
use super::page::Page;
use super::sieve;
use super::workbench::Task;
use crate::archive::responses::parse_date;
use crate::archive::warc::sha1;
use crate::collection::CollectionError;
use flate2::read::GzDecoder;
use memchr::memmem;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use webgraph::utils::MmapHelper;

const DIGEST: usize = 20;
const PLACE: usize = 12;
/// Bytes of the head of a record, and of the HTTP head in it.
const MAX_HEAD: usize = 256 << 10;

/// Rows of a fixed width, sorted by the bytes that they begin with.
struct Rows {
    bytes: Option<MmapHelper<u8>>,
    width: usize,
}

impl Rows {
    fn open(path: &Path, width: usize) -> Result<Self> {
        let failed = |error| CollectionError::from_io(path, "read", error);
        let length = std::fs::metadata(path).map_err(failed)?.len();
        // nobody maps nothing
        let bytes = match length {
            0 => None,
            _ => Some(
                MmapHelper::mmap(path, mmap_rs::MmapFlags::empty())
                    .map_err(|error| failed(io::Error::other(format!("{error:#}"))))?,
            ),
        };
        Ok(Self { bytes, width })
    }

    /// What follows the key in the row that begins with it.
    fn find(&self, key: &[u8]) -> Option<&[u8]> {
        let bytes: &[u8] = self.bytes.as_ref()?.as_ref();
        let row = |number: usize| &bytes[number * self.width..(number + 1) * self.width];
        let (mut low, mut high) = (0, bytes.len() / self.width);
        while low < high {
            let middle = low + (high - low) / 2;
            match row(middle)[..key.len()].cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(&row(middle)[key.len()..]),
            }
        }
        None
    }
}

/// The payloads of earlier snapshots.
pub struct Payloads {
    digests: Rows,
    urls: Option<Rows>,
    files: Vec<PathBuf>,
}

/// A record as far as it was read.
struct Found {
    url: String,
    date: u64,
    /// of the HTTP message
    head: Vec<u8>,
    payload: Vec<u8>,
}

/// What the last capture of a URL is known by.
pub struct Recalled {
    pub tag: String,
    pub modified: String,
    digest: [u8; DIGEST],
    content_type: String,
    charset: Option<String>,
    original: Earlier,
}

impl Payloads {
    pub fn open(digests: &Path, urls: Option<&Path>, files: Vec<PathBuf>) -> Result<Self> {
        Ok(Self {
            digests: Rows::open(digests, DIGEST + PLACE)?,
            urls: urls
                .map(|path| Rows::open(path, 8 + DIGEST + PLACE))
                .transpose()?,
            files,
        })
    }

    /// The record of a payload, with at most so many bytes of it.
    fn original(&self, digest: &[u8; DIGEST], most: usize) -> Option<Found> {
        self.read(self.digests.find(digest)?, most)
    }

    fn read(&self, place: &[u8], most: usize) -> Option<Found> {
        let (number, offset) = place.split_first_chunk::<4>()?;
        let offset = u64::from_le_bytes(*offset.first_chunk()?);
        let path = self.files.get(u32::from_le_bytes(*number) as usize)?;
        let mut file = File::open(path).ok()?;
        let name = path.file_name()?.to_str()?;
        if name.ends_with(".gz") {
            file.seek(SeekFrom::Start(offset)).ok()?;
            read_record(GzDecoder::new(BufReader::new(file)), most)
        } else if name.ends_with(".zst") {
            let dictionary = read_dictionary(&mut file)?;
            file.seek(SeekFrom::Start(offset)).ok()?;
            let file = BufReader::new(file);
            let reader = zstd::stream::read::Decoder::with_dictionary(file, &dictionary).ok()?;
            read_record(reader.single_frame(), most)
        } else {
            file.seek(SeekFrom::Start(offset)).ok()?;
            read_record(BufReader::new(file), most)
        }
    }
}

/// The dictionary in the skippable frame that a `.warc.zst` may begin with; empty if there is none.
fn read_dictionary(file: &mut File) -> Option<Vec<u8>> {
    const MAX: u64 = 16 << 20;
    let mut head = [0; 8];
    file.read_exact(&mut head).ok()?;
    let (magic, length) = head.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*magic) != 0x184D_2A5D {
        return Some(Vec::new());
    }
    let length = u64::from(u32::from_le_bytes(*length.first_chunk()?)).min(MAX);
    let mut frame = Vec::new();
    file.take(length).read_to_end(&mut frame).ok()?;
    if frame.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut plain = Vec::new();
        let reader = zstd::stream::read::Decoder::new(&frame[..]).ok()?;
        reader.take(MAX).read_to_end(&mut plain).ok()?;
        return Some(plain);
    }
    Some(frame)
}

/// The record that begins here, with at most so many bytes of its payload; None where it has no HTTP message.
fn read_record(mut reader: impl Read, most: usize) -> Option<Found> {
    let mut bytes = Vec::new();
    let end = read_head(&mut reader, &mut bytes, 0)?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let value = |name: &str| {
        let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
        let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(found.1.trim().to_owned())
    };
    let length: usize = value("content-length")?.parse().ok()?;
    let url = value("warc-target-uri")?;
    let date = parse_date(&value("warc-date")?)?;
    let http = read_head(&mut reader, &mut bytes, end)?;
    let size = length.checked_sub(http - end)?;
    let mut payload = bytes.split_off(http.min(bytes.len()));
    if most > 0 {
        let wanted = size.min(most).saturating_sub(payload.len()) as u64;
        reader.take(wanted).read_to_end(&mut payload).ok()?;
    }
    payload.truncate(size.min(most));
    bytes.drain(..end);
    Some(Found {
        url: url.trim_matches(['<', '>']).to_owned(),
        date,
        head: bytes,
        payload,
    })
}

/// Reads until an empty line has ended the head that begins at `from`; where it ends.
fn read_head(reader: &mut impl Read, bytes: &mut Vec<u8>, from: usize) -> Option<usize> {
    loop {
        if let Some(found) = memmem::find(&bytes[from..], b"\r\n\r\n") {
            return Some(from + found + 4);
        }
        let before = bytes.len();
        if before - from > MAX_HEAD {
            return None;
        }
        bytes.resize(before + (4 << 10), 0);
        let count = loop {
            match reader.read(&mut bytes[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                count => break count.ok()?,
            }
        };
        bytes.truncate(before + count);
        if count == 0 {
            return None;
        }
    }
}

/// The first value of a header of an HTTP head, of a length that a request may repeat.
fn header(head: &[u8], name: &str) -> String {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split("\r\n").filter_map(|line| line.split_once(':'));
    let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name));
    let value = found.map_or("", |(_, value)| value.trim());
    value
        .get(..)
        .filter(|value| value.len() <= 1024)
        .unwrap_or("")
        .to_owned()
}

impl Fetcher {
    fn payloads(&self) -> Option<&Payloads> {
        let is_wanted = self.config.limits.revisits || self.config.limits.conditional;
        self.config.earlier.as_deref().filter(|_| is_wanted)
    }

    /// The capture of an earlier snapshot that has the payload of a page.
    pub(super) fn recall_digest(&self, page: &Page) -> Option<Earlier> {
        if !self.config.limits.revisits
            || page.answer.status != 200
            || page.answer.body.is_empty()
            || page.answer.cut.is_some()
        {
            return None;
        }
        let found = self.payloads()?.original(&page.digest, 0)?;
        Some(Earlier {
            url: found.url,
            date: found.date,
            is_same: true,
        })
    }

    /// What a URL is asked for on condition of; None unless its payload could be read again.
    pub(super) fn recall(&self, visit: &Visit, task: &Task) -> Option<Recalled> {
        let is_told = self.is_revisit(task);
        if !self.config.limits.conditional || task.robots_for.is_some() || task.is_probe || is_told
        {
            return None;
        }
        let payloads = self.payloads()?;
        let url = format!("{}{}", visit.origin, task.target);
        let hash = sieve::hash(url.as_bytes()).to_be_bytes();
        let (digest, place) = payloads
            .urls
            .as_ref()?
            .find(&hash)?
            .split_first_chunk::<DIGEST>()?;
        let known = payloads.read(place, 0).filter(|known| known.url == url)?;
        let (tag, modified) = (
            header(&known.head, "etag"),
            header(&known.head, "last-modified"),
        );
        if tag.is_empty() && modified.is_empty() {
            return None;
        }
        let original = payloads.original(digest, self.config.limits.max_response)?;
        // a payload that is stored under a coding is not what its digest says
        if sha1(&[&original.payload]) != *digest {
            return None;
        }
        let declared = header(&original.head, "content-type");
        let (kind, rest) = declared.split_once(';').unwrap_or((&declared, ""));
        let label = crate::web::charset::find_label(rest.as_bytes());
        Some(Recalled {
            tag,
            modified,
            digest: *digest,
            content_type: kind.trim().to_ascii_lowercase(),
            charset: label.map(|label| String::from_utf8_lossy(label).into_owned()),
            original: Earlier {
                url: original.url,
                date: original.date,
                is_same: true,
            },
        })
    }

    /// Gives a page that was not modified the payload that it had.
    pub(super) fn recall_payload(&self, asked: &Asked, page: &mut Page) {
        let Some(known) = asked.recalled.filter(|_| page.answer.status == 304) else {
            return;
        };
        let most = self.config.limits.max_response;
        let original = self
            .payloads()
            .and_then(|payloads| payloads.original(&known.digest, most));
        let Some(original) = original else {
            return;
        };
        page.answer.body = original.payload;
        page.answer.status = 200;
        page.digest = known.digest;
        page.past = Some(known.original.clone());
        if page.content_type.is_empty() || !known.content_type.is_empty() {
            page.content_type = known.content_type.clone();
            page.charset = known.charset.clone();
        }
        page.declared = page.content_type.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_what_they_begin_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        for count in [0_u8, 1, 2, 7] {
            let rows: Vec<u8> = (0..count).flat_map(|row| [row * 2, 1, row]).collect();
            std::fs::write(&path, &rows).unwrap();
            let rows = Rows::open(&path, 3).unwrap();
            for row in 0..count {
                assert_eq!(rows.find(&[row * 2, 1]), Some(&[row][..]));
                assert_eq!(rows.find(&[row * 2 + 1, 1]), None);
            }
        }
    }

    #[test]
    fn a_record_is_read_as_far_as_it_is_wanted() {
        let block = b"HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Type: text/html\r\n\r\nHello";
        let record = [
            format!(
                "WARC/1.1\r\nWARC-Target-URI: http://a/\r\nWARC-Date: 2001-09-09T01:46:40Z\r\nContent-Length: {}\r\n\r\n",
                block.len()
            )
            .as_bytes(),
            block,
            b"\r\n\r\n",
        ]
        .concat();
        for (most, payload) in [(0, ""), (3, "Hel"), (99, "Hello")] {
            let found = read_record(&record[..], most).unwrap();
            assert_eq!(
                (found.url.as_str(), found.date),
                ("http://a/", 1_000_000_000_000_000_000)
            );
            assert_eq!(header(&found.head, "etag"), "\"a\"");
            assert_eq!(found.payload, payload.as_bytes());
        }
        for length in 0..record.len() - 4 - block.len() {
            assert!(read_record(&record[..length], 9).is_none());
        }
    }
}
