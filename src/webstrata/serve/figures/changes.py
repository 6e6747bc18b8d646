"""Pictures of what changed: the answers with their links before and after, and an evaluation's figures.

The subgraph is drawn once for both times, every page at the same place: switches above it choose the links of
the earlier snapshot, of the later one, or what came and went; a page under the pointer tells what it is, and
a click keeps its links alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.files import explained
from webstrata.errors import UsageError
from webstrata.serve.figures.style import COLOURS, GREY, Figure, load_altair, write_figures

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.search.change.answer import ChangeAnswer

    Numbers = npt.NDArray[np.float64]

SHOWN = 60
"""Pages that a drawing has at most."""
_KINDS = ("kept", "came", "went")


def place_nodes(num_nodes: int, arcs: npt.NDArray[np.int64], *, steps: int = 150) -> Numbers:
    """Places of nodes in the unit square: linked ones near each other, all of them apart.

    Springs and repulsion (Fruchterman and Reingold 1991) from a spiral, so that the same graph has the same
    picture.

    Examples
    --------
    >>> place_nodes(3, np.array([[0, 1]])).shape
    (3, 2)
    >>> first, second, third = place_nodes(3, np.array([[0, 1]]))
    >>> bool(np.hypot(*(first - second)) < np.hypot(*(first - third)))
    True
    """
    if not num_nodes:
        return np.zeros((0, 2))
    angle = np.arange(num_nodes) * 2.399963  # the golden angle: no two on one ray
    radius = 0.5 * np.sqrt((np.arange(num_nodes) + 0.5) / num_nodes)
    places = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    pairs = np.unique(np.sort(arcs[arcs[:, 0] != arcs[:, 1]], axis=1), axis=0)
    wanted = 1 / np.sqrt(num_nodes)
    for heat in np.linspace(0.1, 0.002, steps):
        apart = places[:, None] - places[None]
        distances = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (wanted**2 / distances**2)[..., None]).sum(axis=1) - 0.3 * places
        along = places[pairs[:, 0]] - places[pairs[:, 1]]
        pull = along * (np.linalg.norm(along, axis=1) / wanted)[:, None]
        np.add.at(force, pairs[:, 0], -pull)
        np.add.at(force, pairs[:, 1], pull)
        length = np.maximum(np.linalg.norm(force, axis=1), 1e-9)
        places += force / length[:, None] * np.minimum(length, heat)[:, None]
    low, high = places.min(axis=0), places.max(axis=0)
    found: Numbers = (places - low) / np.maximum(high - low, 1e-9)
    return found


def draw_subgraph(answer: ChangeAnswer, number: int = SHOWN) -> Any:  # noqa: ANN401
    """The first answers and the links among them, to be switched between before and after.

    Examples
    --------
    >>> from webstrata import testing
    >>> answer = testing.collection().changes("storm", "2026-05", "2026-06")
    >>> [layer["mark"]["type"] for layer in draw_subgraph(answer).to_dict()["layer"]]
    ['rule', 'circle', 'text']
    """
    alt = load_altair()
    graph = answer.graph.top(min(number, len(answer)))
    arcs = np.unique(np.concatenate([graph.arcs_before, graph.arcs_after]), axis=0)
    places = place_nodes(graph.num_nodes, arcs)
    rows = answer.top(graph.num_nodes)
    reasons = answer.reasons(graph.num_nodes)
    nodes: list[dict[str, Any]] = [
        {
            "x": float(x),
            "y": float(y),
            "rank": row.rank,
            "url": row.url,
            "name": row.url.split("/", 2)[-1][:48],
            "score": row.score,
            "text": row.text,
            "change": row.change,
            "kind": "new" if reason.is_new else "changed" if row.change > 0 else "unchanged",
            "words": ", ".join(word.word for word in reason.words_gained[:5]),
        }
        for (x, y), row, reason in zip(places, rows, reasons, strict=True)
    ]
    links = _links(graph.to_arrow().to_pylist(), {str(row["url"]): row for row in nodes})
    when = alt.param(
        name="when",
        value="after",
        bind=alt.binding_radio(options=["before", "after", "changes"], name="links "),
    )
    chosen = alt.selection_point(name="chosen", fields=["rank"], on="click", clear="dblclick", empty=True)
    lines = (
        alt.Chart(alt.Data(values=links))
        .transform_filter(
            "when == 'before' ? datum.kind != 'came' : when == 'after' ? datum.kind != 'went' : "
            "datum.kind != 'kept'"
        )
        .transform_filter(
            "!isArray(chosen.rank) || indexof(chosen.rank, datum.source) >= 0 || "
            "indexof(chosen.rank, datum.target) >= 0"
        )
        .mark_rule(opacity=0.45)
        .encode(
            x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.05, 1.05])),
            y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.05, 1.05])),
            x2="x2:Q",
            y2="y2:Q",
            color=alt.Color(
                "kind:N",
                title="links",
                scale=alt.Scale(domain=list(_KINDS), range=["#b0b8bd", COLOURS[0], COLOURS[1]]),
                # lines are thin and let others through, which nobody could tell apart beside their names
                legend=alt.Legend(symbolOpacity=1, symbolStrokeWidth=3, symbolSize=200),
            ),
        )
    )
    points = (
        alt.Chart(alt.Data(values=nodes))
        .mark_circle(opacity=1, stroke="white", cursor="pointer")
        .encode(
            x="x:Q",
            y="y:Q",
            size=alt.Size("score:Q", title="score", scale=alt.Scale(range=[40, 500]), legend=None),
            fill=alt.Fill(
                "kind:N",
                title="pages",
                scale=alt.Scale(domain=["new", "changed", "unchanged"], range=[COLOURS[2], COLOURS[4], GREY]),
            ),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.25)),
            tooltip=[
                "rank:Q",
                "url:N",
                alt.Tooltip("score:Q", format=".3g"),
                alt.Tooltip("text:Q", format=".3g"),
                alt.Tooltip("change:Q", format=".3g"),
                alt.Tooltip("words:N", title="words that came"),
            ],
        )
        .add_params(when, chosen)
    )
    names = (
        alt.Chart(alt.Data(values=nodes[:15]))
        .mark_text(dy=-12, fontSize=10, color=GREY)
        .encode(x="x:Q", y="y:Q", text="name:N")
    )
    return (
        alt.layer(lines, points, names)
        .resolve_scale(color="independent")
        .properties(
            width=860,
            height=620,
            title={
                "text": f"What changed about “{answer.query}”",
                "subtitle": f"{answer.before} to {answer.after}: {graph.num_nodes} pages, "
                f"{len(graph.arcs_before)} links before and {len(graph.arcs_after)} after; "
                "a click on a page keeps its links, a double click brings back all",
            },
        )
        .interactive()
    )


def _links(arcs: list[dict[str, Any]], nodes: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each link, with the places of both ends and whether it stayed, came or went."""
    found = []
    for arc in arcs:
        source, target = nodes[arc["source"]], nodes[arc["target"]]
        kind = "kept" if arc["before"] and arc["after"] else "came" if arc["after"] else "went"
        found.append(
            {"source": source["rank"], "target": target["rank"], "kind": kind}
            | {"x": source["x"], "y": source["y"], "x2": target["x"], "y2": target["y"]}
        )
    return found


def write_answer(answer: ChangeAnswer, path: Path, title: str) -> Path:
    """Write the drawing of an answer as a page of HTML that needs no network, and as SVG beside it.

    Examples
    --------
    >>> from webstrata import testing
    >>> answer = testing.collection().changes("storm", "2026-05", "2026-06")
    >>> page = write_answer(answer, testing.scratch() / "storm.html", "Reef")
    >>> sorted(path.name for path in page.parent.iterdir())
    ['storm.html', 'storm.svg']
    """
    if path.suffix.lower() != ".html":
        raise UsageError(f"{path}: a drawing is a page of HTML; name it with .html at its end")
    with explained(path.parent, "make the folder"):
        path.parent.mkdir(parents=True, exist_ok=True)
    figure = Figure(path.stem, draw_subgraph(answer))
    text = "; ".join(f"{stage.name}: {stage.told}" for stage in answer.stages)
    heading = f"{title}: {answer.query}, {answer.before} to {answer.after}"
    return write_figures([figure], path.parent, page=path.stem, title=heading, text=text)[-1]
