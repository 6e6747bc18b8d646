"""Pictures of an archive of summaries: the two figures of SUM, from its `Statistics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import COLOURS, Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.summaries.statistics import Statistics


def draw_archive(found: Statistics, name: str, *, is_paper: bool = False) -> list[Figure]:
    """The figures of an archive with this name; the preset of SUM made it if it `is_paper`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.statistics import describe_archive
    >>> found = describe_archive(testing.snapshot().summaries)
    >>> [figure.name for figure in draw_archive(found, "reef")]
    ['terms', 'gaps']
    """
    like = "" if is_paper else "like "
    ranks = _curve(
        found.term_ranks,
        ("rank of the term", "pages that have it"),
        "Terms by frequency",
        f"{name}; {found.num_terms:,} terms in {found.num_summaries:,} pages ({like}figure 1 of SUM)",
    )
    gaps = _curve(
        found.gaps,
        ("gap between two terms of a page, by rank", "how often it comes"),
        "Gaps of renumbered terms",
        f"{name}; {found.num_postings:,} gaps ({like}figure 2 of SUM)",
    )
    return [Figure("terms", ranks), Figure("gaps", gaps)]


def _curve(points: Sequence[tuple[float, float]], titles: tuple[str, str], title: str, subtitle: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [{"x": x, "y": y} for x, y in points if y > 0]
    powers = [10.0**power for power in range(-9, 13)]

    def axis(channel: Any, text: str) -> Any:  # noqa: ANN401
        return channel.scale(type="log", nice=False).title(text).axis(alt.Axis(format=",~g", values=powers))

    return (
        alt.Chart(alt.Data(values=rows))
        .mark_point(size=14, color=COLOURS[0])
        .encode(x=axis(alt.X("x:Q"), titles[0]), y=axis(alt.Y("y:Q"), titles[1]))
        .properties(title={"text": title, "subtitle": subtitle})
    )
