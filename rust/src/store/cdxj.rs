//! CDXJ lines.
