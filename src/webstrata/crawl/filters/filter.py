"""A filter as users hold it: parsed, checked for its place, compiled to the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata._core import crawl as _core
from webstrata.crawl.filters.compile import compile_tree
from webstrata.crawl.filters.language import parse, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from webstrata.crawl.filters.compile import Asked, Functions
    from webstrata.crawl.filters.language import Node


@dataclass(frozen=True, kw_only=True)
class Response:
    """What filters look at once there is an answer, and functions given as predicates are called with."""

    url: str
    status: int = 200
    content_type: str = ""
    body: bytes = b""
    digest: bytes = bytes(20)
    is_duplicate: bool = False
    language: str | None = None
    depth: int = 0
    """Links from where its host was entered."""


class Filter:
    """A Boolean expression over predicates, for one of the five places of a crawl.

    Attributes
    ----------
    text
        As it was written.
    tree
        As it was understood; printed, it is a filter again.
    place
        ``schedule``, ``fetch``, ``parse``, ``follow`` or ``store``.
    program
        What the core runs.
    asked
        The functions that answer ``ask N`` in the program.

    Examples
    --------
    >>> filter = Filter.parse("HostEndsWith(foo.bar) and (SchemeEquals(https) or DepthLessThan(2))")
    >>> filter.admits("http://www.foo.bar/", depth=1), filter.admits("http://www.foo.bar/", depth=2)
    (True, False)
    >>> filter.admits_many(["https://foo.bar/", "https://xfoo.bar/"])
    array([ True, False])

    A function of Python's answers for a batch of URLs, which holds only those that nothing else decides:

    >>> def has_word(urls, word):
    ...     print("asked about", urls)
    ...     return [word in url for url in urls]
    >>> filter = Filter.parse("HasNoQuery and HasWord(news)", predicates={"HasWord": has_word})
    >>> filter.admits_many(["http://a/news", "http://a/?news", "http://a/"])
    asked about ['http://a/news', 'http://a/']
    array([ True, False, False])
    """

    __slots__ = ("_core", "asked", "place", "program", "text", "tree")

    def __init__(
        self,
        text: str,
        place: str = "schedule",
        *,
        predicates: Functions | None = None,
        folder: Path | None = None,
    ) -> None:
        odd = next((at for at, letter in enumerate(text) if "\ud800" <= letter <= "\udfff"), None)
        if odd is not None:
            raise refuse(text[:odd], odd, "half a surrogate pair is no character; take it out")
        self.text = text
        self.place = place
        self.tree: Node = parse(text)
        program = compile_tree(self.tree, place, text=text, functions=predicates, folder=folder)
        self.program = program.text
        self.asked: tuple[Asked, ...] = program.asked
        self._core = _core.Filter(self.program)

    @classmethod
    def parse(
        cls,
        text: str,
        place: str = "schedule",
        *,
        predicates: Functions | None = None,
        folder: Path | None = None,
    ) -> Filter:
        """The filter that a text describes.

        Parameters
        ----------
        text
            As `webstrata.crawl.filters.language` describes it.
        place
            Where it is to stand.
        predicates
            Functions by the names under which the text calls them. Each is called with a batch, a list of
            URLs (schedule, fetch) or of responses (parse, follow, store), and with its arguments as texts,
            and returns a truth value for each of the batch.
        folder
            Where the paths of lists begin; by default, the current folder.

        Raises
        ------
        FilterError
            If the text is no filter for this place; the message says where and why.
        """
        return cls(text, place, predicates=predicates, folder=folder)

    def __repr__(self) -> str:
        return f"Filter({self.text!r}, {self.place!r})"

    def admits(
        self,
        url: str,
        source: str | None = None,
        depth: int = 0,
        response: Response | None = None,
    ) -> bool:
        """Whether one URL, link or response passes."""
        responses = None if response is None else [response]
        return bool(self.admits_many([url], [source], [depth], responses)[0])

    def admits_many(
        self,
        urls: Sequence[str],
        sources: Sequence[str | None] = (),
        depths: Sequence[int] = (),
        responses: Sequence[Response | None] | None = None,
    ) -> NDArray[np.bool_]:
        """Which of many pass; URLs and sources are in normal form."""
        for name, values in (("sources", sources), ("depths", depths), ("responses", responses)):
            if values and len(values) != len(urls):
                raise ValueError(f"{name}: expected one for each of {len(urls)} URLs, got {len(values)}")

        def answer(number: int, places: list[int]) -> list[bool]:
            return self.asked[number]([(responses or urls)[place] for place in places])

        return self._core.admits_many(
            urls, sources, depths, [_facts(each) for each in responses or ()], answer
        )


def _facts(response: Response | None) -> tuple[int, str, bytes, bytes, bool, str | None] | None:
    if response is None:
        return None
    return (
        response.status,
        response.content_type,
        response.body,
        response.digest,
        response.is_duplicate,
        response.language,
    )
