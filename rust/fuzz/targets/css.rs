#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| webstrata_fuzz::watched(
    webstrata_fuzz::entries::css,
    input
));
