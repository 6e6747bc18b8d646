//! Captures of an archive as a web: what was answered then is answered now, by host and target.

use super::InvitroError;
use super::respond::{Manner, Reply, bare};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Where an answer lies: its head, made ready to be sent, and behind it its body.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub status: u16,
    pub offset: u64,
    pub head: u32,
    pub body: u64,
}

#[derive(Debug)]
pub struct Archive {
    file: File,
    hosts: HashMap<Vec<u8>, u64>,
    captures: HashMap<Vec<u8>, Place>,
}

impl Archive {
    /// The answers in a file, each under its host, a slash, and the rest of its target.
    pub fn open(path: &Path, captures: Vec<(Vec<u8>, Place)>) -> Result<Self, InvitroError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|error| {
            InvitroError::Input(format!(
                "{}: {error}; read the archive again",
                path.display()
            ))
        })?;
        let mut hosts = HashMap::new();
        for (key, place) in &captures {
            let slash = key.iter().position(|byte| *byte == b'/');
            let end = place
                .offset
                .checked_add(u64::from(place.head))
                .and_then(|end| end.checked_add(place.body));
            let (Some(slash), true) = (slash, end.is_some_and(|end| end <= length)) else {
                return Err(InvitroError::Input(format!(
                    "{}: the capture of `{}` does not lie in this file; read the archive again",
                    path.display(),
                    String::from_utf8_lossy(key)
                )));
            };
            let next = hosts.len() as u64;
            hosts.entry(key[..slash].to_vec()).or_insert(next);
        }
        Ok(Self {
            file,
            hosts,
            captures: captures.into_iter().collect(),
        })
    }

    pub fn find_host(&self, name: &[u8]) -> Option<u64> {
        self.hosts.get(name).copied()
    }

    pub fn respond(&self, name: &[u8], target: &[u8]) -> Reply {
        let Some(place) = self.captures.get(&[name, target].concat()) else {
            return bare(404, Manner::Plain);
        };
        let mut head = vec![0; place.head as usize];
        let mut body = vec![0; usize::try_from(place.body).unwrap_or(0)];
        let behind = place.offset + u64::from(place.head);
        let read = self
            .file
            .read_exact_at(&mut head, place.offset)
            .and_then(|()| self.file.read_exact_at(&mut body, behind));
        if read.is_err() {
            return bare(500, Manner::Plain);
        }
        Reply {
            status: place.status,
            head,
            body: body.into(),
            manner: Manner::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_the_file_is_refused() {
        let path = std::env::temp_dir().join(format!("archive-{}", std::process::id()));
        std::fs::write(&path, b"HTTP/1.1 200 OK\r\nHi").expect("a folder for what passes");
        let place = Place {
            status: 200,
            offset: 0,
            head: 17,
            body: 2,
        };
        let archive = Archive::open(&path, vec![(b"a.uk/x".to_vec(), place)]).expect("it is there");
        assert_eq!(&*archive.respond(b"a.uk", b"/x").body, b"Hi");
        assert_eq!(archive.respond(b"a.uk", b"/y").status, 404);
        assert_eq!(archive.find_host(b"b.uk"), None);
        for (key, body) in [(&b"a.uk/x"[..], 3), (b"a.uk/x", u64::MAX), (b"a.uk", 2)] {
            let place = Place { body, ..place };
            assert!(Archive::open(&path, vec![(key.to_vec(), place)]).is_err());
        }
        let _ = std::fs::remove_file(&path);
    }
}
