"""The CDX server: a query over the merged indexes of a collection, answered as a stream.

Captures pass these steps in pywb's order: revisits resolved, filters, time range, collapse, order, limit.
Exact queries with ``closest`` walk away from the time in both directions; ``reverse`` and a negative limit
read from the end. So an answer takes time for what is sent, and not for what the range has; only filters,
and collapsing backwards, have to read more.

Every step passes on `None` for each `PULSE` lines that it read, so that a long search without results can be
stopped.
"""

from __future__ import annotations

import heapq
import json
from collections import deque
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from webstrata.serve.replay.holdings import walk_from
from webstrata.serve.replay.lines import Range
from webstrata.serve.replay.memento import write_timemap_lines
from webstrata.serve.replay.query import CdxError, CdxQuery, make_resume_key
from webstrata.serve.replay.rows import ORIGINAL, TYPES, CdxRow, make_writer, parse_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webstrata.serve.replay.holdings import Holding, Holdings
    from webstrata.serve.replay.lines import IndexLine

    Captures = Iterator[CdxRow | None]

PULSE = 1000
"""Lines after which a search gives notice."""
_FIELDS = ("length", "offset", "filename")


class CdxAnswer(NamedTuple):
    """The response to a query: its type, and its body in pieces."""

    content_type: str
    pieces: Iterator[bytes]


def answer_query(holdings: Holdings, query: CdxQuery, prefix: str = "/") -> CdxAnswer:
    """The captures that a query asks for, or `CdxError`.

    Parameters
    ----------
    holdings
        The collection.
    query
        What is asked.
    prefix
        The address under which mementos are found, for ``output=link``.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.replay.holdings import Holdings
    >>> uk = Holdings("uk", testing.collection())
    >>> query = CdxQuery.parse("url=news.example&output=text&fl=timestamp,status&limit=-2")
    >>> print(b"".join(answer_query(uk, query).pieces).decode())
    20260501000007 200
    20260601000007 200
    """
    holding = holdings.now()
    if query.is_page_count:
        return _answer_page_count(holding, query)
    ranges = query.ranges
    if query.page is not None:
        ranges = tuple(_cut_pages(holding, query))
    captures = _process(holdings.name, holding, query, ranges)
    if query.output == "link":
        return CdxAnswer(TYPES["link"], write_timemap_lines(captures, prefix, holdings.name))
    write = make_writer(query.output, query.fields, resolved=query.resolves_revisits)
    if query.has_resume_key:
        return CdxAnswer(TYPES[query.output], _write_with_key(captures, write, query))
    pieces = (b"" if capture is None else write(capture) for capture in captures)
    return CdxAnswer(TYPES[query.output], pieces)


def list_captures(holdings: Holdings, query: CdxQuery) -> Iterator[CdxRow]:
    """The captures that a query asks for.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.replay.holdings import Holdings
    >>> uk = Holdings("uk", testing.collection())
    >>> [capture.timestamp[:6] for capture in list_captures(uk, CdxQuery.parse("url=news.example"))]
    ['202604', '202605', '202606']
    """
    captures = _process(holdings.name, holdings.now(), query, query.ranges)
    return (capture for capture in captures if capture is not None)


# ---- pages


def _answer_page_count(holding: Holding, query: CdxQuery) -> CdxAnswer:
    blocks = sum(holding.lines.count_blocks(lines) for lines in query.ranges)
    pages = -(-blocks // query.page_size)
    facts = {"pages": pages, "pageSize": query.page_size, "blocks": blocks}
    return CdxAnswer("text/x-ndjson" if query.output == "json" else TYPES["cdxj"], iter([_line(facts)]))


def _line(facts: dict[str, int]) -> bytes:
    return json.dumps(facts).encode() + b"\n"


def _cut_pages(holding: Holding, query: CdxQuery) -> Iterator[Range]:
    """What is on the page, of each range; a page may have the end of one and the beginning of the next."""
    assert query.page is not None
    counts = [holding.lines.count_blocks(lines) for lines in query.ranges]
    pages = max(-(-sum(counts) // query.page_size), 1)
    if not 0 <= query.page < pages:
        raise CdxError(f"Page {query.page} invalid: First Page is 0, Last Page is {pages - 1}")
    start = query.page * query.page_size
    end = start + query.page_size
    for lines, count in zip(query.ranges, counts, strict=True):
        if start < count and end > 0:
            yield holding.lines.cut(lines, max(start, 0), end)
        start, end = start - count, end - count


# ---- steps


def _process(name: str, holding: Holding, query: CdxQuery, ranges: Iterable[Range]) -> Captures:
    sources = [f"{name}:{captures.date}" for captures in holding.captures]

    def wrap(rows: Iterator[IndexLine]) -> Captures:
        for count, row in enumerate(rows, 1):
            if count % PULSE == 0:
                yield None
            yield CdxRow(row.line, row.place, sources[row.place], name)

    needs_order = bool(query.collapse or query.collapse_time or query.resolves_revisits)
    is_near = query.order == "closest" and query.match == "exact" and not needs_order
    if is_near:
        captures = wrap(chain.from_iterable(walk_from(holding, lines, query.closest) for lines in ranges))
    elif query.is_backward and not needs_order:
        backward = (holding.lines.backward(_resumed(lines, query)) for lines in reversed([*ranges]))
        captures = wrap(holding.show(chain.from_iterable(backward)))
    else:
        forward = (holding.lines.forward(_resumed(lines, query)) for lines in ranges)
        captures = wrap(holding.show(chain.from_iterable(forward)))
    if query.resolves_revisits:
        captures = _resolve_revisits(captures)
    captures = _select(captures, query)
    if not query.order:
        captures = _skip(captures, query)
    captures = _collapse(captures, query)
    return _order(captures, query, is_near=is_near, is_turned=query.is_backward and not needs_order)


def _resumed(lines: Range, query: CdxQuery) -> Range:
    if query.resume is None or query.is_backward:
        return lines
    return Range(min(max(lines.low, query.resume[0].encode()), lines.high), lines.high)


def _skip(captures: Captures, query: CdxQuery) -> Captures:
    """Pass over the lines of the resume key that were sent before."""
    if query.resume is None:
        return captures
    start, number = query.resume[0].encode() + b" ", query.resume[1]

    def skip() -> Captures:
        count = 0
        for capture in captures:
            if capture is not None and count < number and capture.line.startswith(start):
                count += 1
                continue
            yield capture

    return skip()


def _select(captures: Captures, query: CdxQuery) -> Captures:
    """Those that meet the filters and are in the time range."""
    tests: list[Callable[[CdxRow], bool]] = [each.keeps for each in query.filters]
    if query.first:
        tests.append(lambda capture: capture.timestamp >= query.first)
    if query.last:
        tests.append(lambda capture: capture.timestamp <= query.last)
    if not tests:
        return captures
    return (capture for capture in captures if capture is None or all(test(capture) for test in tests))


def _collapse(captures: Captures, query: CdxQuery) -> Captures:
    for field, length in query.collapse:
        captures = _collapse_by(captures, partial(_cut, field, length))
    if query.collapse_time:
        captures = _collapse_by(
            captures, lambda each: (each.timestamp[: query.collapse_time], each.get("status"))
        )
    return captures


def _cut(field: str, length: int, capture: CdxRow) -> str:
    value = capture.get(field)
    return value[:length] if length else value


def _collapse_by(captures: Captures, find: Callable[[CdxRow], object]) -> Captures:
    last: object = None
    for capture in captures:
        if capture is None:
            yield None
        elif (found := find(capture)) != last:
            last = found
            yield capture


def _resolve_revisits(captures: Captures) -> Captures:
    """Add where the payload of a revisit is: in an earlier capture with its digest."""
    originals: dict[str, CdxRow] = {}
    for capture in captures:
        if capture is None:
            yield None
            continue
        digest, is_revisit = capture.get("digest"), capture.get("mime") == "warc/revisit"
        original = originals.get(digest) if is_revisit and digest != "-" else None
        if not is_revisit:
            originals.setdefault(digest, capture)
        if original is not None:
            capture.fields.update(mime=original.get("mime"), status=original.get("status"))
        for name, field in zip(ORIGINAL, _FIELDS, strict=True):
            capture.fields[name] = original.get(field, "-") if original is not None else "-"
        yield capture


def _order(captures: Captures, query: CdxQuery, *, is_near: bool, is_turned: bool) -> Captures:
    if query.order == "closest" and not is_near:
        return _sort_closest(captures, query)
    if query.is_backward and not is_turned:
        captures = _turn(captures, query.limit)
    captures = _limit(captures, query.limit)
    return _turn(captures, None) if query.order == "last" else captures


def _limit(captures: Captures, limit: int | None) -> Captures:
    if limit is None:
        yield from captures
        return
    left = limit
    while left > 0:
        capture = next(captures, _END)
        if isinstance(capture, _End):
            return
        left -= capture is not None
        yield capture


class _End:
    pass


_END = _End()


def _turn(captures: Captures, limit: int | None) -> Captures:
    """The last captures, backwards."""
    kept: deque[CdxRow] = deque(maxlen=limit)
    for capture in captures:
        if capture is None:
            yield None
        else:
            kept.appendleft(capture)
    yield from kept


def _sort_closest(captures: Captures, query: CdxQuery) -> Captures:
    moment = parse_timestamp(query.closest)
    found: list[tuple[float, int, CdxRow]] = []
    limit = 10 if query.limit is None else query.limit
    for number, capture in enumerate(captures):
        if capture is None:
            yield None
            continue
        distance = abs((parse_timestamp(capture.timestamp) - moment).total_seconds())
        item = (-distance, -number, capture)
        if len(found) < limit:
            heapq.heappush(found, item)
        elif found:
            heapq.heappushpop(found, item)
    yield from (capture for _, _, capture in sorted(found, key=lambda item: item[:2], reverse=True))


def _write_with_key(captures: Captures, write: Callable[[CdxRow], bytes], query: CdxQuery) -> Iterator[bytes]:
    """The captures, and where there are more an empty line and the key with which the client continues."""
    last, number, sent = "", 0, 0
    if query.resume is not None:
        last, number = query.resume
    for capture in captures:
        if capture is None:
            yield b""
            continue
        place = f"{capture.key} {capture.timestamp}"
        number = number + 1 if place == last else 1
        last = place
        sent += 1
        yield write(capture)
    if sent and sent == query.limit and not query.order:
        key, _, timestamp = last.rpartition(" ")
        yield f"\n{make_resume_key(key, timestamp, number)}\n".encode()
