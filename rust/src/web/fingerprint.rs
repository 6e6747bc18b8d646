//! 64 bits that stay when only volatile parts of a page change.
