//! WARC/1.1 records and files.
