"""Normal forms: the standard's own cases, those of two crawlers' libraries, and anything at all."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webstrata._core import web as core
from webstrata.crawl.seeds import read_seeds
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UrlError
from webstrata.web.url import MAX_LENGTH, Reject, normalize, normalize_many, split

if TYPE_CHECKING:
    from collections.abc import Callable

WEB = ("http://", "https://")

# characters that mean something, and pieces of URLs
PIECES = st.sampled_from(
    [
        *"/\\.%?#@:[]{|^`'(),&=;+~_*!$\"<> \t\n\0\x7f\ud800\ufffd\u00ad\u2028",
        "http:",
        "https:",
        "HTTP:",
        "ftp:",
        "mailto:",
        "//",
        "..",
        "%2e",
        "%2E%2f",
        "%4",
        "%c3%bc",
        ":80",
        ":443",
        ":8080",
        ":x",
        "[::1]",
        "a",
        "b-c",
        "EXAMPLE.org",
        "bücher.de",
        "xn--bcher-kva",
        "1.2.3.4",
        "0x7f.1",
        "é",
        "日本",
    ]
)
REFERENCES = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(), max_size=10),
    st.binary(max_size=40).map(lambda data: data.decode("latin-1")),
    st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.lists(PIECES, max_size=10).map("".join),
    st.tuples(st.sampled_from(WEB), st.lists(PIECES, min_size=1, max_size=8).map("".join)).map("".join),
)
BASES = st.one_of(st.none(), st.just("http://example.org/a/b?c#d"), REFERENCES)


def attempt(url: str, base: str | None = None) -> str | Reject:
    found, rejects = normalize_many([url], base)
    return rejects[0] if found[0] is None else found[0]


def load_cases(path: Path) -> list[dict[str, Any]]:
    return [case for case in json.loads(path.read_text("utf-8")) if isinstance(case, dict)]


def load_rows(path: Path) -> list[list[str]]:
    lines = [line for line in path.read_text("utf-8").split("\n") if line.strip() and line[0] != "#"]
    return [[cell.strip() for cell in row] for row in csv.reader(lines, skipinitialspace=True)]


# ---- the standard

BEYOND_THE_STANDARD: dict[str, Callable[[str], str]] = {
    "fragment dropped": lambda url: url.partition("#")[0],
    "percent that begins no escape": lambda url: re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", url),
    "escapes in upper case": lambda url: re.sub(r"%[0-9A-Fa-f]{2}", lambda found: found[0].upper(), url),
    "not in RFC 3986": lambda url: escape_illegal(url),
}


def escape_illegal(url: str) -> str:
    origin, target = split(url)
    return origin + re.sub(r"[^\w.~!$&'()*+,;=:@/?%-]", lambda found: f"%{ord(found[0]):02X}", target)


def choices(href: str) -> tuple[str, tuple[str, ...]]:
    """What we make of the standard's result, in plain Python, and which rules changed it."""
    reasons = []
    for reason, change in BEYOND_THE_STANDARD.items():
        changed = change(href)
        if changed != href:
            reasons.append(reason)
        href = changed
    return href, tuple(reasons)


def differ_from_the_standard(cases: list[dict[str, Any]]) -> Counter[tuple[str, ...] | str]:
    """How often we agree, and why we do not; asserts that there is no other difference."""
    differences: Counter[tuple[str, ...] | str] = Counter()
    for case in cases:
        ours, href = attempt(case["input"], case["base"]), case.get("href")
        if href is None:
            assert isinstance(ours, Reject), case
            differences[f"both reject: {ours}"] += 1
        elif not href.startswith(WEB):
            assert ours is Reject.SCHEME, case
            differences["other scheme"] += 1
        elif case["username"] or case["password"]:
            assert ours is Reject.CREDENTIALS, case
            differences["credentials"] += 1
        elif re.search(r"[^a-z0-9._-]", case["hostname"]) and case["hostname"][0] != "[":
            assert ours is Reject.HOST, case
            differences["no name of a host"] += 1
        else:
            expected, reasons = choices(href)
            assert ours == expected, case
            differences[reasons or "equal"] += 1
    return differences


def test_all_cases_of_the_standard_agree_or_differ_by_choice(test_data: Path) -> None:
    cases = load_cases(test_data / "url" / "urltestdata.json")
    differences = differ_from_the_standard(cases)
    assert differences == {
        "equal": 175,
        "other scheme": 377,
        "both reject: host": 170,
        "both reject: scheme": 61,
        "both reject: no host": 17,
        "both reject: port": 11,
        "both reject: relative": 8,
        ("fragment dropped",): 27,
        "credentials": 31,
        "no name of a host": 1,
        ("not in RFC 3986",): 2,
        ("escapes in upper case",): 5,
        ("percent that begins no escape",): 5,
        ("percent that begins no escape", "escapes in upper case"): 1,
    }
    assert sum(differences.values()) == len(cases) == 891


def test_cases_of_crawler_commons_copied_from_the_standard_agree_too(test_data: Path) -> None:
    cases = load_cases(test_data / "url" / "crawler-commons" / "url-utils" / "wpt-urltestdata.json")
    assert sum(differ_from_the_standard(cases).values()) == len(cases)


@pytest.mark.parametrize("name", ["IdnaTestV2", "toascii"])
def test_names_become_ascii_as_the_standard_says(test_data: Path, name: str) -> None:
    verdicts: Counter[str] = Counter()
    for case in load_cases(test_data / "url" / f"{name}.json"):
        ours, ascii_name = attempt(f"https://{case['input']}/x"), case["output"]
        if not ascii_name:
            # without a name the path gives one: https:///x is https://x/
            assert ours == (Reject.HOST if case["input"] else "https://x/"), case
            verdicts["none"] += 1
        elif re.search(r"[^a-z0-9._-]", ascii_name):
            assert ours is Reject.HOST, case
            verdicts["no name of a host"] += 1
        else:
            assert ours == f"https://{ascii_name}/x", case
            verdicts["equal"] += 1
    expected = {
        "IdnaTestV2": {"equal": 1529, "none": 1118, "no name of a host": 24},
        "toascii": {"equal": 67, "none": 19, "no name of a host": 1},
    }
    assert verdicts == expected[name]


# ---- libraries of crawlers

THEIR_FOLDS: dict[str, Callable[[str], str]] = {
    "fragments kept": lambda url: url.partition("#")[0],
    "escapes kept as written": lambda url: re.sub(r"%[0-9A-Fa-f]{2}", lambda found: found[0].upper(), url),
    "slashes merged": lambda url: re.sub(r"(?<!:)/+", "/", url),
    "dots trimmed off hosts": lambda url: re.sub(r"^(https?://[^/]*?)\.+(?=/)", r"\1", url),
    "hosts of dots alone are 0.0.0.0": lambda url: re.sub(
        r"^http://(\.+|0\.0\.0\.0)(?=/)", "http://0.0.0.0", url
    ),
    "empty query dropped": lambda url: url.removesuffix("?"),
    "query sorted, empty values dropped": lambda url: fold_query(url),
    "stray percents kept": lambda url: re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", url),
    "escapes decoded": lambda url: fold_escapes(url),
    "bytes that are no UTF-8 kept": lambda url: url.replace("%C2%91", "%91"),
}


def fold_query(url: str) -> str:
    path, mark, query = url.partition("?")
    fields = (field.removesuffix("=") for field in query.split("&"))
    return path + mark + "&".join(sorted(field for field in fields if field and field[0] != "="))


def fold_escapes(url: str) -> str:
    while (decoded := unquote(url, "latin-1")) != url:
        url = decoded
    return url


def explain(ours: str | Reject, theirs: str) -> str:
    """The fewest of their choices that account for the difference."""
    if isinstance(ours, Reject):
        return f"rejected: {ours}"
    for number in range(4):
        for reasons in itertools.combinations(THEIR_FOLDS, number):
            folded = [ours, theirs]
            for reason in reasons:
                folded = [THEIR_FOLDS[reason](url) for url in folded]
            if folded[0] == folded[1]:
                return " + ".join(reasons) or "equal"
    pytest.fail(f"{theirs} of theirs is {ours} of ours")


def test_crawler_commons_differs_where_it_changes_what_a_url_names(test_data: Path) -> None:
    folder = test_data / "url" / "crawler-commons" / "normalizer"
    rows = load_rows(folder / "weirdToNormalizedUrls.csv")
    assert Counter(explain(attempt(weird), normal) for weird, normal in rows) == {
        "equal": 72,
        "query sorted, empty values dropped": 11,
        "escapes decoded": 10,
        "slashes merged": 6,
        "rejected: scheme": 6,
        "empty query dropped": 3,
        "rejected: no host": 2,
        "rejected: relative": 1,
        "dots trimmed off hosts": 1,
    }
    for row in load_rows(folder / "invalidUrls.csv"):
        assert attempt(row[0]) is Reject.HOST


def test_references_resolve_as_in_crawler_commons(test_data: Path) -> None:
    rows = load_rows(test_data / "url" / "crawler-commons" / "url-utils" / "url-resolve.csv")
    assert Counter(explain(attempt(reference, base or None), url) for reference, base, url in rows) == {
        "equal": 17,
        "escapes kept as written": 2,
        "rejected: credentials": 1,
        "rejected: scheme": 1,
        "fragments kept": 1,
    }


def load_urlcanon(test_data: Path, name: str) -> dict[str, Any]:
    cases: dict[str, Any] = json.loads((test_data / "url" / "urlcanon" / f"{name}.json").read_text("utf-8"))
    return cases


def as_text(url: str) -> str:
    """A URL of urlcanon's files, which hold bytes as Latin-1."""
    try:
        return url.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return url


@pytest.mark.parametrize("name", ["supplemental_whatwg", "semantic_precise"])
def test_urlcanon_differs_where_it_decodes_and_sorts(test_data: Path, name: str) -> None:
    cases = load_urlcanon(test_data, name)
    expected: dict[str, dict[str, int]] = {
        "supplemental_whatwg": {
            "equal": 46,
            "rejected: scheme": 41,
            "hosts of dots alone are 0.0.0.0": 12,
            "rejected: host": 5,
            "stray percents kept": 5,
            "rejected: credentials": 3,
            "fragments kept": 2,
            "escapes kept as written": 2,
            "rejected: relative": 2,
        },
        "semantic_precise": {
            "rejected: scheme": 118,
            "equal": 75,
            "escapes decoded": 34,
            "rejected: credentials": 15,
            "hosts of dots alone are 0.0.0.0": 12,
            "rejected: host": 8,
            "fragments kept": 7,
            "rejected: relative": 3,
            "slashes merged": 3,
            "query sorted, empty values dropped": 3,
            "bytes that are no UTF-8 kept": 1,
            "dots trimmed off hosts": 1,
        },
    }
    found = Counter(explain(attempt(as_text(url)), theirs) for url, theirs in cases.items())
    assert found == expected[name]


def test_urlcanon_reads_odd_ipv4_addresses_as_we_do(test_data: Path) -> None:
    cases = load_urlcanon(test_data, "funky_ipv4")
    different = {
        host
        for host, address in cases.items()
        if attempt(f"http://{host}/") != (f"http://{address}/" if address else Reject.HOST)
    }
    assert different == {"0000xa"}, "no number for the standard either, so a name"


def test_urlcanon_removes_dots_as_we_do_but_keeps_backslashes(test_data: Path) -> None:
    cases = load_urlcanon(test_data, "path_dots")["special"]
    assert len(cases) == 376
    for path, theirs in cases.items():
        assert normalize(f"http://a{path}") == "http://a" + theirs.replace("\\", "/")


# ---- anything at all


@settings(max_examples=1000)
@given(REFERENCES, BASES)
@example("http://a/%%32%65/", None)
@example("//[::1]/[", "https://b/")
def test_any_text_has_a_normal_form_that_stays_or_a_reason(reference: str, base: str | None) -> None:
    found = attempt(reference, base)
    if isinstance(found, Reject):
        return
    assert normalize(found) == found
    assert normalize(found, base="https://elsewhere.example/x") == found
    assert re.fullmatch(
        r"https?://(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:[0-9]+)?/([\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*",
        found,
        re.ASCII,
    )
    origin, target = split(found)
    assert origin + target == found
    assert target.startswith("/")


@given(st.lists(REFERENCES, max_size=8), BASES)
def test_many_at_once_are_as_one_by_one(references: list[str], base: str | None) -> None:
    found, rejects = normalize_many(references, base)
    assert [attempt(reference, base) for reference in references] == [
        rejects.get(place, url) for place, url in enumerate(found)
    ]


@pytest.mark.parametrize(
    ("url", "base", "reason"),
    [
        ("mailto:me@example.org", None, Reject.SCHEME),
        ("data:," + "x" * 3_000_000, None, Reject.SCHEME),
        ("a", "about:blank", Reject.SCHEME),
        ("a", None, Reject.RELATIVE),
        ("a", "no base", Reject.RELATIVE),
        ("", None, Reject.RELATIVE),
        ("http:///", None, Reject.NO_HOST),
        ("http://:80/", None, Reject.NO_HOST),
        ("http://a b/", None, Reject.HOST),
        ("http://a,b/", None, Reject.HOST),
        ("http://[::g]/", None, Reject.HOST),
        ("http://256.1.1.1/", None, Reject.HOST),
        ("http://a:b/", None, Reject.PORT),
        ("//a:65536/", "http://c/", Reject.PORT),
        ("http://me:secret@a/", None, Reject.CREDENTIALS),
        ("http://me@a/", None, Reject.CREDENTIALS),
        ("http://a/" + "x" * MAX_LENGTH, None, Reject.TOO_LONG),
        ("http://a/" + "x" * 3_000_000, None, Reject.TOO_LONG),
    ],
)
def test_a_reject_says_why_in_a_sentence(url: str, base: str | None, reason: Reject) -> None:
    shown = url if reason is not Reject.CREDENTIALS else "http://…@a/"
    with pytest.raises(UrlError, match=re.escape(repr(shown[:20])[:-1])) as raised:
        normalize(url, base)
    assert "secret" not in str(raised.value)
    assert raised.value.reason is reason
    assert len(str(raised.value)) < 250


def test_the_length_is_that_of_the_normal_form() -> None:
    assert normalize("http://a/é", max_length=15) == "http://a/%C3%A9"
    assert normalize("http://a/" + "x/../" * 1000) == "http://a/"
    assert normalize("http://a/#" + "x" * MAX_LENGTH) == "http://a/"
    with pytest.raises(UrlError, match="longer than 14 bytes"):
        normalize("http://a/é", max_length=14)


def test_a_base_that_is_none_does_not_spoil_an_absolute_url() -> None:
    assert normalize("HTTP://a", base="no base") == "http://a/"


def test_empty_credentials_are_none() -> None:
    assert normalize("https://:@example.org") == "https://example.org/"


@pytest.mark.parametrize("host", ["[::1]", "[2001:db8::1]:8080", "127.0.0.1", "example.org:81"])
def test_a_link_on_a_page_of_an_address_stays_there(host: str) -> None:
    assert normalize("/x?y", base=f"http://{host}/a/b") == f"http://{host}/x?y"
    assert normalize("../z", base=f"https://{host}/a/b/c") == f"https://{host}/a/z"


@given(
    host=st.sampled_from(
        ["a.org", "ab--c.org", "xn--a.org", "a-.b", "0x1.org", "a.0x1", "1.2.3.4", "a.1", "a..b", ".", ""]
    ),
    path=st.text(alphabet="/.ab-_~%2e'!$&()*+,;=:@?|", max_size=12),
    is_relative=st.booleans(),
)
def test_links_that_are_spared_the_parser_are_what_it_makes_of_them(
    host: str, path: str, *, is_relative: bool
) -> None:
    reference, base = (path, f"http://{host}/a/b") if is_relative else (f"http://{host}/{path}", None)
    # a fragment, which is dropped, sends every reference through the parser
    assert attempt(reference, base) == attempt(f"{reference}#", base)


def test_the_longest_url_is_the_same_for_crawls_seeds_and_the_core() -> None:
    assert MAX_LENGTH == core.MAX_URL_LENGTH == CrawlSettings().max_url_length
    longest = "http://a/" + "x" * (MAX_LENGTH - len("http://a/"))
    assert read_seeds([longest, f"{longest}x"]).urls == [normalize(longest)] == [longest]
    rust = Path(__file__).parents[2] / "rust" / "src"
    numbers = [path.name for path in rust.rglob("*.rs") if re.search(r"normalize\(.*\d{4}", path.read_text())]
    assert not numbers, f"name url::MAX_LENGTH in place of a number: {numbers}"
