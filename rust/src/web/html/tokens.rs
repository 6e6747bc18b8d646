//! Where tags, comments and raw texts end.

use memchr::{memchr, memchr2};

/// The attributes of a tag, names as written; a name that comes twice is given twice.
pub struct Attributes<'a> {
    body: &'a [u8],
    at: usize,
    /// Where the tag ended, once all were seen; None where it does not end.
    pub end: Option<usize>,
    pub is_self_closing: bool,
}

impl<'a> Attributes<'a> {
    /// Those that stand behind a tag's name, which ends at `at`.
    pub fn new(body: &'a [u8], at: usize) -> Self {
        Attributes {
            body,
            at,
            end: None,
            is_self_closing: false,
        }
    }

    pub fn skip_all(&mut self) {
        while self.next().is_some() {}
    }

    fn skip_space(&mut self) -> Option<u8> {
        while self.body.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.body.get(self.at).copied()
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let body = self.body;
        while self.skip_space()? == b'/' {
            self.is_self_closing = body.get(self.at + 1) == Some(&b'>');
            self.at += 1;
        }
        if body[self.at] == b'>' {
            self.end = Some(self.at + 1);
            return None;
        }
        let from = self.at;
        // an equals sign that stands first is part of the name
        let is_end = |byte: &u8| ends_name(*byte) || *byte == b'=';
        self.at = from + 1 + body[from + 1..].iter().position(is_end)?;
        let name = &body[from..self.at];
        if self.skip_space()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        let value = match self.skip_space()? {
            quote @ (b'"' | b'\'') => {
                let from = self.at + 1;
                let length = memchr(quote, &body[from..])?;
                self.at = from + length + 1;
                &body[from..from + length]
            }
            b'>' => b"",
            _ => {
                let from = self.at;
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                self.at = from + body[from..].iter().position(is_end)?;
                &body[from..self.at]
            }
        };
        Some((name, value))
    }
}

pub fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

/// Where a comment ends whose content begins at `from`; None where it does not.
pub fn find_comment_end(body: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'>', body.get(at..)?)? + 1;
        let inner = &body[from..at - 1];
        if matches!(inner, b"" | b"-") || inner.ends_with(b"--") || inner.ends_with(b"--!") {
            return Some(at);
        }
    }
}

/// Whether `rest` begins with the end tag of an element.
fn closes(rest: &[u8], name: &[u8]) -> bool {
    let Some((found, rest)) = rest
        .strip_prefix(b"</")
        .and_then(|rest| rest.split_at_checked(name.len()))
    else {
        return false;
    };
    found.eq_ignore_ascii_case(name) && rest.first().is_some_and(|byte| ends_name(*byte))
}

/// Where the content of an element without tags ends: at its end tag, or with the page.
pub fn find_raw_end(body: &[u8], from: usize, name: &[u8]) -> usize {
    let mut opens = memchr::memchr_iter(b'<', &body[from..]).map(|at| from + at);
    opens
        .find(|at| closes(&body[*at..], name))
        .unwrap_or(body.len())
}

/// The same for a script, which may hold the end tag of a script in a comment (the "double escaped" states).
pub fn find_script_end(body: &[u8], from: usize) -> usize {
    let (mut at, mut comment, mut depth) = (from, 0, 0);
    while let Some(found) = memchr2(b'<', b'>', &body[at..]) {
        at += found;
        let rest = &body[at..];
        if rest[0] == b'>' {
            if depth > 0 && body[comment..at].ends_with(b"--") {
                depth = 0;
            }
        } else if closes(rest, b"script") {
            if depth < 2 {
                return at;
            }
            depth = 1;
        } else if depth == 0 && rest.starts_with(b"<!--") {
            (depth, comment) = (1, at + 2);
        } else if depth == 1
            && rest.len() > 7
            && rest[1..7].eq_ignore_ascii_case(b"script")
            && ends_name(rest[7])
        {
            depth = 2;
        }
        at += 1;
    }
    body.len()
}
