//! The head of a request, as far as answers depend on it; everything else is refused or ignored.

/// Longest head of a request.
pub const MAX_HEAD: usize = 32 << 10;
const MAX_HEADERS: usize = 100;
/// Longest body of a request that is read (and thrown away).
const MAX_BODY: usize = 1 << 20;

/// What is kept of a request's head; ranges of the buffer would not survive its reuse.
#[derive(Debug, Default)]
pub struct Head {
    pub method: Vec<u8>,
    pub host: Vec<u8>,
    pub target: Vec<u8>,
    pub accept_encoding: Vec<u8>,
    pub if_none_match: Vec<u8>,
    pub if_modified_since: Vec<u8>,
    pub user_agent: Vec<u8>,
    pub body: usize,
    pub keep_alive: bool,
    pub is_proxied: bool,
    /// Whether the target was asked for under https.
    pub is_secure: bool,
}

#[derive(Debug)]
pub enum Parsed {
    Partial,
    Malformed,
    /// A head, and how many bytes of the buffer it took.
    Head(Box<Head>, usize),
}

pub fn parse(buffer: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(buffer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Parsed::Partial,
        Err(_) => return Parsed::Malformed,
    };
    let mut head = Head {
        method: request.method.unwrap_or("GET").as_bytes().to_vec(),
        target: request.path.unwrap_or("/").as_bytes().to_vec(),
        keep_alive: request.version == Some(1),
        ..Head::default()
    };
    for header in request.headers.iter() {
        if head.take(header.name, header.value).is_none() {
            return Parsed::Malformed;
        }
    }
    head.read_target();
    Parsed::Head(Box::new(head), length)
}

impl Head {
    /// Takes a header; none where a client that means well would not have sent it.
    fn take(&mut self, name: &str, value: &[u8]) -> Option<()> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("host") {
            // two hosts are two opinions about who is asked
            if !self.host.is_empty() {
                return None;
            }
            self.host = value.to_vec();
        } else if is("accept-encoding") {
            self.accept_encoding = value.to_vec();
        } else if is("if-none-match") {
            self.if_none_match = value.to_vec();
        } else if is("if-modified-since") {
            self.if_modified_since = value.to_vec();
        } else if is("user-agent") {
            self.user_agent = value.to_vec();
        } else if is("content-length") {
            let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let length = std::str::from_utf8(value).ok()?.parse().ok()?;
            if !is_number || length > MAX_BODY || (self.body != 0 && self.body != length) {
                return None;
            }
            self.body = length;
        } else if is("transfer-encoding") {
            return None;
        } else if is("connection") || is("proxy-connection") {
            for token in value.split(|byte| *byte == b',') {
                let token = token.trim_ascii();
                if token.eq_ignore_ascii_case(b"close") {
                    self.keep_alive = false;
                } else if token.eq_ignore_ascii_case(b"keep-alive") {
                    self.keep_alive = true;
                }
            }
        }
        Some(())
    }

    /// Splits an absolute target, as proxies get them, into host and target.
    fn read_target(&mut self) {
        let scheme = [&b"http://"[..], b"https://"].into_iter().find(|scheme| {
            let begin = self.target.get(..scheme.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
        });
        if let Some(scheme) = scheme {
            let rest = self.target.split_off(scheme.len());
            let cut = rest
                .iter()
                .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
                .unwrap_or(rest.len());
            self.host = rest[..cut].to_vec();
            self.target = rest[cut..].to_vec();
            if self.target.first() != Some(&b'/') {
                self.target.insert(0, b'/');
            }
            self.is_proxied = true;
            self.is_secure = scheme == b"https://";
        }
        if let Some(hash) = self.target.iter().position(|byte| *byte == b'#') {
            self.target.truncate(hash);
        }
        // the port is how the client reaches us, not a part of the name
        if let Some(colon) = self.host.iter().position(|byte| *byte == b':') {
            self.host.truncate(colon);
        }
        self.host.make_ascii_lowercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_refused(bytes: Vec<u8>, line in "[ -~]{0,60}", name in "[a-zA-Z-]{1,20}") {
            parse(&bytes);
            let mut text = format!("GET {line} HTTP/1.1\r\n{name}: ").into_bytes();
            text.extend_from_slice(&bytes);
            text.extend_from_slice(b"\r\n\r\n");
            parse(&text);
        }
    }

    fn read(text: &str) -> Option<Head> {
        match parse(text.as_bytes()) {
            Parsed::Head(head, _) => Some(*head),
            _ => None,
        }
    }

    #[test]
    fn an_absolute_target_is_split() {
        for (target, host, path) in [
            ("http://a.test/b?c=d#e", "a.test", "/b?c=d"),
            ("HTTP://A.test:8080", "a.test", "/"),
            ("http://a.test?x", "a.test", "/?x"),
            ("http://", "", "/"),
        ] {
            let head = read(&format!("GET {target} HTTP/1.1\r\nHost: b.test\r\n\r\n")).unwrap();
            assert!(head.is_proxied);
            assert_eq!(head.host, host.as_bytes());
            assert_eq!(head.target, path.as_bytes());
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for headers in [
            "Host: a.test\r\nHost: b.test\r\n",
            "Content-Length: 3\r\nContent-Length: 4\r\n",
            "Content-Length: +3\r\n",
            "Content-Length: -3\r\n",
            "Content-Length: 99999999999999999999\r\n",
            "Content-Length: 2000000\r\n",
            "Transfer-Encoding: chunked\r\n",
        ] {
            assert!(
                read(&format!("GET / HTTP/1.1\r\n{headers}\r\n")).is_none(),
                "{headers}"
            );
        }
    }
}
