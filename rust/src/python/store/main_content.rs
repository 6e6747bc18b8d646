//! `webstrata._core.store.ContentRules`.

use crate::store::main_content::{Kind, Rules, read_tree};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};

#[pyclass(module = "webstrata._core.store", frozen)]
pub struct ContentRules(Rules);

/// Parents, tags, noise and marks of elements; of blocks nodes, texts and characters in links.
type Found = (
    Vec<i64>,
    Vec<String>,
    Vec<u32>,
    Vec<u32>,
    Vec<usize>,
    Vec<String>,
    Vec<usize>,
);

#[pymethods]
impl ContentRules {
    #[new]
    #[pyo3(signature = (*, kinds, noise, closes, words, prefixes, phrases, main, roles))]
    #[allow(clippy::too_many_arguments)] // as Python calls it
    fn new(
        kinds: HashMap<String, String>,
        noise: HashMap<String, u8>,
        closes: HashMap<String, Vec<String>>,
        words: HashMap<String, u8>,
        prefixes: Vec<(String, u8)>,
        phrases: HashMap<String, u8>,
        main: Vec<(String, String)>,
        roles: HashSet<String>,
    ) -> PyResult<Self> {
        let mut rules = Rules {
            closes: closes.into_iter().collect(),
            words: words.into_iter().collect(),
            prefixes,
            phrases: phrases.into_iter().collect(),
            main,
            roles: roles.into_iter().collect(),
            ..Rules::default()
        };
        for (name, kind) in kinds {
            let kind = match &*kind {
                "raw" => Kind::Raw,
                "hidden" => Kind::Hidden,
                "void" => Kind::Void,
                "inline" => Kind::Inline,
                "plain" => Kind::Plain,
                _ => return Err(PyValueError::new_err(format!("kinds: {kind:?} is none"))),
            };
            rules.kinds.insert(name, kind);
        }
        let levels = noise.into_iter();
        rules
            .kinds
            .extend(levels.map(|(name, level)| (name, Kind::Noise(level))));
        Ok(Self(rules))
    }

    fn read_tree(&self, py: Python<'_>, page: &str) -> Found {
        let tree = py.detach(|| read_tree(page, &self.0));
        let (mut nodes, mut texts, mut linked) = (vec![], vec![], vec![]);
        for block in tree.blocks {
            nodes.push(block.node);
            texts.push(block.text);
            linked.push(block.linked);
        }
        let widen = |levels: Vec<u8>| levels.into_iter().map(u32::from).collect();
        (
            tree.parents,
            tree.tags,
            widen(tree.noise),
            widen(tree.marks),
            nodes,
            texts,
            linked,
        )
    }
}
