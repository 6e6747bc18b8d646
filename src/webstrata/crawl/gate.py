"""Hosts at the gate: what was shown of each, what was said, and what stays said when a crawl goes on.

A gate is a function of `HostSample` (a batch) that says for each whether the host is crawled on. What it says
may be true or false, or anything that is: where it has a ``score`` and a reason ``why``, they are written
down. ``crawl/gate.jsonl`` has a line a host: ``time`` (seconds since 1970), ``origin``, ``keeps``, ``pages``
(how many were shown), ``score`` and ``why``.

A crawl that goes on does not ask again about a host that it has a line for: what was decided stays decided.
A host that a retry took back is let in. Where a gate has a method ``remember``, it is
given the scores of those lines first.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.crawl.judging import HostSample
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from webstrata.crawl.filters import Response

    Gate = Callable[[list[HostSample]], Iterable[Any]]

FILE = "gate.jsonl"
_BATCH = 64
"""Hosts asked about at once, so that the first need not wait for the last."""


@dataclass(frozen=True)
class GateDecision:
    """What a gate said of a host."""

    origin: str
    keeps: bool
    pages: int = 0
    score: float | None = None
    why: str = ""
    time: float = 0.0


class GateKeeper:
    """Asks the gate of a crawl, and keeps what it says.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> keeper = GateKeeper(lambda samples: ["good" in sample.origin for sample in samples], folder)
    >>> list(keeper.answer(["http://good.example", "http://bad.example"]))
    [('http://good.example', True), ('http://bad.example', False)]
    >>> keeper.summary()["refused"], [decision.keeps for decision in read_decisions(folder)]
    (1, [True, False])
    """

    def __init__(self, gate: Gate | None, folder: Path, given_up: Collection[str] = ()) -> None:
        self.gate = gate
        self._path = folder / FILE
        self._samples: dict[str, list[Response]] = defaultdict(list)
        self._seconds = 0.0
        # who was refused and is not given up any more was taken back
        self.decisions = {
            decision.origin: decision
            for decision in read_decisions(folder)
            if decision.keeps or decision.origin in given_up
        }
        if gate is not None and hasattr(gate, "remember"):
            scores = {name: said.score for name, said in self.decisions.items() if said.score is not None}
            gate.remember(scores)

    def show(self, origin: str, page: Response) -> None:
        """Take in a page of a host that the gate will be asked about."""
        self._samples[origin].append(page)

    def answer(self, held: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """For each host that waits whether it is crawled on."""
        if self.gate is None:
            return
        unknown = []
        for origin in held:
            if origin in self.decisions:
                yield origin, self.decisions[origin].keeps
            else:
                unknown.append(origin)
        for begin in range(0, len(unknown), _BATCH):
            batch = unknown[begin : begin + _BATCH]
            samples = [HostSample(origin, self._samples.pop(origin, [])) for origin in batch]
            started = time.thread_time()
            told = list(self.gate(samples))
            self._seconds += time.thread_time() - started
            lines = []
            for sample, said in zip(samples, told, strict=True):
                score = getattr(said, "score", None)
                decision = GateDecision(
                    sample.origin,
                    bool(said),
                    len(sample.pages),
                    None if score is None else round(float(score), 4),
                    str(getattr(said, "why", "")),
                    round(time.time(), 3),
                )
                self.decisions[sample.origin] = decision
                lines.append(json.dumps(asdict(decision)) + "\n")
            # written before the crawl hears of it: what is not written is asked again
            with explained(self._path, "write"), self._path.open("a") as stream:
                stream.writelines(lines)
            yield from ((sample.origin, self.decisions[sample.origin].keeps) for sample in samples)

    def summary(self) -> dict[str, Any]:
        """How many hosts were judged and refused, and the processor time of that; nothing without a gate."""
        if self.gate is None:
            return {}
        refused = [decision for decision in self.decisions.values() if not decision.keeps]
        worst = sorted(refused, key=lambda decision: (-(decision.score or 0.0), decision.origin))
        return {
            "hosts": len(self.decisions),
            "refused": len(refused),
            "seconds": round(self._seconds, 3),
            "examples": [asdict(decision) for decision in worst[:10]],
        }


def read_decisions(folder: Path) -> list[GateDecision]:
    """What a gate has said so far, the last word on each host; none where there was no gate.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> keeper = GateKeeper(lambda samples: [False for _ in samples], folder)
    >>> _ = list(keeper.answer(["http://bad.example"]))
    >>> [(decision.origin, decision.keeps) for decision in read_decisions(folder)]
    [('http://bad.example', False)]
    """
    path = folder / FILE
    if not path.exists():
        return []
    with explained(path, "read"):
        lines = path.read_bytes().splitlines(keepends=True)
    found: dict[str, GateDecision] = {}
    for number, line in enumerate(lines, 1):
        try:
            decision = GateDecision(**json.loads(line))
        except (ValueError, TypeError):
            if number == len(lines) and not line.endswith(b"\n"):
                break  # the end was torn off
            raise FormatError(
                f"{path}, line {number}: this is no decision of a gate; restore the file from a copy, or "
                "remove it to have the gate asked again"
            ) from None
        found[decision.origin] = decision
    return list(found.values())
