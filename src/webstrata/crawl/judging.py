"""Functions of the user's as the core calls them: predicates on batches, and what a gate is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.crawl.configuration import PLACES
from webstrata.crawl.filters import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.crawl.filters import Filter


class HostSample:
    """What the gate knows of a new host: its origin, and the pages that were fetched of it so far."""

    def __init__(self, origin: str, pages: list[Response]) -> None:
        self.origin = origin
        self.pages = pages

    def __repr__(self) -> str:
        return f"<HostSample {self.origin}, {len(self.pages)} pages>"


def judge_hosts(
    filters: Mapping[str, Filter | None], predicate: tuple[int, int], subjects: list[tuple[Any, ...]]
) -> list[bool]:
    """The answers of a predicate of the user's for a batch.

    Parameters
    ----------
    filters
        Those that the predicate was compiled with.
    predicate
        The place of its filter, and its number there.
    subjects
        URLs with what is known of each; of answers that is more.

    Examples
    --------
    >>> from webstrata.crawl.filters import Filter
    >>> short = {"Short": lambda urls, most: [len(url) <= int(most) for url in urls]}
    >>> schedule = Filter.parse("Short(12)", predicates=short)
    >>> judge_hosts({"schedule": schedule}, (0, 0), [("http://a.org/",), ("http://b.uk/",)])
    [False, True]
    """
    place, number = predicate
    chosen = filters[PLACES[place]]
    assert chosen is not None
    batch: list[Any] = [url for url, *_ in subjects]
    if place > 1:
        batch = [
            Response(
                url=url,
                status=status,
                content_type=content_type,
                body=body or b"",
                digest=digest,
                is_duplicate=is_duplicate,
                depth=depth,
            )
            for url, _, depth, status, content_type, body, digest, is_duplicate in subjects
        ]
    return chosen.asked[number](batch)
