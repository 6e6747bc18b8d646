"""Labelled documentation: the tables are whole, and the text of an element is what stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.labelled import PARTS, Generator, read_documentation, read_generators, sample, select

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_there_are_generators_to_tune_on_and_others_that_are_held_out() -> None:
    generators = read_generators()
    parts = [generator.part for generator in generators]
    assert set(parts) == set(PARTS)
    assert parts.count("held-out") >= 6
    assert sum(generator.pages for generator in generators if generator.part == "held-out") >= 120
    assert len({generator.name for generator in generators}) == len(generators)


def test_the_text_of_an_element_has_a_line_for_each_block_and_no_scripts() -> None:
    body = b"<body><div id=a><p>One <b>bo</b>ld</p><script>x</script><nav>Menu</nav><td>Two</div><p>Three"
    assert select(body, "#a", "nav").split() == ["One", "bold", "Two"]
    assert select(body, "#b") == ""


def test_pages_are_drawn_the_same_each_time_and_short_ones_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "p" / "usr"
    (folder / "src").mkdir(parents=True)
    for number in range(20):
        text = "word " * (60 if number % 2 else 5)
        (folder / f"{number}.html").write_text(f"<nav>x</nav><main>{text}</main>")
        (folder / "src" / f"{number}.html").write_text(f"<main>{text}</main>")
    generator = Generator(
        name="g", part="tuning", package="p", paths="usr/**/*.html", without=("src/*.html",), selector="main",
        pages=4, words=50,
    )  # fmt: skip
    found = list(sample(generator, tmp_path))
    assert len(found) == 4
    assert found == list(sample(generator, tmp_path))
    assert all(int(page.url.rpartition("/")[2].removesuffix(".html")) % 2 for page in found)
    assert all(page.truth.split() == ["word"] * 60 and "/src/" not in page.url for page in found)


def test_a_package_that_is_absent_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSTRATA_CORPUS", str(tmp_path))
    sets, absent = read_documentation("held-out")
    assert sets == {}
    assert all("run `python -m bench.labelled`" in sentence for sentence in absent)
    monkeypatch.delenv("WEBSTRATA_CORPUS")
    assert "WEBSTRATA_CORPUS is not set" in read_documentation("tuning")[1][0]
