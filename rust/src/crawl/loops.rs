//! Which links are followed of a page that repeats others, so that copies without end do not lead to more of them.
//!
//! Links of every page are followed. On a page whose shape another page had before (`Copies`) these are left out:
//!
//! - links that go on as the page's own address does: to addresses that differ from it in digits and values of
//!   parameters alone. Duplicates with enough text for a fingerprint keep them while there are fewer than `MANY` pages of
//!   that shape on the host: a mirror or another version of a site has chains of such pages, and an end;
//! - links deeper below its folder that repeat a folder of it in a row (`/a/a/`, `/a/b/a/b/`);
//! - all links, from the `MOST`-th page of that shape of its host on, but those of a refresh, which such a page may be
//!   made for.

use super::filters::repeats::has_repeat;
use super::messages::Copies;
use crate::web::url;
use xxhash_rust::xxh3::xxh3_64;

/// Duplicates with the same shape on a host whose links are all followed.
const MANY: u32 = 8;
/// Pages with the same shape on a host whose links are followed.
const MOST: u32 = 64;

/// What is left out of a page that repeats others.
pub struct Loop<'a> {
    origin: &'a str,
    /// path and query of the page, and its folder
    target: &'a str,
    folder: &'a str,
    /// `form` of the target, where links of the same form are left out
    form: Option<u64>,
    is_over: bool,
}

impl<'a> Loop<'a> {
    /// None for a page whose links are all followed.
    pub fn of(
        copies: Copies,
        is_duplicate: bool,
        origin: &'a str,
        target: &'a str,
    ) -> Option<Self> {
        if !copies.is_known {
            return None;
        }
        let is_chain = !is_duplicate || copies.own >= MANY;
        let path = path_of(target);
        Some(Self {
            origin,
            target,
            folder: path.rfind('/').map_or("/", |end| &path[..=end]),
            form: is_chain.then(|| form(target)),
            is_over: copies.own >= MOST,
        })
    }

    /// Whether a link of the page is left out.
    pub fn refuses(&self, link: &str, is_refresh: bool) -> bool {
        let (origin, target) = url::split(link);
        if self.is_over {
            return !is_refresh;
        }
        if origin != self.origin || target == self.target {
            return false;
        }
        let path = path_of(target);
        let is_deeper = path
            .strip_prefix(self.folder)
            .is_some_and(|rest| rest.contains('/'));
        is_deeper && has_repeat(path, 2) || self.form.is_some_and(|own| own == form(target))
    }
}

/// The same for addresses that differ in digits, and values and order of parameters, alone.
fn form(target: &str) -> u64 {
    let path = path_of(target);
    let letters: Vec<u8> = path.bytes().filter(|byte| !byte.is_ascii_digit()).collect();
    let query = target[path.len()..].trim_start_matches('?');
    let names = query
        .split('&')
        .map(|field| field.split('=').next().unwrap_or(field));
    let hashes = names.map(|name| xxh3_64(name.as_bytes()));
    hashes.fold(xxh3_64(&letters), u64::wrapping_add)
}

fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(own: u32, is_duplicate: bool, page: &str, link: &str) -> bool {
        let copies = Copies {
            is_known: true,
            own,
        };
        let found = Loop::of(copies, is_duplicate, "http://a.test", page);
        found.is_some_and(|found| found.refuses(&format!("http://a.test{link}"), false))
    }

    #[test]
    fn links_of_pages_that_repeat_no_other_are_all_followed() {
        assert!(
            Loop::of(
                Copies::default(),
                false,
                "http://a.test",
                "/calendar/2026/1/"
            )
            .is_none()
        );
    }

    #[test]
    fn what_goes_on_as_the_page_itself_is_left_out() {
        for (page, link, is_refused) in [
            ("/calendar/2026/1/", "/calendar/2026/2/", true),
            ("/list?from=1", "/list?from=2", true),
            ("/list?a=x&b=1", "/list?b=2&a=y", true),
            ("/list?from=1", "/list", false),
            ("/old-1.html", "/new-1.html", false),
            ("/deeper/deeper/", "/deeper/deeper/deeper/", true),
            ("/a/", "/a/b/a/b/", true),
            ("/2.1/topics/db.html", "/2.1/topics/http.html", false),
            ("/2.1/topics/db.html", "/2.1/", false),
            ("/foo/foo/a.html", "/foo/foo/b.html", false),
            ("/calendar/2026/1/", "/", false),
        ] {
            assert_eq!(refused(1, false, page, link), is_refused, "{page} {link}");
        }
    }

    #[test]
    fn duplicates_keep_their_chains_as_long_as_there_are_few() {
        let (page, link) = ("/2.1/chapter-1.html", "/2.1/chapter-2.html");
        assert!(refused(1, false, page, link));
        assert!(!refused(MANY - 1, true, page, link));
        assert!(refused(MANY, true, page, link));
    }

    #[test]
    fn nothing_but_a_refresh_is_followed_of_the_most_frequent_page() {
        assert!(!refused(MOST - 1, true, "/a", "/b"));
        assert!(refused(MOST, true, "/a", "/b"));
        let copies = Copies {
            is_known: true,
            own: MOST,
        };
        let found = Loop::of(copies, false, "http://a.test", "/a").unwrap();
        assert!(!found.refuses("http://a.test/b", true));
        assert!(found.refuses("http://b.test/", false));
    }
}
