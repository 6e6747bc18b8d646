//! HTTP/1.1 as a crawler speaks it.
