//! `webstrata._core.store.ContentRules`.

use crate::store::main_content::{Finder, Kind, Rules, name_key};
use crate::web::html::{self, Scan, Wants};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use std::collections::HashMap;
use std::sync::Arc;

#[pyclass(module = "webstrata._core.store", frozen)]
pub struct ContentRules(pub Arc<Rules>);

#[pymethods]
impl ContentRules {
    #[new]
    #[pyo3(signature = (*, kinds, words, prefixes, suffixes, phrases, pairs, harmless, visual=false))]
    #[allow(clippy::too_many_arguments)] // as Python calls it
    fn new(
        kinds: HashMap<String, (u8, u8, String)>,
        words: HashMap<String, u8>,
        prefixes: Vec<(String, u8)>,
        suffixes: Vec<(String, u8)>,
        phrases: HashMap<String, u8>,
        pairs: Vec<(String, String, u8)>,
        harmless: String,
        visual: bool,
    ) -> PyResult<Self> {
        let mut rules = Rules {
            words: words.into_iter().collect(),
            prefixes,
            suffixes,
            phrases: phrases.into_iter().collect(),
            pairs,
            harmless,
            is_visual: visual,
            ..Rules::default()
        };
        for (name, (noise, mark, flags)) in kinds {
            let mut kind = Kind {
                noise,
                mark,
                ..Kind::default()
            };
            for flag in flags.split_ascii_whitespace() {
                match flag {
                    "plain" => kind.is_plain = true,
                    "reference" => kind.is_reference = true,
                    "inner" => kind.is_inner = true,
                    "title" => kind.is_title = true,
                    "grid" => kind.is_grid = true,
                    "table" => kind.is_table = true,
                    "row" => kind.is_row = true,
                    "cell" => kind.is_cell = true,
                    "head" => kind.is_head = true,
                    "frame" => kind.is_frame = true,
                    _ => {
                        return Err(PyValueError::new_err(format!(
                            "kinds: unknown flag {flag:?}"
                        )));
                    }
                }
            }
            rules.kinds.insert(name_key(&name), kind);
        }
        Ok(Self(Arc::new(rules)))
    }

    /// How surely what an element says of itself is noise, and what it says that it holds.
    fn judge(&self, names: &str) -> (u8, u8) {
        self.0.judge(names.as_bytes())
    }

    /// The text of a page, where main content begins and ends in it, and whether all of it stands in.
    #[pyo3(signature = (body, label))]
    fn find(
        &self,
        py: Python<'_>,
        body: PyBackedBytes,
        label: Option<PyBackedStr>,
    ) -> (String, Vec<u32>, bool) {
        py.detach(|| {
            let wants = Wants {
                no_fingerprint: true,
                anchors: true,
                text: true,
                ..Wants::default()
            };
            let mut scan = Scan::default();
            html::scan(&body, label.as_deref(), &wants, &mut scan);
            let (places, is_fallback) =
                Finder::default().find(&scan.outline, &self.0, scan.text.len());
            let places = places
                .into_iter()
                .flat_map(|(begin, end)| [begin, end])
                .collect();
            (scan.text, places, is_fallback)
        })
    }
}
