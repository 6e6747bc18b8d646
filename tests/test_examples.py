"""The examples of docstrings: a reader can paste each of them, and each shows a result."""

from __future__ import annotations

import ast
import doctest
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.test_house import modules, parse, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = re.compile(r"\bgetfixture\b|\b(?:from|import) tests\b")


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documented(node: Documented) -> Iterator[Documented]:
    """A module with its functions, classes and their methods."""
    yield node
    if isinstance(node, ast.Module | ast.ClassDef):
        for inner in node.body:
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from documented(inner)


@cache
def all_examples() -> dict[str, list[doctest.Example]]:
    """The examples of each module, class and function, by file, line and name."""
    found = {}
    for path in modules():
        for node in documented(parse(path)):
            if ">>>" in (docstring := ast.get_docstring(node) or ""):
                place = f"{shown(path)}:{getattr(node, 'lineno', 1)}: {getattr(node, 'name', 'module')}"
                found[place] = doctest.DocTestParser().get_examples(docstring)
    return found


def shows_more(name: str, examples: list[doctest.Example]) -> bool:
    """Whether there is a result besides exceptions; of what returns nothing, a call that passes."""
    calls = re.compile(rf"\b{name}\(")
    return any(
        bool(example.want.strip()) or calls.search(example.source) is not None
        if example.exc_msg is None
        else len(calls.findall(example.source)) > 1  # the block passes the first of them
        for example in examples
    )


def test_every_example_can_be_pasted_by_a_reader() -> None:
    hidden = [
        place
        for place, examples in all_examples().items()
        if any(HIDDEN.search(example.source) for example in examples)
    ]
    assert not hidden, f"use webstrata.testing, or make what the example needs in the example: {hidden}"


NO_RESULT_YET = {"find_crawl", "find_remote"}
"""Functions that need a crawl that is running in another process."""


def test_no_example_shows_an_exception_alone() -> None:
    alone = [
        place
        for place, examples in all_examples().items()
        if place.rpartition(" ")[2] not in NO_RESULT_YET
        and any(example.exc_msg for example in examples)
        and not shows_more(place.rpartition(" ")[2], examples)
    ]
    assert not alone, f"show what comes back first, and an exception after it if it is the point: {alone}"


REFUSED = "Traceback (most recent call last):\nValueError: no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f">>> check(1)\n{REFUSED}", False),
        (f">>> value = 1\n>>> check(value)\n{REFUSED}", False),
        (f">>> check(0)\n>>> check(1)\n{REFUSED}", True),
        (f">>> 1 + 1\n2\n>>> check(1)\n{REFUSED}", True),
        (f">>> with block():\n...     check(0)\n...     check(1)\n{REFUSED}", True),
    ],
)
def test_the_check_of_exceptions_knows_both_kinds_of_examples(text: str, *, expected: bool) -> None:
    assert shows_more("check", doctest.DocTestParser().get_examples(text)) is expected


def test_examples_are_found_in_modules_classes_and_functions() -> None:
    names = {place.rpartition(" ")[2] for place in all_examples()}
    assert {"module", "Collection", "create", "scratch"} <= names
    assert len(names) > 1000
