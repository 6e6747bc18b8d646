"""The rules said plainly: one request after the other, every pair looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Request:
    """A line of a log; times are in microseconds."""

    connection: int
    host: int
    url: int
    begin: int
    end: int
    is_final: bool = True


def settle(requests: list[Request]) -> None:
    """Let each request begin when the one before it on its connection has ended, or later."""
    for request in requests:
        request.end = max(request.end, request.begin)
    free: dict[int, int] = {}
    for request in sorted(requests, key=lambda one: (one.begin, one.end)):
        request.begin = max(request.begin, free.get(request.connection, 0))
        request.end = free[request.connection] = max(request.begin, request.end)


def visits(requests: list[Request], slice_: int) -> list[list[int]]:
    """Numbers of the requests of each visit."""
    found: list[list[int]] = []
    open_: dict[int, list[int]] = {}
    for number, request in sorted(enumerate(requests), key=lambda one: (one[1].begin, one[1].end)):
        visit = open_.get(request.connection)
        first = requests[visit[0]] if visit else None
        if visit and first and first.host == request.host and request.begin < first.begin + slice_:
            visit.append(number)
        else:
            open_[request.connection] = visit = [number]
            found.append(visit)
    return found


def gaps(groups: list[int], intervals: list[tuple[int, int]]) -> dict[int, int]:
    """For each interval that others of its group came before: the time since the last of them ended."""
    order = sorted(range(len(groups)), key=lambda number: (*intervals[number], number))
    result = {}
    for place, number in enumerate(order):
        ends = [intervals[one][1] for one in order[:place] if groups[one] == groups[number]]
        if ends:
            result[number] = intervals[number][0] - max(ends)
    return result


def repeats(requests: list[Request], expiry: int, restarts: list[int], grace: int) -> set[int]:
    """Numbers of the requests that come after a final answer that counts."""

    def counts(answer: Request, request: Request) -> bool:
        lost = [t for t in restarts if answer.begin <= t and t - grace <= answer.end and t <= request.begin]
        return not lost and max(answer.end, answer.begin + 1) <= request.begin < answer.end + expiry

    return {
        number
        for number, request in enumerate(requests)
        if any(
            answer.is_final and answer.url == request.url and counts(answer, request) for answer in requests
        )
    }
