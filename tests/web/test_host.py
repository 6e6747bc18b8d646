"""Registered domains by the public suffix list, and by its own cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.host import public_suffix, registered_domain
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path

CASE = re.compile(r"^checkPublicSuffix\('(.*)', (?:null|'(.*)')\);", re.MULTILINE)


def test_all_cases_of_the_list_pass(test_data: Path) -> None:
    cases = CASE.findall((test_data / "psl" / "test_psl.txt").read_text("utf-8"))
    assert len(cases) == 77  # and one without a name
    for host, domain in cases:
        assert registered_domain(host) == (domain or None), host


def test_names_in_ascii_have_the_same_domain(test_data: Path) -> None:
    for host, domain in CASE.findall((test_data / "psl" / "test_psl.txt").read_text("utf-8")):
        if domain and host[0] != ".":
            ascii_host, ascii_domain = (normalize(f"http://{name}")[7:-1] for name in (host, domain))
            assert registered_domain(ascii_host) == ascii_domain


def test_nearly_all_rules_of_the_list_are_in_the_core(test_data: Path) -> None:
    # the list in the core is newer or older than that of the test data by some months
    lines = (test_data / "psl" / "public_suffix_list.dat").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith(("//", "*", "!"))]
    known = sum(public_suffix(f"a.b.{rule}") in (rule, f"b.{rule}") for rule in rules)
    assert len(rules) > 9000
    assert known / len(rules) > 0.98


@pytest.mark.parametrize("host", ["192.0.2.1", "[2001:db8::1]", "2001:db8::1", "", ".", "a..b", ".org"])
def test_what_is_no_name_has_no_domain(host: str) -> None:
    assert registered_domain(host) is None
    assert public_suffix(host) is None


def test_a_private_suffix_counts() -> None:
    assert registered_domain("a.alice.github.io") == "alice.github.io"
    assert public_suffix("github.io") == "github.io"


def test_the_dot_of_the_root_is_not_part_of_a_domain() -> None:
    assert registered_domain("www.example.org.") == "example.org"
    assert public_suffix("www.example.org.") == "org"


@given(
    st.one_of(
        st.text(max_size=20), st.from_regex(r"([a-z0-9-]{1,5}\.){0,4}(uk|co\.uk|ck|jp|xx)", fullmatch=True)
    )
)
def test_a_domain_is_one_label_and_a_suffix(host: str) -> None:
    domain, suffix = registered_domain(host), public_suffix(host)
    if domain is not None and suffix is not None:
        assert domain.partition(".")[2] == suffix
        assert registered_domain(domain) == domain
        assert host.lower().removesuffix(".").endswith(domain)
    else:
        assert domain is None
