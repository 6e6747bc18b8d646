"""Filters that nobody wrote, for some time: `python -m tests.fuzz.filters --seconds 60 --seed 1`.

Texts are put together from the words of the language, cut, repeated and sprinkled with noise. Each is parsed
for one of the five places and compiled to the core. It must be refused with a `FilterError` that points into
the text, or be understood: then it prints as a filter that is the same tree, and answers. Nothing may take a
second of processor time or let the process grow.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time

from tests.endurance.page import write_section
from webstrata.crawl.filters import Filter
from webstrata.crawl.filters.language import explain, parse
from webstrata.crawl.filters.predicates import describe_predicates
from webstrata.errors import FilterError

PLACES = ("schedule", "fetch", "parse", "follow", "store")
WORDS = [*"&|!~()∧∨,", "&&", "||", "and", "or", "not", "true", "FALSE", " ", "\n", "\t", '"', "\\", '\\"']
ARGUMENTS = [
    "",
    "a",
    "foo.bar",
    "3",
    "-1",
    "1e9",
    "64KiB",
    "4s",
    ".*",
    "(a+)+$",
    "[",
    "\\",
    "a,b",
    "\x00",
    "é",
]
ARGUMENTS += [
    '"x"',
    "/etc/passwd",
    "text/html",
    "http://a/",
    "x" * 3000,
    "(" * 70,
    "{1,1000}",
    "(?i)a{999}{999}",
]
MAX_SECONDS = 1.0
MAX_GROWTH = 64 << 20


def make_text(chance: random.Random, names: list[str]) -> str:
    """A filter, or something like it."""
    if chance.random() < 0.5:  # one that can be understood, if the arguments fit
        terms = [f"{chance.choice(names)}({chance.choice(ARGUMENTS)})" for _ in range(chance.randrange(1, 4))]
        terms = [chance.choice(["", "not ", "(true and "]) + term for term in terms]
        terms = [term + ")" * term.startswith("(") for term in terms]
        return chance.choice([" and ", "|", "\n∧ "]).join(terms)
    pieces = []
    for _ in range(chance.choice([1, 2, 3, 5, 9, 40, 200])):
        kind = chance.random()
        if kind < 0.5:
            arguments = chance.choices(ARGUMENTS, k=chance.choice([0, 1, 1, 1, 2, 5]))
            pieces.append(f"{chance.choice(names)}({','.join(arguments)})")
            pieces.append(chance.choice([" and ", " or ", " & not ", "", " ∨ "]))
        elif kind < 0.9:
            pieces.append(chance.choice(WORDS))
        else:
            pieces.append("(" * chance.choice([1, 3, 59, 61, 5000]))
    text = "".join(pieces)
    if chance.random() < 0.3:
        place = chance.randrange(len(text) + 1)
        noise = "".join(chr(chance.choice([*range(128), 0x2028, 0x1F600])) for _ in range(3))
        text = text[:place] + noise + text[place + chance.randrange(4) :]
    return text[: chance.choice([10, 100, 1_000, 20_000])]


def check(text: str, place: str) -> bool:
    """Whether a text is a filter; an `AssertionError` where what must hold of it does not."""
    try:
        found = Filter.parse(text, place=place)
    except FilterError as error:
        if not str(error) or not explain(error):
            raise AssertionError("a refusal says why, and where") from error
        return False
    assert parse(str(found.tree)) == found.tree, "a tree is printed so that it is read as the same tree"
    if place in ("schedule", "follow") and not found.asked:
        found.admits_many(["http://example.org/", "https://a.b/?c"])
    return True


def main() -> None:
    """Fuzz until the time is over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the results into docs/reference/trust.md")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    names = [signature.partition("(")[0] for signature, *_ in describe_predicates()]
    end = time.monotonic() + chosen.seconds
    executions = understood = 0
    slowest, before = 0.0, 0
    while time.monotonic() < end:
        text, place = make_text(chance, names), chance.choice(PLACES)
        begun = time.process_time()
        try:
            understood += check(text, place)
        except Exception as error:
            sys.exit(f"{place}, {text!r}: {type(error).__name__}: {error}")
        took = time.process_time() - begun
        if took > MAX_SECONDS:
            sys.exit(f"{place}, {text!r}: it took {took:.1f} s")
        slowest = max(slowest, took)
        executions += 1
        if executions == 1_000:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    if before and growth > MAX_GROWTH:
        sys.exit(f"the process grew by {growth >> 20} MiB")
    print(
        f"{executions:,} filters, {understood:,} of them understood, the slowest in {slowest * 1000:.0f} ms; "
        f"the process grew by {growth >> 20} MiB"
    )
    if chosen.write:
        write_section(
            "filters",
            f"{executions:,} random filters of a crawl: {understood:,} were understood, "
            f"{executions - understood:,} refused with the place of the error; no crash, none took more than "
            f"{MAX_SECONDS:g} s.",
        )


if __name__ == "__main__":
    main()
