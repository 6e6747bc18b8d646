//! The kernels of webstrata: loops that run per bit, byte, arc, posting or request.
//!
//! One module per room, named as its Python side (`src/webstrata/<room>`). A kernel takes slices, paths and plain
//! numbers, counts its work on a [`collection::progress::Meter`] and stops when the meter says so. Only `python/`
//! knows PyO3; without the feature `python` this is an ordinary Rust library.

#![deny(
    clippy::dbg_macro,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::self_named_module_files,
    clippy::todo,
    clippy::too_many_lines,
    clippy::undocumented_unsafe_blocks,
    clippy::unimplemented,
    clippy::unnecessary_safety_comment,
    clippy::unwrap_used,
    unsafe_op_in_unsafe_fn
)]

/// Buffers of pages are made by one thread and freed by another, thousands a second, which the allocator of the system
/// does at a tenth of a page's cost.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives what was freed back to the system now, rather than when somebody allocates again.
pub fn give_memory_back() {
    // SAFETY: any thread may call it at any time
    unsafe { libmimalloc_sys::mi_collect(true) };
}

pub mod archive;
pub mod bits;
pub mod classify;
pub mod collection;
pub mod crawl;
pub mod graph;
pub mod invitro;
pub mod rank;
pub mod search;
pub mod simulate;
pub mod store;
pub mod summaries;
pub mod temporal;
pub mod web;

#[cfg(feature = "python")]
mod python;
