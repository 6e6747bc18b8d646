//! robots.txt (RFC 9309): what a file asks of one agent, in few bytes, matched in linear time.
//!
//! Rules are kept in the order in which they count, longest first and `Allow` before `Disallow`: the first that
//! matches decides. Rules and paths are compared in one percent-encoded form, in which a `*` is always the
//! wildcard and a `$` always the end.

use memchr::memmem;
use std::borrow::Cow;
use std::io::Write;

/// The rules of one host for one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    /// the patterns, one behind the other
    text: Box<[u8]>,
    /// the end of each pattern in `text`, times two, plus one if it allows
    ends: Box<[u32]>,
    pub sitemaps: Vec<Box<str>>,
    pub signals: Vec<Box<str>>,
    /// seconds, 0 if nothing is asked
    pub crawl_delay: f64,
    is_google: bool,
}

/// Directives by the beginning of their names, with the misspellings that Google or crawler-commons accept.
#[rustfmt::skip]
const DIRECTIVES: [(&str, &[&str]); 7] = [
    ("disallow", &["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "desallow",
        "dssalow", "dsallow", "diallow", "disllow"]),
    ("allow", &["allow"]),
    ("user-agent", &["user-agent", "useragent", "user agent", "user-agnet", "users-agent", "useg-agent",
        "ser-agent"]),
    ("sitemap", &["sitemap", "site-map"]),
    ("crawl-delay", &["crawl-delay", "crawl delay", "crawl-deley", "craw-delay", "clawl-delay"]),
    ("content-signal", &["content-signal"]),
    ("content-usage", &["content-usage"]),
];

/// Bytes that Google's parser keeps of a line; it ignores the rest, comments and leading blanks included.
const GOOGLE_LINE: usize = 2083 * 8 - 1;

impl Robots {
    /// Reads at most `max_bytes` of a file, for an agent that goes by any of these names. As Google does it,
    /// if so wanted: no name with a digit is ever meant, `%61` is not `a`, `/robots.txt` is a path as others, and
    /// lines are cut after [`GOOGLE_LINE`] bytes.
    pub fn parse(content: &[u8], agents: &[&[u8]], max_bytes: usize, is_google: bool) -> Self {
        let max_bytes = max_bytes.min(1 << 28);
        let text = decode(&content[..content.len().min(max_bytes)]);
        // in a page that stands where the file should be, lines end in tags
        let is_page = text.trim_ascii_start().starts_with(b"<");
        let is_end = |byte: &u8| *byte == b'#' || (is_page && *byte == b'<');
        let mut lines = text.split(|byte| b"\r\n".contains(byte));
        if content.len() > max_bytes {
            lines.next_back(); // half a rule would forbid too much
        }
        let longest = if is_google { GOOGLE_LINE } else { usize::MAX };
        let lines = lines.map(|line| &line[..line.len().min(longest)]);
        let lines = lines.filter_map(|line| line.split(is_end).next());
        let tokens: Vec<_> = lines.filter_map(tokenize).collect();
        let is_ours = |value: &[u8]| agents.iter().any(|agent| names(value, agent, is_google));
        match Self::gather(&tokens, is_ours, is_google) {
            (true, ours) => ours,
            _ => Self::gather(&tokens, names_all, is_google).1,
        }
    }

    /// What the groups ask whose names are meant.
    fn gather(
        tokens: &[(&str, &[u8])],
        is_meant: impl Fn(&[u8]) -> bool,
        is_google: bool,
    ) -> (bool, Self) {
        let mut robots = Robots {
            is_google,
            ..Self::default()
        };
        let mut rules = Vec::new();
        let (mut is_named, mut is_open, mut takes_delay) = (false, false, false);
        let (mut had_rule, mut had_delay, mut had_agent) = (false, false, false);
        for &(directive, value) in tokens {
            match directive {
                "user-agent" => {
                    // names in a row begin one group; a delay before the next name is not for that one
                    let is_ours = is_meant(value);
                    is_open = (is_open && !had_rule) || is_ours;
                    takes_delay = (takes_delay && !had_rule && !had_delay) || is_ours;
                    is_named |= is_ours;
                    (had_rule, had_delay, had_agent) = (false, false, true);
                }
                "allow" | "disallow" => {
                    had_rule = true;
                    if is_open && !value.is_empty() {
                        let rule = normalize(value, true, is_google);
                        push_rule(&mut rules, rule, directive == "allow");
                    }
                }
                "crawl-delay" => {
                    had_delay = true;
                    let asked = if takes_delay { seconds(value) } else { 0.0 };
                    robots.crawl_delay = robots.crawl_delay.max(asked);
                }
                "sitemap" => robots.sitemaps.push(String::from_utf8_lossy(value).into()),
                _ if had_agent && !is_open => {}
                _ => {
                    let signal = format!("{directive}: {}", String::from_utf8_lossy(value));
                    robots.signals.push(signal.into());
                }
            }
        }
        rules.sort_by(|(a, x), (b, y)| (b.len(), y, b).cmp(&(a.len(), x, a)));
        rules.dedup();
        robots.text = rules.iter().flat_map(|(rule, _)| rule).copied().collect();
        let mut end = 0;
        let ends = rules.iter().map(|(rule, allows)| {
            end += rule.len() as u32;
            end << 1 | u32::from(*allows)
        });
        robots.ends = ends.collect();
        (is_named, robots)
    }

    /// Whether a path with its query may be fetched; `/robots.txt` always may.
    pub fn allows(&self, path: &[u8]) -> bool {
        if self.ends.is_empty() || (path == b"/robots.txt" && !self.is_google) {
            return true;
        }
        let is_odd = |&byte: &u8| b"%*$".contains(&byte) || needs_escape(byte);
        let path = if !path.starts_with(b"/") {
            normalize(&[b"/", path].concat(), false, self.is_google).into()
        } else if path.iter().any(is_odd) {
            normalize(path, false, self.is_google).into()
        } else {
            Cow::Borrowed(path)
        };
        let mut start = 0;
        for &end in &self.ends {
            let stop = (end >> 1) as usize;
            if matches(&self.text[start..stop], &path) {
                return end & 1 == 1;
            }
            start = stop;
        }
        true
    }

    /// Appends what a later run needs: delay, rules and signals, but not the sitemaps, which are URLs by then.
    pub fn push_bytes(&self, out: &mut Vec<u8>) {
        let push_length = |out: &mut Vec<u8>, length: usize| {
            out.extend_from_slice(&(length as u32).to_le_bytes());
        };
        out.extend_from_slice(&self.crawl_delay.to_le_bytes());
        push_length(out, self.ends.len());
        for end in &self.ends {
            out.extend_from_slice(&end.to_le_bytes());
        }
        push_length(out, self.text.len());
        out.extend_from_slice(&self.text);
        push_length(out, self.signals.len());
        for signal in &self.signals {
            push_length(out, signal.len());
            out.extend_from_slice(signal.as_bytes());
        }
    }

    /// Rules from the bytes of some; None if these are no bytes of ours.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let number = |bytes: &mut &[u8]| {
            let (head, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*head) as usize)
        };
        let (delay, rest) = bytes.split_first_chunk()?;
        bytes = rest;
        let num_rules = number(&mut bytes)?;
        let (ends, mut bytes) = bytes.split_at_checked(num_rules.checked_mul(4)?)?;
        let (ends, _) = ends.as_chunks();
        let ends: Box<[u32]> = ends.iter().map(|end| u32::from_le_bytes(*end)).collect();
        let length = number(&mut bytes)?;
        let (text, mut bytes) = bytes.split_at_checked(length)?;
        let is_sorted = ends.windows(2).all(|pair| pair[0] >> 1 <= pair[1] >> 1);
        if !is_sorted || ends.last().map_or(0, |end| end >> 1) as usize != length {
            return None;
        }
        let mut signals = Vec::new();
        for _ in 0..number(&mut bytes)? {
            let length = number(&mut bytes)?;
            let (signal, rest) = bytes.split_at_checked(length)?;
            signals.push(std::str::from_utf8(signal).ok()?.into());
            bytes = rest;
        }
        bytes.is_empty().then(|| Self {
            text: text.into(),
            ends,
            signals,
            crawl_delay: f64::from_le_bytes(*delay),
            ..Self::default()
        })
    }

    pub fn num_rules(&self) -> usize {
        self.ends.len()
    }

    /// All that is kept, in bytes.
    pub fn num_bytes(&self) -> usize {
        let lines = self.sitemaps.iter().chain(&self.signals);
        let inner: usize = lines.map(|line| line.len() + size_of_val(line)).sum();
        size_of::<Self>() + inner + self.text.len() + size_of_val(&*self.ends)
    }
}

fn push_rule(rules: &mut Vec<(Vec<u8>, bool)>, rule: Vec<u8>, allows: bool) {
    // as Google does it: who allows the index page allows the folder
    if let Some(slash) = memchr::memrchr(b'/', &rule)
        && allows
        && rule[slash..].starts_with(b"/index.htm")
    {
        rules.push(([&rule[..=slash], b"$"].concat(), true));
    }
    rules.push((rule, allows));
}

/// Without the mark of byte order, of which UTF-8's may be incomplete; UTF-16 as UTF-8.
fn decode(content: &[u8]) -> Cow<'_, [u8]> {
    match (encoding_rs::Encoding::for_bom(content), content) {
        (Some((encoding, _)), _) => encoding.decode(content).0.into_owned().into_bytes().into(),
        (None, [0xEF, 0xBB, rest @ ..] | [0xEF, rest @ ..]) => rest.into(),
        _ => content.into(),
    }
}

/// What a line says. A blank stands for a colon that is missing, if nothing but one word follows.
fn tokenize(line: &[u8]) -> Option<(&'static str, &[u8])> {
    let line = line.trim_ascii();
    let (directive, name) = DIRECTIVES.iter().find_map(|(directive, names)| {
        let name = names
            .iter()
            .find(|name| starts_with(line, name.as_bytes()))?;
        Some((*directive, name))
    })?;
    let rest = &line[name.len()..];
    let end = rest.iter().position(|byte| b": \t".contains(byte))?;
    let rest = rest[end..].trim_ascii_start();
    match rest.strip_prefix(b":") {
        Some(value) => Some((directive, value.trim_ascii_start())),
        None if rest.iter().any(u8::is_ascii_whitespace) => None,
        None => Some((directive, rest)),
    }
}

fn starts_with(line: &[u8], name: &[u8]) -> bool {
    let head = line.get(..name.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(name))
}

/// Whether a line for agents names this one: the product token, whatever follows it (a version, a comment).
fn names(value: &[u8], agent: &[u8], is_google: bool) -> bool {
    let in_token = |byte: &u8| byte.is_ascii_alphabetic() || b"-_".contains(byte);
    // names with other signs, as digits, are no product tokens of the RFC, but they are in use
    let is_token = agent.iter().all(in_token);
    let goes_on = |next: &u8| in_token(next) || (!is_token && next.is_ascii_digit());
    let is_name = !agent.is_empty() && !agent.contains(&b' ') && (is_token || !is_google);
    is_name && starts_with(value, agent) && !value.get(agent.len()).is_some_and(goes_on)
}

/// A `*`, whatever stands behind it after a blank; the blanks of other encodings are no ASCII.
fn names_all(value: &[u8]) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || !byte.is_ascii();
    matches!(value, [b'*', rest @ ..] if rest.first().is_none_or(is_blank))
}

fn seconds(value: &[u8]) -> f64 {
    let delay = str::from_utf8(value).map_or(0.0, |text| text.parse().unwrap_or(0.0));
    if f64::is_finite(delay) { delay } else { 0.0 }
}

/// Whether a pattern matches the beginning of a path, or all of it if it ends in `$`. The leftmost place of each
/// piece between two `*` is good enough, so nothing is tried twice.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    // most rules are about other folders, which one look tells
    if let ([b'/', asked, ..], [b'/', given, ..]) = (pattern, path)
        && asked != given
        && !b"*$".contains(asked)
    {
        return false;
    }
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let mut pieces = body.split(|&byte| byte == b'*');
    let Some(mut rest) = pieces.next().and_then(|head| path.strip_prefix(head)) else {
        return false;
    };
    let is_anchored = body.len() < pattern.len();
    let last = if is_anchored {
        pieces.next_back()
    } else {
        Some(&b""[..])
    };
    for piece in pieces {
        match memmem::find(rest, piece) {
            Some(place) => rest = &rest[place + piece.len()..],
            None => return false,
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// Bytes that a URL has percent-encoded.
fn needs_escape(byte: u8) -> bool {
    byte <= b' ' || byte >= 0x7F || b"\"#<>[]^`{|}".contains(&byte)
}

/// Text percent-encoded where it must be and, unless as Google, nowhere else (RFC 3986), in upper case.
fn normalize(text: &[u8], is_rule: bool, is_google: bool) -> Vec<u8> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    let (mut normal, mut rest) = (Vec::with_capacity(text.len()), text);
    while let [first, after @ ..] = rest {
        let mut byte = *first;
        rest = after;
        let mut is_escaped = match byte {
            b'*' => !is_rule,
            b'$' => !is_rule || !rest.is_empty(),
            _ if is_google => is_rule && byte >= 0x80,
            _ => needs_escape(byte),
        };
        if let (b'%', [high, low, after @ ..]) = (byte, rest)
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            (byte, rest) = ((high * 16 + low) as u8, after);
            is_escaped = is_google || !(byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
        }
        if is_escaped {
            write!(normal, "%{byte:02X}").expect("memory takes what is written");
        } else {
            normal.push(byte);
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_of_a_piece_is_good_enough() {
        for (pattern, path, is_match) in [
            ("/a*b*c$", "/a-b-b-c-c", true),
            ("/a*b*c$", "/a-c-b", false),
            ("/*a*a$", "/a", false),
            ("/a$", "/ab", false),
            ("*", "/", true),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), path.as_bytes()),
                is_match,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn rules_are_kept_in_the_order_in_which_they_count_and_once() {
        let text = b"user-agent: *\ndisallow: /a\nallow: /a\nallow: /abc\nallow: /abc";
        let robots = Robots::parse(text, &[], 1000, false);
        assert_eq!(&*robots.text, b"/abc/a/a");
        assert_eq!(&*robots.ends, &[9, 13, 16]);
    }
    #[test]
    fn google_keeps_the_beginning_of_a_long_line() {
        let rule = [b"user-agent: *\ndisallow: /", &[b'a'; 20_000][..]].concat();
        let robots = Robots::parse(&rule, &[], usize::MAX, true);
        assert_eq!(robots.text.len(), GOOGLE_LINE - "disallow: ".len());
        let robots = Robots::parse(&rule, &[], usize::MAX, false);
        assert_eq!(robots.text.len(), 20_001);
    }
}
