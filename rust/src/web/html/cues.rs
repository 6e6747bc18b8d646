//! Visual cues of the markup: what inline style and old attributes say of the look of an element (STORE, Yu et al. 2003).
//!
//! Stylesheets are not read. Sizes are compared with that of running text: 16 pixels, 12 points.

/// What is written among the names of an element, in this order, where its markup has the cue.
pub const SMALL: &[u8] = b"@small ";
pub const LARGE: &[u8] = b"@large ";
pub const FADED: &[u8] = b"@faded ";
pub const TINTED: &[u8] = b"@tinted ";

/// Appends the cues of an inline style and of `bgcolor` to the names of an element.
pub fn push(names: &mut Vec<u8>, style: Option<&[u8]>, color: Option<&[u8]>) {
    let mut is_tinted =
        color.is_some_and(|color| is_tint(&color.trim_ascii().to_ascii_lowercase()));
    let (mut size, mut is_faded) = (0, false);
    if let Some(style) = style {
        let style = style.to_ascii_lowercase();
        for declaration in style.split(|byte| *byte == b';') {
            let Some(colon) = declaration.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let value = declaration[colon + 1..].trim_ascii();
            match declaration[..colon].trim_ascii() {
                b"font-size" => size = compare_size(value),
                b"color" => is_faded = is_gray(value),
                b"background" | b"background-color" => is_tinted = is_tint(value),
                _ => {}
            }
        }
    }
    for (cue, holds) in [
        (SMALL, size < 0),
        (LARGE, size > 0),
        (FADED, is_faded),
        (TINTED, is_tinted),
    ] {
        if holds {
            names.extend_from_slice(cue);
        }
    }
}

/// Whether a `font-size` is smaller (-1) or larger (1) than running text.
pub fn compare_size(value: &[u8]) -> i8 {
    let word = value
        .split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default();
    match word {
        b"xx-small" | b"x-small" | b"small" | b"smaller" => return -1,
        b"large" | b"x-large" | b"xx-large" | b"larger" => return 1,
        _ => {}
    }
    let digits = word
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b'.')
        .unwrap_or(word.len());
    let number = std::str::from_utf8(&word[..digits])
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    let (small, large) = match &word[digits..] {
        b"px" => (12.0, 20.0),
        b"pt" => (9.0, 15.0),
        b"em" | b"rem" => (0.9, 1.25),
        b"%" => (90.0, 125.0),
        _ => return 0,
    };
    match number {
        Some(number) if number < small => -1,
        Some(number) if number >= large => 1,
        _ => 0,
    }
}

/// Whether `size` of `font` is below 3, that of running text, or lowers it.
pub fn is_small_font(size: &[u8]) -> bool {
    let size = size.trim_ascii();
    matches!(size, [b'0'..=b'2']) || matches!(size, [b'-', b'1'..=b'7'])
}

/// Whether a colour is a middle or light gray.
fn is_gray(value: &[u8]) -> bool {
    if matches!(
        value,
        b"gray" | b"grey" | b"silver" | b"darkgray" | b"darkgrey" | b"lightgray" | b"lightgrey"
    ) {
        return true;
    }
    parse_hex(value).is_some_and(|channels| {
        let (least, most) = (channels.iter().min(), channels.iter().max());
        least >= Some(&0x60)
            && most
                .zip(least)
                .is_some_and(|(most, least)| most - least <= 0x20)
    })
}

/// Whether a background is a colour other than white.
fn is_tint(value: &[u8]) -> bool {
    let first = value
        .split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default();
    match first {
        b"" | b"none" | b"transparent" | b"inherit" | b"initial" | b"unset" | b"white" => false,
        _ if first.starts_with(b"url(") => false,
        _ => parse_hex(first).is_none_or(|channels| channels != [0xff; 3]),
    }
}

/// The channels of `#rgb` and `#rrggbb`.
fn parse_hex(value: &[u8]) -> Option<[u8; 3]> {
    let digits = value.strip_prefix(b"#")?;
    let digit = |place: usize| {
        char::from(digits[place])
            .to_digit(16)
            .map(|digit| digit as u8)
    };
    match digits.len() {
        3 => Some([17 * digit(0)?, 17 * digit(1)?, 17 * digit(2)?]),
        6 => Some([
            16 * digit(0)? + digit(1)?,
            16 * digit(2)? + digit(3)?,
            16 * digit(4)? + digit(5)?,
        ]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_bgcolor_become_cues() {
        let found = |style: &str, color: Option<&[u8]>| {
            let mut names = Vec::new();
            push(&mut names, Some(style.as_bytes()), color);
            String::from_utf8_lossy(&names).into_owned()
        };
        assert_eq!(
            found("FONT-SIZE: 0.8em; color: #999", None),
            "@small @faded "
        );
        assert_eq!(
            found("font-size:150%;background:#eef url(a.png)", None),
            "@large @tinted "
        );
        assert_eq!(
            found("font-size:13px;color:#123456;background:white", None),
            ""
        );
        assert_eq!(found("background:#fff", Some(b"#FFFFCC")), "");
        assert_eq!(found("", Some(b"#FFFFCC")), "@tinted ");
        assert_eq!(
            found("font-size: ..px; color:#é; background", Some(b"#FFF")),
            ""
        );
    }

    #[test]
    fn sizes_of_font_are_those_of_browsers() {
        assert!(is_small_font(b" -1 ") && is_small_font(b"2"));
        assert!(!is_small_font(b"3") && !is_small_font(b"+1") && !is_small_font(b""));
    }
}
