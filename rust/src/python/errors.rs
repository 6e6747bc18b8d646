//! From the error enum of each room to the exceptions of `webstrata.errors`; the only place that does.

use crate::collection::CollectionError;
use crate::crawl::CrawlError;
use crate::graph::GraphError;
use crate::invitro::InvitroError;
use crate::search::SearchError;
use crate::summaries::SummariesError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;

impl From<CollectionError> for PyErr {
    fn from(error: CollectionError) -> Self {
        let class = match &error {
            CollectionError::DiskFull { .. } => "DiskFullError",
            CollectionError::Access { .. } => "AccessError",
            CollectionError::Missing { .. } => "MissingError",
            CollectionError::Storage { .. } => "StorageError",
            CollectionError::FaultPlan(message) => return PyValueError::new_err(message.clone()),
            CollectionError::Interrupted => return PyKeyboardInterrupt::new_err(()),
        };
        webstrata_error(class, &error.to_string())
    }
}

impl From<CrawlError> for PyErr {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::Collection(error) => error.into(),
            CrawlError::Setting(_) => webstrata_error("SettingError", &error.to_string()),
            CrawlError::Callback | CrawlError::Internal(_) => {
                webstrata_error("WebstrataError", &error.to_string())
            }
        }
    }
}

impl From<GraphError> for PyErr {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Collection(error) => error.into(),
            GraphError::Arrays(message) => PyValueError::new_err(message),
            GraphError::Format(message) => webstrata_error("FormatError", &message),
        }
    }
}

impl From<SearchError> for PyErr {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Collection(error) => error.into(),
            SearchError::Arguments(message) => PyValueError::new_err(message),
            SearchError::Damaged { ref folder, .. } => {
                damaged_part(&error.to_string(), folder, "text_index")
            }
        }
    }
}

impl From<InvitroError> for PyErr {
    fn from(error: InvitroError) -> Self {
        let class = match error {
            InvitroError::Collection(error) => return error.into(),
            InvitroError::Spec(_) => "SettingError",
            InvitroError::Internal(_) => "WebstrataError",
            InvitroError::Input(_) => "FormatError",
            InvitroError::Address { .. } => "UsageError",
        };
        webstrata_error(class, &error.to_string())
    }
}

impl From<SummariesError> for PyErr {
    fn from(error: SummariesError) -> Self {
        match error {
            SummariesError::Collection(error) => error.into(),
            SummariesError::Arrays(message) => PyValueError::new_err(message),
            SummariesError::Damaged(_) | SummariesError::Format(_) => {
                webstrata_error("FormatError", &error.to_string())
            }
        }
    }
}

fn webstrata_error(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let raised = py
            .import("webstrata.errors")
            .and_then(|errors| errors.getattr(class)?.call1((message,)));
        match raised {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

/// A `FormatError` with the action that builds again the part that a path lies in.
fn damaged_part(message: &str, path: &Path, part: &str) -> PyErr {
    Python::attach(|py| {
        let raised = (|| {
            let path = py.import("pathlib")?.getattr("Path")?.call1((path,))?;
            let action = py.import("webstrata.collection.action")?;
            let named = PyDict::new(py);
            named.set_item("fix", action.getattr("rebuild")?.call1((path, part))?)?;
            let class = py.import("webstrata.errors")?.getattr("FormatError")?;
            class.call((message,), Some(&named))
        })();
        match raised {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}
