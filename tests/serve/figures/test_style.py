"""Pictures are whole, in one style, and need no network."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from webstrata.errors import MissingExtraError
from webstrata.serve.figures.style import Figure, load_altair, write_figures

if TYPE_CHECKING:
    from pathlib import Path


def figure(name: str, text: str = "x") -> Figure:
    alt = load_altair()
    data = alt.Data(values=[{"x": 1, "text": text}])
    return Figure(name, alt.Chart(data).mark_point().encode(x=alt.X("x:Q", title=text)))


def test_a_page_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    *pictures, page = write_figures(
        [figure("one"), figure("two")], tmp_path / "new", page="all", title="A & B"
    )
    assert [path.name for path in pictures] == ["one.svg", "two.svg"]
    text = page.read_text()
    assert "A &amp; B" in text
    outside = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert "script" not in outside
    assert not re.search(r"\b(src|href|url)\b", outside)
    assert 'id="one"' in text
    assert 'id="two"' in text


def test_text_of_the_data_cannot_end_the_script(tmp_path: Path) -> None:
    *_, page = write_figures([figure("one", "</script><b>")], tmp_path, page="all", title="t")
    assert page.read_text().count("</script>") == 2


def test_a_picture_has_the_house_style(tmp_path: Path) -> None:
    [picture, _] = write_figures([figure("one", "pages of a host")], tmp_path, page="all", title="t")
    text = picture.read_text()
    assert text.startswith("<svg")
    assert "Helvetica" in text
    assert "pages of a host" in text


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_a_missing_library_is_an_error_that_says_what_to_install(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'webstrata\[plots\]'"):
        load_altair()
