//! Faults on order: what a disk or a power cut can do, done at a chosen moment.
//!
//! A plan is a list of rules separated by `;`, each a kind and its conditions:
//!
//! | rule | what happens |
//! |---|---|
//! | `no-space [path=GLOB] [after=BYTES]` | writes fail with ENOSPC once BYTES have gone into matching files |
//! | `over-quota [path=GLOB] [after=BYTES]` | the same with EDQUOT |
//! | `write-fails [path=GLOB] [after=BYTES]` | the same with EIO |
//! | `torn [path=GLOB] [after=BYTES]` | the write that passes BYTES is cut there, and the process dies (SIGKILL) |
//! | `sync-fails [path=GLOB] [after=N]` | every sync after the first N fails with EIO |
//! | `crash [at=POINT] [after=N]` | the process dies at its (N+1)th pass of POINT, or of any point |
//! | `trace to=FILE [path=GLOB]` | what writers do goes into FILE, a line each, see [`trace`] |
//!
//! GLOB matches the whole path; `*` stands for any text. With `times=N` a rule lets everything pass once it has made N
//! operations fail. A disk that gets full takes what still fits. The plan comes from the environment variable
//! `WEBSTRATA_FAULTS`, so that a test can give it to a child, or from [`set_plan`].

use super::{CollectionError, Result};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NoSpace,
    OverQuota,
    WriteFails,
    Torn,
    SyncFails,
    Crash,
    Trace,
}

#[derive(Debug)]
struct Rule {
    kind: Kind,
    path: Option<String>,
    point: Option<String>,
    to: Option<String>,
    after: u64,
    seen: AtomicU64,
    times: u64,
    failed: AtomicU64,
}

/// What a write may do: go ahead, take only so many bytes, fail with an error number, or write `keep` bytes and die.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Part(usize),
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

/// Notes what a writer did, if the plan traces `path`: `created PATH` (or emptied), `synced PATH LENGTH` (of a folder:
/// its names), `renamed SOURCE TARGET`, words separated by tabs. It is called behind what it tells.
pub fn trace(what: &str, path: &Path, more: impl FnOnce() -> String) {
    let plan = plan();
    let mut rules = plan.rules.iter().filter(|rule| rule.kind == Kind::Trace);
    let Some(to) = rules
        .find(|rule| rule.names(path))
        .and_then(|rule| rule.to.as_ref())
    else {
        return;
    };
    let line = format!("{what}\t{}\t{}\n", path.display(), more());
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(to);
    // a trace with gaps would prove nothing
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("WEBSTRATA_FAULTS: {to}: {error}"));
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
                Kind::OverQuota => libc::EDQUOT,
                Kind::WriteFails | Kind::Torn => libc::EIO,
                Kind::SyncFails | Kind::Crash | Kind::Trace => continue,
            };
            let before = rule.seen.fetch_add(length as u64, Ordering::Relaxed);
            if before + length as u64 <= rule.after {
                continue;
            }
            let keep = rule.after.saturating_sub(before) as usize;
            if rule.kind == Kind::Torn {
                return Verdict::Tear { keep };
            }
            if keep > 0 && errno != libc::EIO {
                return Verdict::Part(keep);
            }
            if rule.is_spent() {
                continue;
            }
            return Verdict::Fail(errno);
        }
        Verdict::Pass
    }

    fn on_sync(&self, path: &Path) -> Option<i32> {
        self.rules
            .iter()
            .filter(|rule| rule.kind == Kind::SyncFails && rule.names(path))
            .find(|rule| {
                rule.seen.fetch_add(1, Ordering::Relaxed) >= rule.after && !rule.is_spent()
            })
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
                "fault rule `{text}`: {what}; a rule is no-space, over-quota, write-fails, torn, sync-fails, crash or \
                 trace, then path=GLOB, at=POINT, to=FILE, after=NUMBER, times=NUMBER"
            ))
        };
        let mut words = text.split_whitespace();
        let kind = match words.next().unwrap_or_default() {
            "no-space" => Kind::NoSpace,
            "over-quota" => Kind::OverQuota,
            "trace" => Kind::Trace,
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
            to: None,
            after: 0,
            seen: AtomicU64::new(0),
            times: u64::MAX,
            failed: AtomicU64::new(0),
        };
        let number = |number: &str| {
            let parsed = number.parse::<u64>();
            parsed.map_err(|_| refuse(&format!("`{number}` is no number")))
        };
        for word in words {
            match word.split_once('=') {
                Some(("path", glob)) if kind != Kind::Crash => rule.path = Some(glob.to_owned()),
                Some(("at", point)) if kind == Kind::Crash => rule.point = Some(point.to_owned()),
                Some(("to", file)) if kind == Kind::Trace => rule.to = Some(file.to_owned()),
                Some(("after", text)) if kind != Kind::Trace => rule.after = number(text)?,
                // who is dead fails once
                Some(("times", text))
                    if !matches!(kind, Kind::Trace | Kind::Crash | Kind::Torn) =>
                {
                    rule.times = number(text)?;
                }
                _ => return Err(refuse(&format!("`{word}` is not understood here"))),
            }
        }
        if kind == Kind::Trace && rule.to.is_none() {
            return Err(refuse("it does not say where to"));
        }
        Ok(rule)
    }

    /// Whether it has failed as often as it should; one more failure is counted.
    fn is_spent(&self) -> bool {
        self.failed.fetch_add(1, Ordering::Relaxed) >= self.times
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
    fn a_disk_takes_what_fits_and_may_have_room_again() {
        let plan = Plan::parse("over-quota after=10 times=2").unwrap();
        let path = Path::new("a");
        assert_eq!(plan.on_write(path, 14), Verdict::Part(10));
        for _ in 0..2 {
            assert_eq!(plan.on_write(path, 4), Verdict::Fail(libc::EDQUOT));
        }
        assert_eq!(plan.on_write(path, 4), Verdict::Pass);
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
            "trace path=x",
            "torn times=3",
            "no-space after=much",
        ] {
            let error = Plan::parse(text).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }
}
