"""Charsets: html5lib's cases, who outvotes whom, and guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.charset import Charset, CharsetSource, detect

if TYPE_CHECKING:
    from pathlib import Path


def load_cases(path: Path) -> list[tuple[bytes, str]]:
    cases = []
    for block in path.read_bytes().split(b"#data\n")[1:]:
        body, _, rest = block.partition(b"#encoding\n")
        cases.append((body.removesuffix(b"\n"), rest.split(b"\n")[0].decode().lower()))
    return cases


def test_the_cases_of_html5lib_pass_but_for_the_one_that_runs_a_script(test_data: Path) -> None:
    cases = [
        case for path in sorted((test_data / "html/encoding").rglob("*.dat")) for case in load_cases(path)
    ]
    failed = [body for body, expected in cases if detect(body).name.lower() != expected]
    assert len(cases) == 83
    assert len(failed) == 1
    assert b"document.write(" in failed[0]


@pytest.mark.parametrize(
    ("body", "label", "expected"),
    [
        (b"\xef\xbb\xbf<meta charset=koi8-r>", "latin1", Charset("UTF-8", CharsetSource.BOM)),
        (b"\xff\xfea\0", "latin1", Charset("UTF-16LE", CharsetSource.BOM)),
        (b"\xfe\xff\0a", None, Charset("UTF-16BE", CharsetSource.BOM)),
        (b"<meta charset=koi8-r>", "Latin1 ", Charset("windows-1252", CharsetSource.HEADER)),
        (b"<meta charset=koi8-r>", "unheard-of", Charset("KOI8-R", CharsetSource.META)),
        (b"<meta charset=utf-16>", None, Charset("UTF-8", CharsetSource.META)),
        (b"<meta charset=x-user-defined>", None, Charset("windows-1252", CharsetSource.META)),
        (
            b"<meta content='a; charset = \"gbk\"' http-equiv=Content-Type>",
            None,
            Charset("GBK", CharsetSource.META),
        ),
        (b"<meta content='charset=gbk'>", None, Charset("windows-1252", CharsetSource.DEFAULT)),
        (b"<?xml version='1.0' encoding='koi8-r'?><a>", None, Charset("KOI8-R", CharsetSource.META)),
        (
            b"<a '<meta charset=gbk>'><!-- <meta charset=koi8-r> --><meta charset=big5>",
            None,
            Charset("Big5", CharsetSource.META),
        ),
        ("é".encode(), None, Charset("UTF-8", CharsetSource.GUESS)),
        ("aé".encode()[:-1], None, Charset("UTF-8", CharsetSource.GUESS)),
        ("日本語の".encode("iso2022_jp"), None, Charset("ISO-2022-JP", CharsetSource.GUESS)),
        (b"", None, Charset("windows-1252", CharsetSource.DEFAULT)),
    ],
)
def test_mark_outvotes_header_outvotes_declaration_outvotes_guess(
    body: bytes, label: str | None, expected: Charset
) -> None:
    assert detect(body, label=label) == expected


def test_the_domain_is_a_hint_for_the_guess() -> None:
    body = "Größe".encode("latin-1") + b" \xb1\xe6"
    assert detect(body, tld="de").name != detect(body, tld="pl").name


@given(st.binary(max_size=100), st.one_of(st.none(), st.text(max_size=8)), st.text(max_size=8))
def test_any_bytes_have_a_charset(body: bytes, label: str | None, tld: str) -> None:
    found = detect(body, label=label, tld=tld)
    # a body that is UTF-8 and is not declared is never taken for anything else
    if found.source is CharsetSource.GUESS and b"\x1b" not in body:
        try:
            body.decode()
        except UnicodeDecodeError:
            return
        assert found.name == "UTF-8"
