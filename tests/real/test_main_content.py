"""Main content of real pages: documentation of six projects, and articles with their true text."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from bench.floors import read_floors, require
from bench.frame import digest_tree
from bench.labelled import PARTS, digest_pages, read_articles, read_documentation, read_generators
from webstrata.archive.warc import read_records
from webstrata.store.main_content import extract
from webstrata.store.main_content.dom import find_main, find_places, load_rules
from webstrata.store.main_content.evaluate import count_shingles, evaluate, summarize
from webstrata.web.html import scan
from webstrata.web.outline import scan_outline

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.store.main_content.evaluate import Labelled

pytestmark = pytest.mark.xdist_group("main_content")


@pytest.fixture(scope="module")
def documentation(test_data: Path) -> list[tuple[str, bytes]]:
    file = test_data / "docs" / "docs.warc.gz"
    if not file.is_file():
        pytest.skip(f"{file} is not there: real documentation pages")
    records = read_records(file)
    return [(record.url, record.payload) for record in records if record.url and record.payload]


def test_documentation_has_main_content_on_every_page(documentation: list[tuple[str, bytes]]) -> None:
    # with `low-slope`, the default up to 0.1.0, a quarter of these pages had none
    pages, empty, fallback = Counter[str](), [], Counter[str]()
    for url, body in documentation:
        found = find_main(body)
        host = urlsplit(url).netloc
        pages[host] += 1
        fallback[host] += found.is_fallback
        if found.text and not found.places:
            empty.append(url)
    assert pages.total() > 1000
    assert empty == []
    assert fallback.total() <= 0.02 * pages.total()
    assert all(fallback[host] <= 0.02 * pages[host] for host in pages)


def test_the_core_and_the_reference_agree_on_real_documentation(
    documentation: list[tuple[str, bytes]],
) -> None:
    for url, body in documentation[::40]:
        found = find_main(body, charset="utf-8")
        assert (found.places, found.is_fallback) == find_places(scan_outline(body, charset="utf-8")), url


def test_articles_are_found_as_well_as_by_trafilatura(test_data: Path) -> None:
    pages = read_articles("articles")
    assert len(pages) == 91
    ours = evaluate(pages, lambda body, _url: extract(body))
    theirs = evaluate(pages, lambda body, url: extract(body, url=url, method="trafilatura"))
    require("main-content-dom", ours.f1, digest_tree(test_data / "content", "content"))
    assert ours.f1 >= theirs.f1


# ---- generators of documentation, where their packages are there


def load(part: str) -> list[Labelled]:
    sets, absent = read_documentation(part)
    if not sets:
        pytest.skip(absent[0] if absent else "no documentation pages")
    return [page for pages in sets.values() for page in pages]


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_documentation_is_found_better_than_by_taking_all_text(part: str) -> None:
    pages = load(part)
    ours = evaluate(pages, lambda body, _url: extract(body))
    everything = summarize([count_shingles(page.truth, scan(page.body, text=True).text) for page in pages])
    assert ours.f1 > everything[2]
    if part == "held-out" and digest_pages(pages) == read_floors()["main-content-docs"].input:
        require("main-content-docs", ours.f1, digest_pages(pages))
    assert ours.f1 > 0.95  # of other versions of the packages too
    assert sum(find_main(page.body).is_fallback for page in pages) <= 0.02 * len(pages)


def test_no_rule_names_the_body_element_of_a_generator() -> None:
    # names that mean content on any site were among the rules before there were generators
    general = {"main-content", "mainContent", "page-content"}
    for generator in read_generators():
        selector = re.sub(r":not\(.*?\)", "", generator.selector)
        for name in set(re.findall(r"[.#]([\w-]+)", selector)) - general:
            assert load_rules().judge(name) == (0, 0), name


@pytest.mark.skipif(
    "WEBSTRATA_CORPUS" not in os.environ, reason="WEBSTRATA_CORPUS names no folder of packages"
)
def test_the_pages_are_those_that_were_listed_before_rules_were_tuned() -> None:
    import hashlib

    from bench.labelled import FILE

    listed = FILE.with_name("main_content_pages.tsv").read_text().splitlines()
    wanted = {tuple(line.split("\t")[2:]) for line in listed}
    found = {
        (page.url.removeprefix("http://"), hashlib.sha256(page.body).hexdigest()[:16])
        for part in PARTS
        for page in load(part)
    }
    # another version of a package has other pages; most of them stay
    assert len(wanted & found) >= len(wanted) // 2
