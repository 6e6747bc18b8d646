//! Waiting for room: a thread that outlasts a full disk.
//!
//! A thread that has entered a [`Space`] does not see ENOSPC and EDQUOT: its writers wait, try again every so often and
//! when somebody says that there is room, and go on at the byte at which they stood. So no structure behind a writer has
//! to know that a disk can be full. Other threads see the error at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

thread_local! {
    static ENTERED: RefCell<Option<Arc<Space>>> = const { RefCell::new(None) };
}

/// What could not be written.
#[derive(Clone, Debug)]
pub struct Shortage {
    pub path: PathBuf,
    /// Bytes of the write that failed; 0 for a file that could not be made or renamed.
    pub bytes: usize,
    pub since: Instant,
}

#[derive(Debug)]
pub struct Space {
    period: Duration,
    num_waiting: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<ThreadId, Shortage>,
    num_waits: u64,
    num_calls: u64,
    is_given_up: bool,
}

impl Space {
    /// Looks whether there is room every `period`.
    pub fn new(period: Duration) -> Arc<Self> {
        Arc::new(Self {
            period,
            num_waiting: AtomicUsize::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Lets the writers of this thread wait here from now on.
    pub fn enter(self: &Arc<Self>) {
        ENTERED.with(|entered| *entered.borrow_mut() = Some(self.clone()));
    }

    /// What has been waiting longest, if anything is.
    pub fn shortage(&self) -> Option<Shortage> {
        let state = self.lock();
        state.waiting.values().min_by_key(|one| one.since).cloned()
    }

    /// Whether anything is; no lock is taken for it.
    pub fn is_short(&self) -> bool {
        self.num_waiting.load(Ordering::Relaxed) > 0
    }

    /// How often the disk was found full.
    pub fn num_waits(&self) -> u64 {
        self.lock().num_waits
    }

    /// Lets those who wait try at once.
    pub fn look_again(&self) {
        self.lock().num_calls += 1;
        self.changed.notify_all();
    }

    /// Nobody waits any more, now or later: who waits tries once more, and then hears that the disk is full.
    pub fn give_up(&self) {
        self.lock().is_given_up = true;
        self.changed.notify_all();
    }

    /// Waits until it is time to try again, and not at all if there were more calls than are known; false if that is
    /// the last time.
    fn wait(&self, num_calls: &mut u64) -> bool {
        let outcome = self
            .changed
            .wait_timeout_while(self.lock(), self.period, |state| {
                !state.is_given_up && state.num_calls == *num_calls
            });
        match outcome {
            Ok((state, _)) => {
                *num_calls = state.num_calls;
                !state.is_given_up
            }
            Err(_) => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Does `work`, again and again while there is no room for it if this thread has entered a space.
pub fn patiently<T>(
    path: &Path,
    bytes: usize,
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    let mut outcome = work();
    if !is_full(&outcome) {
        return outcome;
    }
    let Some(space) = ENTERED.with(|entered| entered.borrow().clone()) else {
        return outcome;
    };
    let this = std::thread::current().id();
    let shortage = Shortage {
        path: path.to_path_buf(),
        bytes,
        since: Instant::now(),
    };
    // who is called while it tries tries once more
    let mut num_calls = {
        let mut state = space.lock();
        state.num_waits += 1;
        state.waiting.insert(this, shortage);
        state.num_calls
    };
    space.num_waiting.fetch_add(1, Ordering::Relaxed);
    let mut goes_on = true;
    while goes_on && is_full(&outcome) {
        goes_on = space.wait(&mut num_calls);
        outcome = work();
    }
    space.num_waiting.fetch_sub(1, Ordering::Relaxed);
    space.lock().waiting.remove(&this);
    outcome
}

/// Whether room is all that was missing. A file that is too large (EFBIG) gets no smaller by waiting.
fn is_full<T>(outcome: &io::Result<T>) -> bool {
    let errno = outcome.as_ref().err().and_then(io::Error::raw_os_error);
    matches!(errno, Some(libc::ENOSPC | libc::EDQUOT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn full() -> io::Result<()> {
        Err(io::Error::from_raw_os_error(libc::ENOSPC))
    }

    #[test]
    fn who_has_not_entered_hears_at_once() {
        assert!(patiently(Path::new("a"), 1, full).is_err());
    }

    #[test]
    fn who_has_entered_waits_until_there_is_room_or_it_is_given_up() {
        for ends_well in [true, false] {
            let space = Space::new(Duration::from_secs(600));
            let (inner, (told, tries)) = (space.clone(), channel());
            let thread = std::thread::spawn(move || {
                inner.enter();
                let mut count = 0;
                patiently(Path::new("a"), 7, || {
                    count += 1;
                    let _ = told.send(count);
                    if count < 3 || !ends_well {
                        full()
                    } else {
                        Ok(())
                    }
                })
            });
            assert_eq!(tries.recv(), Ok(1));
            while space.shortage().is_none_or(|found| found.bytes != 7) {}
            space.look_again();
            assert_eq!(tries.recv(), Ok(2));
            match ends_well {
                true => space.look_again(),
                false => space.give_up(),
            }
            assert_eq!(thread.join().unwrap().is_ok(), ends_well);
            assert!(space.shortage().is_none());
            assert_eq!(space.num_waits(), 1);
        }
    }
}
