//! Regular expressions of strangers, which match in linear time.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use regex::{Regex, RegexBuilder};

/// Bytes of a compiled expression at most.
const MAX_SIZE: usize = 1 << 20;

#[pyclass(frozen, module = "webstrata._core.archive")]
pub struct Pattern(Regex);

#[pymethods]
impl Pattern {
    #[new]
    fn new(pattern: &str) -> PyResult<Self> {
        let compile = |text: &str| {
            RegexBuilder::new(text)
                .size_limit(MAX_SIZE)
                .build()
                .map_err(|error| {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    PyValueError::new_err(last.trim_start_matches("error: ").to_owned())
                })
        };
        // alone it must be whole; within the group a parenthesis could close that
        compile(pattern)?;
        Ok(Self(compile(&format!("^(?:{pattern})"))?))
    }

    /// Whether the beginning of a text matches.
    fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}
