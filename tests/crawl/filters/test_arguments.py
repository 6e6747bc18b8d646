"""Arguments of predicates: what is read, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata._core import crawl as core
from webstrata.crawl.filters import arguments
from webstrata.crawl.filters.arguments import LANGUAGES, write_test

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("read", "argument"),
    [
        (arguments.read_text, ""),
        (arguments.read_host, ""),
        (arguments.read_host, "http://a"),
        (arguments.read_host, "a:80"),
        (arguments.read_host, "a/b"),
        (arguments.read_host, "a b"),
        (arguments.read_host, "me@a"),
        (arguments.read_host, "[::1"),
        (arguments.read_host_suffix, "."),
        (arguments.read_host_suffix, "..uk"),
        (arguments.read_domain, "co.uk"),
        (arguments.read_domain, "www.a.uk"),
        (arguments.read_domain, "192.0.2.1"),
        (arguments.read_url, "/a"),
        (arguments.read_scheme, "ftp"),
        (arguments.read_count, "-1"),
        (arguments.read_count, "1.5"),
        (arguments.read_count, "²"),
        (arguments.read_count, str(2**32)),
        (arguments.read_count, "9" * 5000),
        (arguments.read_times, "1"),
        (arguments.read_status, "99"),
        (arguments.read_status_class, "200"),
        (arguments.read_size, "-1"),
        (arguments.read_size, "1 light year"),
        (arguments.read_size, "99999999999TiB"),
        (arguments.read_score, "nan"),
        (arguments.read_score, "inf"),
        (arguments.read_score, "low"),
        (arguments.read_digest, "abc"),
        (arguments.read_digest, "g" * 40),
        (arguments.read_digest, "sha256:" + "a" * 64),
        (arguments.read_language, "klingon"),
        (arguments.read_url_regex, "(?=a)"),
        (arguments.read_body_regex, "["),
        (arguments.read_dust, "( -> a"),
    ],
)
def test_what_it_cannot_be_is_refused(read: Callable[[str], list[str]], argument: str) -> None:
    with pytest.raises(ValueError, match=r"^(`|the text is empty)"):
        read(argument)


def test_digests_are_read_in_both_spellings() -> None:
    hexadecimal, base32 = "da39a3ee5e6b4b0d3255bfef95601890afd80709", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    for text in (hexadecimal, hexadecimal.upper(), base32, base32.lower(), f"SHA1:{base32}"):
        assert arguments.read_digest(text) == [hexadecimal]


def test_languages_have_one_code_of_each_length_but_norwegian() -> None:
    assert len(LANGUAGES) == 70
    assert all(len(two) == 2 and len(three) == 3 for two, three in LANGUAGES.items())
    assert arguments.read_language("nob") == ["nb", "nob", "no", "nob"]


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), min_size=1, max_size=3))
def test_every_text_gets_through_to_the_core(words: list[str]) -> None:
    endings = core.Filter(write_test("path-suffix", words))
    for word in words:
        plain = "".join(letter for letter in word if letter not in "?")
        url = f"http://h/{plain}"
        expected = any(f"/{plain}".encode().lower().endswith(ending.encode().lower()) for ending in words)
        assert endings.admits_many([url], [], [], [], lambda *_: []).tolist() == [expected]
