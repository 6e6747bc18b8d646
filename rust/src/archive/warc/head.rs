//! HTTP heads as they are stored.
//!
//! The body of a record is the payload, so headers that would describe it otherwise are renamed, as Common Crawl does:
//! `Transfer-Encoding`, `Content-Encoding` (if it was decoded) and a `Content-Length` that is not the payload's become
//! `X-Crawl-…`, and the true `Content-Length` is added. What is no HTTP is made harmless: controls become blanks, folded
//! lines one line, a line without a proper name the value of `X-Crawl-Malformed`, a status line that is none is
//! replaced and kept as `X-Crawl-Status-Line`. Bytes above 127 stay as they are.

use std::io::Write;

pub fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Appends `text` with a blank for each control character.
pub fn push_clean(out: &mut Vec<u8>, text: &[u8]) {
    let is_control = |byte: &u8| matches!(byte, 0..=31 | 127);
    let begin = out.len();
    out.extend_from_slice(text);
    if text.iter().any(is_control) {
        let controls = out[begin..].iter_mut().filter(|byte| is_control(byte));
        controls.for_each(|byte| *byte = b' ');
    }
}

/// Appends a head and its empty line, for a payload of `length` bytes; None where only the head knows how many.
pub fn push_head(out: &mut Vec<u8>, head: &[u8], length: Option<usize>, decoded: bool) {
    let told = length.map(|length| length.to_string());
    let mut lines = head
        .trim_ascii_start()
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    push_status(out, lines.next().unwrap_or_default());
    let mut has_length = false;
    for line in lines.take_while(|line| !line.is_empty()) {
        if matches!(line[0], b' ' | b'\t') {
            // a folded line goes on with the one before, whose end is taken back; so nothing follows a status line
            if out.ends_with(b"\r\n") {
                out.truncate(out.len() - 2);
            }
            out.push(b' ');
            push_clean(out, line.trim_ascii());
            out.extend_from_slice(b"\r\n");
            continue;
        }
        let colon = memchr::memchr(b':', line).unwrap_or(0);
        let name = line[..colon].trim_ascii_end();
        if name.is_empty() || !name.iter().all(|byte| is_token(*byte)) {
            out.extend_from_slice(b"X-Crawl-Malformed: ");
            push_clean(out, line.trim_ascii());
            out.extend_from_slice(b"\r\n");
            continue;
        }
        let value = line[colon + 1..].trim_ascii();
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        let holds = |value: &[u8]| match &told {
            Some(told) => value == told.as_bytes(),
            None => !value.is_empty() && value.iter().all(u8::is_ascii_digit),
        };
        if is("content-length") && !has_length && holds(value) {
            has_length = true;
        } else if is("content-length")
            || is("transfer-encoding")
            || is("content-encoding") && decoded
        {
            out.extend_from_slice(b"X-Crawl-");
        }
        out.extend_from_slice(name);
        out.extend_from_slice(b": ");
        push_clean(out, value);
        out.extend_from_slice(b"\r\n");
    }
    if let Some(told) = told.filter(|_| !has_length) {
        let _ = write!(out, "Content-Length: {told}\r\n");
    }
    out.extend_from_slice(b"\r\n");
}

fn push_status(out: &mut Vec<u8>, line: &[u8]) {
    let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
    let is_blank = |at: usize| matches!(line.get(at), None | Some(b' '));
    let is_version = line.starts_with(b"HTTP/") && is_digit(5) && line.get(6) == Some(&b'.');
    if is_version
        && is_digit(7)
        && line[8..].starts_with(b" ")
        && (9..12).all(is_digit)
        && is_blank(12)
    {
        out.extend_from_slice(&line[..12]);
        out.push(b' ');
        push_clean(out, line.get(13..).unwrap_or_default());
    } else {
        // the first number of three digits is the best guess
        let mut words = line.split(|byte| *byte == b' ');
        let code = words.find(|word| word.len() == 3 && word.iter().all(u8::is_ascii_digit));
        out.extend_from_slice(b"HTTP/1.1 ");
        out.extend_from_slice(code.unwrap_or(b"000"));
        out.extend_from_slice(b" \r\nX-Crawl-Status-Line: ");
        push_clean(out, line);
    }
    out.extend_from_slice(b"\r\n");
}
