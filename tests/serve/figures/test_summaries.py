"""Pictures of an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.serve.figures.style import write_figures
from webstrata.serve.figures.summaries import draw_archive
from webstrata.summaries import make_rows, write_archive
from webstrata.summaries.statistics import describe_archive

if TYPE_CHECKING:
    from pathlib import Path


def test_both_figures_of_the_paper_are_drawn_with_their_points(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a", make_rows([(9, {0: 3, 4: 1, 600: 2})] * 10))
    found = describe_archive(archive)
    figures = draw_archive(found, "reef")
    shown = [len(figure.chart.to_dict()["data"]["values"]) for figure in figures]
    assert shown == [sum(y > 0 for _, y in points) for points in (found.term_ranks, found.gaps)]
    paths = write_figures(figures, tmp_path / "pictures", page="stats", title="reef")
    assert [path.name for path in paths] == ["terms.svg", "gaps.svg", "stats.html"]
    assert "Gaps of renumbered terms" in (tmp_path / "pictures" / "gaps.svg").read_text()
