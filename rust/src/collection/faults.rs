//! Faults on order: what a disk or a power cut can do, done at a chosen moment.
//!
//! A plan is a list of rules separated by `;`, each a kind and its conditions:
//!
//! | rule | what happens |
//! |---|---|
//! | `no-space [path=GLOB] [after=BYTES]` | writes fail with ENOSPC once BYTES have gone into matching files |
//! | `write-fails [path=GLOB] [after=BYTES]` | the same with EIO |
//! | `torn [path=GLOB] [after=BYTES]` | the write that passes BYTES is cut there, and the process dies (SIGKILL) |
//! | `sync-fails [path=GLOB] [after=N]` | every sync after the first N fails with EIO |
//! | `crash [at=POINT] [after=N]` | the process dies at its (N+1)th pass of POINT, or of any point |
//!
//! GLOB matches the whole path; `*` stands for any text. The plan comes from the environment variable
//! `WEBSTRATA_FAULTS`, so that a test can give it to a child, or from [`set_plan`].

use super::{CollectionError, Result};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NoSpace,
    WriteFails,
    Torn,
    SyncFails,
    Crash,
}

#[derive(Debug)]
struct Rule {
    kind: Kind,
    path: Option<String>,
    point: Option<String>,
    after: u64,
    seen: AtomicU64,
}

/// What a write may do: go ahead, fail with an error number, or write `keep` bytes and die.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Fail(i32),
    Tear { keep: usize },
}

#[derive(Debug, Default)]
struct Plan {
    rules: Vec<Rule>,
}

static PLAN: LazyLock<RwLock<Arc<Plan>>> = LazyLock::new(|| {
    let text = std::env::var("WEBSTRATA_FAULTS").unwrap_or_default();
    // a plan that does not parse must not pass for "no faults": the test that gave it would prove nothing
    let plan = Plan::parse(&text).unwrap_or_else(|error| panic!("WEBSTRATA_FAULTS: {error}"));
    RwLock::new(Arc::new(plan))
});

/// Replaces the plan of this process; an empty text takes all faults away.
pub fn set_plan(text: &str) -> Result<()> {
    let plan = Plan::parse(text)?;
    *PLAN
        .write()
        .unwrap_or_else(|poisoned| poisoned.into_inner()) = Arc::new(plan);
    Ok(())
}

fn plan() -> Arc<Plan> {
    let plan = PLAN.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    Arc::clone(&plan)
}

/// What the plan says of writing `length` bytes to `path`.
pub fn on_write(path: &Path, length: usize) -> Verdict {
    plan().on_write(path, length)
}

/// The error number with which this sync must fail, if it must.
pub fn on_sync(path: &Path) -> Option<i32> {
    plan().on_sync(path)
}

/// Passes a named point; a plan can make the process die here as if the power had gone.
pub fn crash_point(name: &str) {
    if plan().is_crash(name) {
        die();
    }
}

/// Ends the process as `kill -9` does: no destructor, no flush, no exit handler.
pub fn die() -> ! {
    // SAFETY: both calls take no pointers and have no preconditions.
    unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
        libc::_exit(137)
    }
}

impl Plan {
    fn parse(text: &str) -> Result<Self> {
        let rules = text
            .split(';')
            .map(str::trim)
            .filter(|rule| !rule.is_empty())
            .map(Rule::parse)
            .collect::<Result<_>>()?;
        Ok(Self { rules })
    }

    fn on_write(&self, path: &Path, length: usize) -> Verdict {
        for rule in self.rules.iter().filter(|rule| rule.names(path)) {
            let errno = match rule.kind {
                Kind::NoSpace => libc::ENOSPC,
                Kind::WriteFails | Kind::Torn => libc::EIO,
                Kind::SyncFails | Kind::Crash => continue,
            };
            let before = rule.seen.fetch_add(length as u64, Ordering::Relaxed);
            if before + length as u64 <= rule.after {
                continue;
            }
            if rule.kind == Kind::Torn {
                let keep = rule.after.saturating_sub(before) as usize;
                return Verdict::Tear { keep };
            }
            return Verdict::Fail(errno);
        }
        Verdict::Pass
    }

    fn on_sync(&self, path: &Path) -> Option<i32> {
        self.rules
            .iter()
            .filter(|rule| rule.kind == Kind::SyncFails && rule.names(path))
            .find(|rule| rule.seen.fetch_add(1, Ordering::Relaxed) >= rule.after)
            .map(|_| libc::EIO)
    }

    fn is_crash(&self, name: &str) -> bool {
        self.rules
            .iter()
            .filter(|rule| rule.kind == Kind::Crash)
            .filter(|rule| rule.point.as_deref().is_none_or(|point| point == name))
            .any(|rule| rule.seen.fetch_add(1, Ordering::Relaxed) == rule.after)
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self> {
        let refuse = |what: &str| {
            CollectionError::FaultPlan(format!(
                "fault rule `{text}`: {what}; a rule is no-space, write-fails, torn, sync-fails or crash, \
                 then path=GLOB, at=POINT, after=NUMBER"
            ))
        };
        let mut words = text.split_whitespace();
        let kind = match words.next().unwrap_or_default() {
            "no-space" => Kind::NoSpace,
            "write-fails" => Kind::WriteFails,
            "torn" => Kind::Torn,
            "sync-fails" => Kind::SyncFails,
            "crash" => Kind::Crash,
            other => return Err(refuse(&format!("`{other}` is no kind of fault"))),
        };
        let mut rule = Self {
            kind,
            path: None,
            point: None,
            after: 0,
            seen: AtomicU64::new(0),
        };
        for word in words {
            match word.split_once('=') {
                Some(("path", glob)) if kind != Kind::Crash => rule.path = Some(glob.to_owned()),
                Some(("at", point)) if kind == Kind::Crash => rule.point = Some(point.to_owned()),
                Some(("after", number)) => {
                    rule.after = number
                        .parse()
                        .map_err(|_| refuse(&format!("`{number}` is no number")))?;
                }
                _ => return Err(refuse(&format!("`{word}` is not understood here"))),
            }
        }
        Ok(rule)
    }

    fn names(&self, path: &Path) -> bool {
        self.path
            .as_deref()
            .is_none_or(|glob| matches_glob(glob, &path.to_string_lossy()))
    }
}

/// Whether `text` is `glob` with each `*` replaced by some text.
fn matches_glob(glob: &str, text: &str) -> bool {
    let Some((first, rest)) = glob.split_once('*') else {
        return glob == text;
    };
    let Some(mut tail) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match tail.find(piece) {
            Some(place) => tail = &tail[place + piece.len()..],
            None => return false,
        }
    }
    tail.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_paths() {
        for (glob, text, expected) in [
            ("*.graph", "a/b.graph", true),
            ("*.graph", "a/b.graphs", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxc", false),
            ("ab*ba", "aba", false),
            ("same", "same", true),
        ] {
            assert_eq!(matches_glob(glob, text), expected, "{glob} {text}");
        }
    }

    #[test]
    fn space_ends_after_the_stated_bytes() {
        let plan = Plan::parse("no-space path=*.x after=10").unwrap();
        assert_eq!(plan.on_write(Path::new("a.x"), 10), Verdict::Pass);
        assert_eq!(plan.on_write(Path::new("a.y"), 99), Verdict::Pass);
        assert_eq!(
            plan.on_write(Path::new("a.x"), 1),
            Verdict::Fail(libc::ENOSPC)
        );
    }

    #[test]
    fn a_torn_write_keeps_what_was_promised() {
        let plan = Plan::parse("torn after=4").unwrap();
        assert_eq!(plan.on_write(Path::new("a"), 7), Verdict::Tear { keep: 4 });
    }

    #[test]
    fn a_crash_comes_at_the_pass_it_was_ordered_for() {
        let plan = Plan::parse("crash at=here after=1; sync-fails after=1").unwrap();
        let passes = ["here", "there", "here", "here"].map(|name| plan.is_crash(name));
        assert_eq!(passes, [false, false, true, false]);
        assert_eq!(plan.on_sync(Path::new("a")), None);
        assert_eq!(plan.on_sync(Path::new("a")), Some(libc::EIO));
    }

    #[test]
    fn a_plan_that_is_not_understood_is_refused() {
        for text in [
            "flood",
            "torn at=here",
            "crash path=x",
            "no-space after=much",
        ] {
            let error = Plan::parse(text).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}
