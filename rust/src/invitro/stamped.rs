//! When an answer was out: the moment before its last byte went to the operating system.
//!
//! A client may have read that byte, and be gone, before the server is told that it was taken. Noted after the write, an
//! answer would seem to end later than it did, and a polite client to come too soon; noted before, it never does.

use super::log::now;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that knows when it last took something.
pub struct Stamped<'a, S> {
    stream: &'a mut S,
    /// Microseconds since 1970, just before the last write that took anything; 0 before the first.
    pub last: u64,
}

impl<'a, S> Stamped<'a, S> {
    pub fn new(stream: &'a mut S) -> Self {
        Self { stream, last: 0 }
    }

    fn note(&mut self, before: u64, taken: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(1..)) = taken {
            self.last = before;
        }
        taken
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stamped<'_, S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stamped<'_, S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let before = now();
        let taken = Pin::new(&mut *this.stream).poll_write(context, bytes);
        this.note(before, taken)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let before = now();
        let taken = Pin::new(&mut *this.stream).poll_write_vectored(context, parts);
        this.note(before, taken)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get_mut().stream).poll_shutdown(context)
    }
}
