//! Answers on the wire, each in its manner. What cannot be written within some patience ends the connection.

use super::respond::{Manner, Reply};
use std::io::IoSlice;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};

/// How long a client may be idle, or take to read a piece of what it asked for.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long a stalling server says nothing.
const STALL: Duration = Duration::from_secs(300);
/// With a bandwidth, an answer goes out in pieces of this size.
const PIECE: usize = 8 << 10;

/// How to send an answer.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    pub keep_alive: bool,
    /// Whether only the head was asked for.
    pub is_head: bool,
    /// Bytes per second; 0 for no limit.
    pub bandwidth: f64,
}

/// Sends an answer and counts in `sent` the bytes of the body that are out; whether the answer is complete.
pub async fn send<S>(stream: &mut S, reply: Reply, wire: Wire, sent: &mut u64) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    if reply.manner == Manner::Hangup {
        return false;
    }
    let mut head = reply.head;
    head.extend_from_slice(if wire.keep_alive {
        b"Connection: keep-alive\r\n\r\n"
    } else {
        b"Connection: close\r\n\r\n"
    });
    if wire.is_head {
        return write(stream, &head).await;
    }
    let body = &*reply.body;
    match reply.manner {
        Manner::Hangup => false,
        Manner::Plain | Manner::Close if wire.bandwidth <= 0.0 => {
            write_both(stream, &head, body, sent).await
        }
        Manner::Plain | Manner::Close => {
            let mut complete = write(stream, &head).await;
            for piece in body.chunks(PIECE) {
                complete = complete && write_counted(stream, piece, sent).await;
                if !complete {
                    break;
                }
                sleep(Duration::from_secs_f64(piece.len() as f64 / wire.bandwidth)).await;
            }
            complete
        }
        Manner::Stall | Manner::Die => {
            write_both(stream, &head, &body[..body.len() / 2], sent).await;
            if reply.manner == Manner::Stall {
                // a client that gives up is gone at once, not when the server would have spoken
                let _ = timeout(STALL, stream.read(&mut [0])).await;
            }
            false
        }
        Manner::Repeat(length) => {
            let mut complete = write(stream, &head).await;
            while complete && *sent < length {
                let left = usize::try_from(length - *sent).unwrap_or(usize::MAX);
                complete = write_counted(stream, &body[..body.len().min(left)], sent).await;
            }
            complete
        }
        Manner::Endless => {
            let mut chunk = format!("{:x}\r\n", body.len()).into_bytes();
            chunk.extend_from_slice(body);
            chunk.extend_from_slice(b"\r\n");
            if write(stream, &head).await {
                while write(stream, &chunk).await {
                    *sent += body.len() as u64;
                }
            }
            false
        }
    }
}

/// Sends head and body in one go, without copying them together.
async fn write_both<S>(stream: &mut S, head: &[u8], body: &[u8], sent: &mut u64) -> bool
where
    S: AsyncWrite + Unpin,
{
    let parts = [IoSlice::new(head), IoSlice::new(body)];
    let Ok(Ok(out)) = timeout(PATIENCE, stream.write_vectored(&parts)).await else {
        return false;
    };
    let begun = out.saturating_sub(head.len());
    *sent += begun as u64;
    (out >= head.len() || write(stream, &head[out..]).await)
        && (begun == body.len() || write_counted(stream, &body[begun..], sent).await)
}

async fn write_counted<S>(stream: &mut S, bytes: &[u8], sent: &mut u64) -> bool
where
    S: AsyncWrite + Unpin,
{
    let complete = write(stream, bytes).await;
    if complete {
        *sent += bytes.len() as u64;
    }
    complete
}

pub async fn write<S>(stream: &mut S, bytes: &[u8]) -> bool
where
    S: AsyncWrite + Unpin,
{
    matches!(timeout(PATIENCE, stream.write_all(bytes)).await, Ok(Ok(())))
}
