//! The door to Python: bindings, nothing but conversion. Each room is a submodule of `webstrata._core`.

mod classify;
mod collection;
mod crawl;
mod errors;
mod graph;
mod graph_structure;
mod graph_write;
mod progress;
mod rank;
mod search;
mod simulate;
mod simulate_crawl;
mod store;
mod summaries;
mod temporal;
mod web;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    add_room(module, "classify", classify::fill)?;
    add_room(module, "collection", collection::fill)?;
    add_room(module, "crawl", crawl::fill)?;
    add_room(module, "graph", graph::fill)?;
    add_room(module, "rank", rank::fill)?;
    add_room(module, "search", search::fill)?;
    add_room(module, "simulate", simulate::fill)?;
    add_room(module, "store", store::fill)?;
    add_room(module, "summaries", summaries::fill)?;
    add_room(module, "temporal", temporal::fill)?;
    add_room(module, "web", web::fill)
}

/// Adds a submodule and enters it in `sys.modules`, so that `import webstrata._core.<name>` works.
fn add_room(
    parent: &Bound<'_, PyModule>,
    name: &str,
    fill: fn(&Bound<'_, PyModule>) -> PyResult<()>,
) -> PyResult<()> {
    let py = parent.py();
    let full_name = format!("webstrata._core.{name}");
    let room = PyModule::new(py, &full_name)?;
    fill(&room)?;
    parent.add(name, &room)?;
    py.import("sys")?
        .getattr("modules")?
        .set_item(full_name, room)
}
