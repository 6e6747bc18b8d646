"""Pages are measured, and a folder of real ones is read, or refused in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError, MissingError
from webstrata.invitro.compressibility import REAL_ARTICLES, measure_pages, read_corpus, strip_markup

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.peer
def test_the_figures_of_real_articles_are_those_of_the_real_articles(test_data: Path) -> None:
    found = measure_pages("real", read_corpus(test_data / "content" / "html"))
    assert found.num_pages == REAL_ARTICLES.num_pages
    for name in ("mean_bytes", "median_bytes", "links_per_page", "html_ratio", "text_ratio", "text_share"):
        assert getattr(found, name) == pytest.approx(getattr(REAL_ARTICLES, name), rel=0.01), name


def test_scripts_styles_and_comments_are_no_text() -> None:
    page = b"<style>p {}</style><!-- a <b> --><p class='x'>One</p><SCRIPT>if (a < b) {}</script  >two"
    assert strip_markup(page) == b" One two"


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("<p>")
    with pytest.raises(MissingError, match=r"no \.html"):
        read_corpus(tmp_path)


def test_a_page_that_is_no_gzip_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.html.gz").write_bytes(b"\x1f\x8b\x08\0truncated")
    with pytest.raises(FormatError, match=r"a\.html\.gz"):
        read_corpus(tmp_path)
