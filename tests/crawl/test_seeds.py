"""Seeds: the URLs that a crawl begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.origin import Origin, crawl, page, reply
from webstrata.crawl.seeds import keep_seeds, kept_seeds, read_seeds
from webstrata.errors import UrlError, UsageError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path


def test_seeds_are_brought_to_normal_form_and_each_counts_once() -> None:
    seeds = read_seeds(
        ["http://A.test", " http://a.test:80/ ", "", "# comment", "a.test/b#c", "a.test:8080/x"]
    )
    assert seeds.urls == ["http://a.test/", "http://a.test/b", "http://a.test:8080/x"]
    assert seeds.rejects == []


def test_what_is_no_url_is_told_with_its_reason() -> None:
    seeds = read_seeds(
        ["http://a.test/", "mailto:a@b.test", "http://", "word", "http://a.test/" + "x" * 3000]
    )
    assert seeds.urls == ["http://a.test/"]
    assert [(line, text) for line, text, _ in seeds.rejects][:3] == [
        (2, "mailto:a@b.test"),
        (3, "http://"),
        (4, "word"),
    ]
    assert all(reason for _, _, reason in seeds.rejects)
    assert seeds.complaints(1) == [
        "the seeds, line 2: 'mailto:a@b.test' is no URL of a page (scheme); it is left out",
        "the seeds: 4 lines in all are no URLs",
    ]


@pytest.mark.parametrize(
    ("lines", "told"), [([], "it is empty"), (["# no"], "it is empty"), (["mailto:x"], "mailto:x")]
)
def test_without_a_url_there_is_nothing_to_begin_with(lines: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=r"seeds\.txt: there is no URL to begin with") as error:
        read_seeds(lines, where="seeds.txt")
    assert told in str(error.value)


@given(lines=st.lists(st.text(max_size=40), max_size=5))
def test_any_lines_give_urls_or_one_error(lines: list[str]) -> None:
    try:
        seeds = read_seeds(lines)
    except UsageError:
        return
    assert len(set(seeds.urls)) == len(seeds.urls)
    assert read_seeds(seeds.urls).urls == seeds.urls


def test_seeds_of_a_crawl_are_kept_in_its_folder_in_order(tmp_path: Path) -> None:
    assert kept_seeds(tmp_path) is None
    keep_seeds(tmp_path, [])
    assert kept_seeds(tmp_path) == []
    keep_seeds(tmp_path, ["http://b.test/", "http://a.test/%C3%A9"])
    keep_seeds(tmp_path, ["http://c.test/", "http://b.test/"])
    assert kept_seeds(tmp_path) == ["http://b.test/", "http://a.test/%C3%A9", "http://c.test/"]


def test_a_crawl_leaves_its_seeds_behind(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("a.test/", reply(page("first", "/next")))
        origin.say("a.test/next", reply(page("next")))
        found = crawl(tmp_path, origin, "http://A.test")
    assert found.result is not None
    assert found.result.end == "exhausted"
    assert kept_seeds(found.snapshot.working_folder("crawl")) == ["http://a.test/"]


@pytest.mark.parametrize(
    "line",
    [
        "http://user:secret@host.test/",
        "https://:secret@host.test/",
        "http://user:secret@host.test:99999/",
        "http://user:secret/secret@host.test/",
        "http://user:secret@secret@host.test/",
        "http://user:secret@secret/secret@host.test/",
        "http:\\\\user:secret@host.test/",
        "ftp://user:secret@host.test/",
        "user:secret@host.test/",
        "//user:secret@host.test/",
        "http://us er:secret@[::1",
    ],
)
def test_a_password_is_neither_printed_nor_kept(line: str) -> None:
    seeds = read_seeds(["http://a.test/", line])
    assert seeds.urls == ["http://a.test/"]
    assert len(seeds.complaints()) == 1
    assert "secret" not in repr(seeds) + str(seeds.complaints())
    with pytest.raises(UsageError, match="no URL to begin with") as error:
        read_seeds([line])
    assert "secret" not in str(error.value)
    with pytest.raises(UrlError) as error_of_url:
        normalize(line)
    assert "secret" not in str(error_of_url.value)
