"""An action is the same thing to do, as a command and as a call."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from webstrata.collection.action import Action, Recorded, Steps, locate, rebuild
from webstrata.errors import MissingError, UrlError


def test_a_command_is_read_by_a_shell_as_it_was_meant() -> None:
    action = Action(
        "search",
        "my web",
        "2026-06",
        ("big {fish} & chips",),
        {"host": "a b", "again": True, "robots": False},
    )
    assert shlex.split(action.command) == [
        "webstrata", "search", "my web", "2026-06", "big {fish} & chips",
        "--host", "a b", "--again", "--no-robots",
    ]  # fmt: skip
    filled = action.template.format(collection="'my web'", snapshot="2026-06")
    assert filled == action.command


@pytest.mark.parametrize(
    ("action", "call"),
    [
        (Action("new", "uk"), "webstrata.create('uk')"),
        (Action("new", "uk", "2026-06"), "collection.add('2026-06')"),
        (
            Action("build", "uk", "2026-06", ("graph",), {"window": 16}),
            "snapshot.build('graph', window=16)",
        ),
        (Action("check", "uk", options={"repair": True}), "collection.check(repair=True)"),
    ],
)
def test_a_call_is_python(action: Action, call: str) -> None:
    assert action.call == call
    compile(call, "call", "eval")


def test_an_error_shows_a_call_in_python_and_a_command_on_the_command_line() -> None:
    fix = Action("build", "uk", "2026-06", ("graph",))
    error = MissingError("2026-06: no graph; {fix}, or leave it out", fix=fix)
    assert str(error) == "2026-06: no graph; call `snapshot.build('graph')`, or leave it out"
    assert error.explain() == "2026-06: no graph; run `webstrata build uk 2026-06 graph`, or leave it out"
    assert str(UrlError("no URL", "reason")) == "no URL"


def test_an_error_survives_another_process() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(MissingError("no graph", fix=Action("build", "uk"))))
    assert error.explain() == "no graph; run `webstrata build uk`"


def test_the_part_of_a_file_is_known_by_its_path() -> None:
    assert locate(Path("a/uk/.parts/temporal.12/maps/x")) == ("a/uk", "", "temporal")
    assert locate(Path("uk/snapshots/2026-06/crawl/x")) == ("uk", "2026-06", "")
    path = Path("uk/snapshots/2026-06/.parts/spectrum-host.3/a.npy")
    assert rebuild(path, "spectrum").command == "webstrata build uk 2026-06 spectrum-host"


def test_steps_are_one_line() -> None:
    steps = Steps((Action("check", "uk"), Recorded("webstrata ingest uk 2026-06 a.warc")))
    assert steps.command == "webstrata check uk && webstrata ingest uk 2026-06 a.warc"
    assert steps.call.startswith("collection.check(); subprocess.run(")
