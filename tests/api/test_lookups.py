"""Pages are found by URL, by index and by slice in the same way everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from webstrata import testing

if TYPE_CHECKING:
    from collections.abc import Callable

FISH = "http://reef.example/fish"
UNKNOWN = "http://reef.example/no-such-page"


@pytest.fixture(scope="module")
def uk() -> ws.Collection:
    return testing.collection()


@pytest.fixture(scope="module")
def web() -> ws.invitro.TrueGraph:
    return ws.invitro.Web("tiny").graph(0)


WITH_NODES: dict[str, Callable[[ws.Collection], Any]] = {
    "urls": lambda uk: uk["2026-06"].urls,
    "temporal": lambda uk: uk.temporal,
    "connectivity": lambda uk: uk["2026-06"].connectivity,
}


@pytest.mark.parametrize("name", WITH_NODES)
def test_an_unknown_url_is_refused_with_those_nearest_to_it(uk: ws.Collection, name: str) -> None:
    holder = WITH_NODES[name](uk)
    assert holder.node(FISH) == holder.get(FISH)
    # the other scheme stands for the same page
    assert holder.node(FISH.replace("http:", "https:")) == holder.node(FISH)
    assert holder.get(UNKNOWN) is None
    with pytest.raises(
        ws.errors.MissingError, match=r"no-such-page: no.*the nearest are http://reef\.example"
    ):
        holder.node(UNKNOWN)


def test_hosts_and_the_true_graph_agree(uk: ws.Collection, web: ws.invitro.TrueGraph) -> None:
    hosts = uk["2026-06"].host_graph
    assert hosts.node("reef.example") == hosts.get("reef.example")
    assert hosts.get("nowhere.example") is None
    with pytest.raises(ws.errors.MissingError, match=r"nowhere\.example: no such host"):
        hosts.node("nowhere.example")
    assert web.node(web.urls[3]) == web.get(web.urls[3]) == 3
    assert web.get("http://nowhere.example/") is None
    with pytest.raises(ws.errors.MissingError, match="no such page in month 0"):
        web.node("http://nowhere.example/")
    with pytest.raises(ws.errors.MissingError, match="the nearest are http"):
        web.node(web.urls[3] + "-no-such-page")


@pytest.mark.parametrize(
    "find",
    [
        lambda uk: uk.capture(UNKNOWN),
        lambda uk: uk["2026-06"].capture(UNKNOWN),
        lambda uk: uk.history(UNKNOWN),
        lambda uk: uk.similar(UNKNOWN),
        lambda uk: uk.diff(UNKNOWN, "2026-05", "2026-06"),
        lambda uk: uk["2026-06"].graph_links(UNKNOWN),
        lambda uk: uk["2026-06"].summaries_show(UNKNOWN),
        lambda uk: uk["2026-06"].urls.node(UNKNOWN),
    ],
)
def test_a_missing_page_is_the_same_error_everywhere(
    uk: ws.Collection, find: Callable[[ws.Collection], Any]
) -> None:
    with pytest.raises(ws.errors.MissingError, match="no-such-page"):
        find(uk)


SEQUENCES: dict[str, Callable[[ws.Collection], Any]] = {
    "urls": lambda uk: uk["2026-06"].urls,
    "row_keys": lambda uk: uk["2026-06"].urls.row_keys,
    "pages": lambda uk: uk["2026-06"].pages,
    "text": lambda uk: uk["2026-06"].text,
    "summaries": lambda uk: uk["2026-06"].summaries,
    "hits": lambda uk: uk.search("fish"),
    "changes": lambda uk: uk.changes("storm", "2026-05", "2026-06"),
    "top": lambda uk: uk["2026-06"].rank().top(5),
    "listing": lambda uk: uk.ls("garden.example", match="host"),
    "true urls": lambda uk: ws.invitro.Web("tiny").graph(0).urls,
}


def plain(value: Any) -> Any:  # noqa: ANN401
    """A value that can be compared: summaries have arrays."""
    return repr(value)


@pytest.mark.parametrize("name", SEQUENCES)
def test_negative_indices_and_slices_are_those_of_a_list(uk: ws.Collection, name: str) -> None:
    sequence = SEQUENCES[name](uk)
    length = len(sequence)
    assert length > 2
    members = [plain(sequence[place]) for place in range(length)]
    assert plain(sequence[-1]) == members[-1]
    assert plain(sequence[-length]) == members[0]
    for piece in (slice(1, 3), slice(-2, None), slice(None, None, -1), slice(length, None)):
        assert [plain(each) for each in sequence[piece]] == members[piece]
    for place in (length, -length - 1):
        with pytest.raises(IndexError):
            sequence[place]


def test_links_and_anchors_are_asked_by_node(uk: ws.Collection) -> None:
    june = uk["2026-06"]
    assert june.links[june.urls.node(FISH)]
    for holder in (june.links, june.anchors):
        with pytest.raises(IndexError, match="node: expected 0 or more, got -1"):
            holder[-1]
