//! Links, title and directives of a page, in one pass over its bytes.
