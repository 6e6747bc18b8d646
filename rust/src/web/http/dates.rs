//! HTTP dates, by the crate `httpdate`, which refuses a wrong day of the week; hosts send those.

use std::time::SystemTime;

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// A date in one of the three forms of HTTP; the first may have any day of the week, and hyphens.
pub fn parse_date(text: &str) -> Option<SystemTime> {
    let parse = |text: &str| httpdate::parse_http_date(text).ok();
    let text = text.trim();
    parse(text).or_else(|| {
        let date = text.split_once(", ")?.1.replace('-', " ");
        DAYS.iter().find_map(|day| parse(&format!("{day}, {date}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn dates_are_read_in_all_forms_with_any_day_of_the_week() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            (" Fri, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Sun, 06-Nov-1994 08:49:37 GMT", Some(784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
            ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
            ("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199)),
            ("Fri, 01 Mar 2024 00:00:00 GMT", Some(1_709_251_200)),
            ("Sun, 06 anF 1994 08:49:37 GMT", None),
            ("Sun, 31 Feb 2024 00:00:00 GMT", None),
            ("tomorrow", None),
        ] {
            let date = seconds.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(parse_date(text), date, "{text}");
        }
    }
}
