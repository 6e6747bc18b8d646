//! Bindings for Python, nothing but conversion. Each room is a submodule of `webstrata._core`.

mod archive;
mod classify;
mod collection;
mod crawl;
mod errors;
mod graph;
mod invitro;
mod progress;
mod rank;
mod search;
mod simulate;
mod store;
mod summaries;
mod temporal;
#[cfg(feature = "testing")]
mod testing;
mod web;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    add_room(module, "archive", archive::fill)?;
    add_room(module, "classify", classify::fill)?;
    add_room(module, "collection", collection::fill)?;
    add_room(module, "crawl", crawl::fill)?;
    add_room(module, "graph", graph::fill)?;
    add_room(module, "invitro", invitro::fill)?;
    add_room(module, "rank", rank::fill)?;
    add_room(module, "search", search::fill)?;
    add_room(module, "simulate", simulate::fill)?;
    add_room(module, "store", store::fill)?;
    add_room(module, "summaries", summaries::fill)?;
    add_room(module, "temporal", temporal::fill)?;
    // not an attribute, so that the package's stub holds with and without it
    #[cfg(feature = "testing")]
    enter_room(module.py(), "testing", testing::fill)?;
    add_room(module, "web", web::fill)
}

type Fill = fn(&Bound<'_, PyModule>) -> PyResult<()>;

/// Adds a submodule.
fn add_room(parent: &Bound<'_, PyModule>, name: &str, fill: Fill) -> PyResult<()> {
    parent.add(name, enter_room(parent.py(), name, fill)?)
}

/// Makes a submodule and enters it in `sys.modules`, so that `import webstrata._core.<name>` works.
fn enter_room<'py>(py: Python<'py>, name: &str, fill: Fill) -> PyResult<Bound<'py, PyModule>> {
    let full_name = format!("webstrata._core.{name}");
    let room = PyModule::new(py, &full_name)?;
    fill(&room)?;
    py.import("sys")?
        .getattr("modules")?
        .set_item(full_name, &room)?;
    Ok(room)
}
