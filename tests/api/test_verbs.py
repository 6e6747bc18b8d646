"""Every verb of the command line is a method or a function of the Python API, with the same keywords."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import click
import pytest

import webstrata as ws
from webstrata import keywords
from webstrata.cli import verbs
from webstrata.store.table import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXCEPTIONS = {
    "completion": "a script for a shell",
    "classify label": "a dialogue in the terminal",
    "crawl watch": "a dashboard in the terminal; `Snapshot.crawl_status` has its numbers",
    "demo": "a show for the terminal; `webstrata.testing` has ready collections",
    "invitro serve": "it blocks; `ws.invitro.Web(…).serve()` serves for the time of a block",
    "new": "`ws.create` and `Collection.add`",
    "search pages": "the default of `search`: `Collection.search`",
}
"""Verbs without a method, and why."""

ELSEWHERE: dict[str, tuple[object, str]] = {
    "invitro describe": (ws.invitro, "describe"),
    "invitro judge": (ws.invitro, "judge"),
    **{f"table {name}": (RowTable, name) for name in ("get", "put", "delete", "scan")},
}
"""Groups that are objects or modules of their own: ``uk.table.get(…)``, ``ws.invitro.judge(…)``."""

SHOWING = {"json", "plots", "quiet", "verbose", "yes"}
"""Options about what a terminal shows or asks: a result has `to_dict` and `figures`."""

RENAMED = {
    "changes": {"graph", "prepare"},  # `figures` of the answer; counted when asked
    "check": {"fixity"},  # `Collection.fixity`, which gives another result
    "classify experiment": {"output"},  # figures are of the result
    "classify predict": {"explain", "limit", "output", "page"},  # of the model and the table that come back
    "crawl bot-page": {"output"},  # the page is what comes back
    "crawl status": {"metrics"},
    "crawl stop": {"wait"},
    "export": {"warc", "trec", "cdxj", "wacz", "parquet", "wet", "bundle", "bagit"},  # `kind`
    "get": {"raw", "text", "main", "headers"},  # properties of the capture
    "freshness": {"limit"},  # rows of the table that comes back
    "graph convert": {"force"},
    "ingest": {"arc_labels", "urls"},  # `Collection.ingest_arc_labels`
    "links-server": {"seconds", "access_log"},
    "rank": {"all_snapshots"},  # `Collection.rank`, which has the other keywords too
    "report": {"open"},
    "search evaluate": {"runs"},  # `Report.runs`
    "serve": {"seconds", "access_log"},
    "show": {"page_lists"},  # `Snapshot.packages`
    "simulate": {"config", "revisit", "budget", "days"},  # `Snapshot.simulate_revisits`
    "spectrum": {"output"},  # `Spectrum.write`
    "takedown": {"list"},  # `Collection.takedowns`
}
"""Options that are spelled otherwise in Python, or are about the terminal, by verb."""


def walk(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from walk(found, (*words, name))
    else:
        yield " ".join(words), command


def find(verb: str) -> list[Callable[..., Any]]:
    """The methods or the function of a verb: `rank` is one of snapshots, and of a collection."""
    if verb in ELSEWHERE:
        holder, name = ELSEWHERE[verb]
        return [function] if callable(function := getattr(holder, name, None)) else []
    name = verb.replace(" ", "_").replace("-", "_")
    found = [getattr(holder, name, None) for holder in (ws.Snapshot, ws.Collection)]
    return [function for function in [*found, getattr(ws, name, None)] if inspect.isroutine(function)]


def list_keywords(function: Callable[..., Any]) -> set[str]:
    """The parameters of a function, and the names of the settings that it takes."""
    found: set[str] = set()
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            match = re.fullmatch(r"Unpack\[(?:keywords\.)?(\w+)\]", str(parameter.annotation))
            assert match, f"{function.__qualname__}: **{parameter.name} has no TypedDict of keywords"
            found |= set(getattr(keywords, match[1]).__annotations__)
        else:
            found.add(parameter.name)
    return found


ALL = dict(walk(verbs, ()))


def list_missing(verb: str) -> set[str]:
    """Options of a verb that no method of it has as keywords."""
    known = {keyword for function in find(verb) for keyword in list_keywords(function)}
    return {
        name
        for option in ALL[verb].params
        if isinstance(option, click.Option) and not option.hidden
        if not {name := option.opts[-1].lstrip("-").replace("-", "_"), option.name} & known
    }


@pytest.mark.parametrize("verb", [verb for verb in ALL if verb not in EXCEPTIONS])
def test_every_verb_has_a_method_with_its_keywords(verb: str) -> None:
    assert find(verb), f"webstrata {verb}: no such method of Snapshot, Collection or ws"
    if verb not in ELSEWHERE:
        missing = list_missing(verb) - SHOWING
        assert missing == RENAMED.get(verb, set()), f"webstrata {verb}: keywords that its methods lack"


def test_the_crawl_itself_has_a_method_with_its_keywords() -> None:
    command = verbs.get_command(click.Context(verbs), "crawl")
    assert command is not None
    known = list_keywords(ws.Snapshot.crawl)
    names = {parameter.name for parameter in command.params}
    assert names - known <= {"collection", "label", "as_json", "quiet", "verbose"}


def test_exceptions_are_verbs_without_a_method() -> None:
    assert set(EXCEPTIONS) <= set(ALL)
    assert [verb for verb in EXCEPTIONS if verb != "search pages" and find(verb)] == []


def test_no_method_takes_keywords_that_an_editor_cannot_complete() -> None:
    for holder in (ws.Snapshot, ws.Collection):
        for name, method in inspect.getmembers(holder, inspect.isfunction):
            if not name.startswith("_") and method.__module__.startswith("webstrata.api"):
                list_keywords(method)
