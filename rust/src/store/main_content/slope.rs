//! Sections of low slope of the document slope curve, in a text that a scan has made; `webstrata.store.main_content.slope`
//! has the formula, and finds the same in the tokens of a page.

/// Tokens around a token over which its slope is taken.
const WINDOW: usize = 50;
/// A slope is low that is less than this share of the page's.
const LOW: f64 = 0.75;
/// Words of the shortest section that is kept.
const MIN_WORDS: usize = 50;

/// Where each section begins and ends in the text, given how many bytes of it stand before each tag.
pub fn find_low_slopes(text: &str, tags: &[u32]) -> Vec<(u32, u32)> {
    let tokens = read_tokens(text, tags);
    // tags before each token, and all
    let mut sums = vec![0_u32];
    for token in &tokens {
        sums.push(sums[sums.len() - 1] + u32::from(token.0 == token.1));
    }
    let size = tokens.len();
    let bound = LOW * f64::from(sums[size]) / size as f64;
    let is_low = |place: usize| {
        let first = place.saturating_sub(WINDOW / 2);
        let after = (place + WINDOW - WINDOW / 2).min(size);
        f64::from(sums[after] - sums[first]) / ((after - first) as f64) < bound
    };
    let mut sections = Vec::new();
    let mut place = 0;
    while place < size {
        let begin = place;
        while place < size && is_low(place) {
            place += 1;
        }
        let words = tokens[begin..place]
            .iter()
            .filter(|token| token.0 < token.1);
        if words.clone().count() >= MIN_WORDS
            && let (Some(first), Some(last)) = (words.clone().next(), words.clone().next_back())
        {
            sections.push((first.0, last.1));
        }
        place += usize::from(place == begin);
    }
    sections
}

/// Where words begin and end, and tags, which have no length, in their order.
fn read_tokens(text: &str, tags: &[u32]) -> Vec<(u32, u32)> {
    let mut tokens = Vec::with_capacity(tags.len() + text.len() / 4);
    let mut tags = tags.iter().copied().peekable();
    let mut at = 0;
    for word in text
        .as_bytes()
        .split_inclusive(|byte| matches!(byte, b' ' | b'\n'))
    {
        let begin = at as u32;
        at += word.len();
        let length = word.trim_ascii_end().len() as u32;
        while let Some(tag) = tags.next_if(|tag| *tag <= begin) {
            tokens.push((tag, tag));
        }
        if length > 0 {
            tokens.push((begin, begin + length));
        }
    }
    tokens.extend(tags.map(|tag| (tag, tag)));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_tags_among_tags_are_a_section() {
        let text = format!(
            "{}{}{}",
            "x\n".repeat(60),
            "word ".repeat(80),
            "y\n".repeat(60)
        );
        let before = (0..60).flat_map(|line| [2 * line, 2 * line + 1]);
        let after = (0..60).flat_map(|line| [520 + 2 * line, 521 + 2 * line]);
        let tags: Vec<u32> = before.chain(after).collect();
        let found = find_low_slopes(text.trim_end(), &tags);
        let [(begin, end)] = found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            text[begin as usize..end as usize].matches("word").count(),
            80
        );
        assert!(find_low_slopes("", &[]).is_empty() && find_low_slopes("", &[0, 0]).is_empty());
    }
}
