//! Runs a kernel beside the interpreter: progress goes out, Ctrl-C and cancellation come in.

use crate::collection::progress::Meter;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(50);

/// Runs `kernel` on a thread of its own without the interpreter lock. Meanwhile the calling thread hands what the
/// meter counted to `callback` every 50 ms (0 too, so that the callback can cancel by raising) and looks for signals;
/// whatever is raised stops the kernel and comes out of here.
pub fn supervise<T, E>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    kernel: impl FnOnce(&Meter) -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: Send + Into<PyErr>,
{
    let callback = callback.map(|function| function.clone().unbind());
    let meter = Meter::new();
    let meter = &meter;
    let mut reported = 0;
    let mut report = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let done = meter.done();
        if let Some(function) = &callback {
            function.call1(py, (done - reported,))?;
        }
        reported = done;
        Ok(())
    };
    py.detach(|| {
        std::thread::scope(|scope| {
            let (finished, wait) = sync_channel(1);
            scope.spawn(move || {
                let _ = finished.send(kernel(meter));
            });
            loop {
                match wait.recv_timeout(PERIOD) {
                    Ok(outcome) => {
                        let value = outcome.map_err(Into::into)?;
                        Python::attach(&mut report)?;
                        return Ok(value);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(raised) = Python::attach(&mut report) {
                            meter.cancel();
                            let _ = wait.recv();
                            return Err(raised);
                        }
                    }
                    // the kernel panicked: leaving the scope passes the panic on
                    Err(RecvTimeoutError::Disconnected) => {
                        panic!("a kernel ended without a result")
                    }
                }
            }
        })
    })
}

/// Lists that are read in less time than anybody waits for.
const FEW: usize = 1 << 10;

/// The same for so many lists; few of them are read right here, since a thread would cost as much as they do.
pub fn supervise_batch<T, E>(
    py: Python<'_>,
    length: usize,
    callback: Option<&Bound<'_, PyAny>>,
    kernel: impl FnOnce(&Meter) -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: Send + Into<PyErr>,
{
    if length > FEW {
        return supervise(py, callback, kernel);
    }
    let value = py.detach(|| kernel(&Meter::new())).map_err(Into::into)?;
    if let Some(function) = callback {
        function.call1((length,))?;
    }
    Ok(value)
}
