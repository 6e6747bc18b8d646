//! Which charset a page is written in: header, BOM, meta, guess.
