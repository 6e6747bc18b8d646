//! What a page asks of robots and browsers: meta robots, X-Robots-Tag, meta refresh.

pub const NOINDEX: u8 = 1;
pub const NOFOLLOW: u8 = 2;
pub const NOARCHIVE: u8 = 4;

/// The bits of a list of directives, as in `<meta name=robots content=…>`.
pub fn parse(content: &str) -> u8 {
    let words = content.split(|c: char| c == ',' || c == ';' || c.is_ascii_whitespace());
    words.fold(0, |bits, word| {
        bits | match word.to_ascii_lowercase().as_str() {
            "noindex" => NOINDEX,
            "nofollow" => NOFOLLOW,
            "noarchive" | "nocache" => NOARCHIVE,
            "none" => NOINDEX | NOFOLLOW,
            _ => 0,
        }
    })
}

/// The bits of an X-Robots-Tag, whose directives may be for one agent: `noindex, somebot: nofollow, noarchive`.
pub fn parse_robots_directives(header_value: &str, agents: &[String]) -> u8 {
    let (mut bits, mut is_meant) = (0, true);
    for mut piece in header_value.split(',') {
        if let Some((name, rest)) = piece.split_once(':') {
            let name = name.trim();
            let is_directive = ["unavailable_after", "max-snippet", "max-image-preview"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
                || name.eq_ignore_ascii_case("max-video-preview");
            if is_directive {
                continue;
            }
            is_meant = agents.iter().any(|agent| agent.eq_ignore_ascii_case(name));
            piece = rest;
        }
        if is_meant {
            bits |= parse(piece);
        }
    }
    bits
}

/// Seconds and target of a refresh, an empty target for the page itself ("shared declarative refresh steps").
pub fn parse_refresh(content: &str) -> Option<(f64, &str)> {
    let content = content.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !content.starts_with('.') {
        return None;
    }
    let delay = if digits == 0 {
        0.0
    } else {
        content[..digits].parse().ok()?
    };
    let rest = content[digits..].trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let after = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    if !rest.is_empty() && after.len() == rest.len() && !rest.starts_with([';', ',']) {
        return None;
    }
    let target = after.strip_prefix([';', ',']).unwrap_or(after).trim_start();
    let name = target
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"));
    let value = name.and_then(|_| target[3..].trim_start().strip_prefix('='));
    let target = value.map_or(target, str::trim_start);
    let quoted = target.strip_prefix(['"', '\'']).map(|rest| {
        let quote = &target[..1];
        rest.split(quote).next().unwrap_or("")
    });
    Some((delay, quoted.unwrap_or(target).trim_matches(|c| c <= ' ')))
}
