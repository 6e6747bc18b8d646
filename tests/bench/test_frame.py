"""The frame measures both sides in turns, says which way is ahead, and never makes a peer up."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from bench import frame
from bench.data import find_figures
from bench.frame import BenchError, Call, Figure, Peer, Program, Samples, find_ratio, measure

if TYPE_CHECKING:
    from pathlib import Path

HERE = Peer("python", program=sys.executable)
SLOW = Call("time:sleep", arguments=(0.02,))
PAIR = ("ours", "theirs")
FAST = Call("time:sleep", arguments=(0.001,))


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(frame, "DATA", tmp_path / "data")
    return tmp_path / "data"


def make(**changes: Any) -> Figure:  # noqa: ANN401
    facts: dict[str, Any] = {
        "name": "sample",
        "ours": FAST,
        "theirs": SLOW,
        "peer": HERE,
        "rounds": 5,
        "quick_rounds": 3,
    }
    return Figure(**facts | changes)


def test_a_line_has_everything_that_a_reader_needs() -> None:
    line = json.loads(json.dumps(measure(make(), quick=True)))
    assert list(line)[:8] == ["figure", "ours", "theirs", "ratio", "unit", "peer", "input", "commit"]
    assert line["figure"] == "sample"
    assert line["ours"] < line["theirs"]
    assert line["ratio"] > 1
    assert line["rounds"] == 3
    low, high = line["spread"]["theirs"]
    assert low <= line["theirs"] <= high
    assert line["input"].startswith("sha256:")


def test_above_one_always_means_that_we_are_ahead() -> None:
    assert find_ratio(1.0, 2.0, "less") == 2.0
    assert find_ratio(1.0, 2.0, "more") == 0.5
    assert find_ratio(0.0, 2.0, "less") is None


def test_the_slower_side_is_behind() -> None:
    ratio = measure(make(ours=SLOW, theirs=FAST), quick=True)["ratio"]
    assert ratio < 1


def test_an_answer_can_be_the_figure() -> None:
    line = measure(
        make(
            ours=Call("math:sqrt", arguments=(16,)),
            theirs=Call("math:sqrt", arguments=(4,)),
            measure="answer",
            better="more",
            unit="pages/s",
        )
    )
    assert (line["ours"], line["theirs"], line["ratio"], line["rounds"]) == (4.0, 2.0, 2.0, 5)


def test_an_answer_can_say_more_than_the_figure() -> None:
    ours = Call("builtins:dict", arguments=([["value", 4.0], ["pages", 7]],))
    theirs = Call("builtins:dict", arguments=([["value", 2.0]],))
    line = measure(make(ours=ours, theirs=theirs, measure="answer", better="more"), quick=True)
    assert (line["ours"], line["theirs"], line["ratio"]) == (4.0, 2.0, 2.0)
    assert line["details"] == {"ours": {"pages": 7}, "theirs": {}}


def test_a_figure_can_do_without_the_round_that_is_thrown_away(tmp_path: Path) -> None:
    def sides(name: str) -> dict[str, Call]:  # a folder can be made once
        return {side: Call("os:mkdir", arguments=(str(tmp_path / f"{name}-{side}"),)) for side in PAIR}

    assert measure(make(**sides("once"), rounds=1, warm_up=False))["rounds"] == 1
    with pytest.raises(BenchError, match="FileExistsError"):
        measure(make(**sides("twice"), rounds=1))


def test_quick_leaves_out_what_takes_long_unless_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    figures = [make(name="short"), make(name="long", in_quick=False)]
    seen = []
    for arguments in (["--quick"], ["--quick", "long"], []):
        with pytest.raises(SystemExit):
            frame.main(figures, arguments)
        seen.append([json.loads(line)["figure"] for line in capsys.readouterr().out.splitlines()])
    assert seen == [["short"], ["long"], ["short", "long"]]


def test_answers_that_must_agree_and_do_not_are_no_figure() -> None:
    ours, theirs = Call("math:sqrt", arguments=(16,)), Call("math:sqrt", arguments=(4,))
    with pytest.raises(BenchError, match="their answers differ"):
        measure(make(ours=ours, theirs=theirs, agree=True), quick=True)


def test_a_program_is_measured_with_its_processor_time_and_memory() -> None:
    work = "block = bytearray(80_000_000); total = sum(range(2_000_000))"
    program = Program((sys.executable, "-S", "-c", work))
    peak = measure(make(ours=program, theirs=program, measure="peak", unit="bytes"), quick=True)["ours"]
    assert 80_000_000 < peak < 160_000_000
    assert measure(make(ours=program, theirs=program, measure="cpu"), quick=True)["ours"] > 0.005


def test_the_memory_of_the_frame_is_not_counted_as_the_program_s() -> None:
    ballast = bytearray(200_000_000)
    program = Program((sys.executable, "-S", "-c", "pass"))
    line = measure(make(ours=program, theirs=program, measure="peak", unit="bytes"), quick=True)
    assert line["ours"] < len(ballast) / 4


@pytest.mark.parametrize(
    ("peer", "absent"),
    [
        (Peer("no-such-package"), "no-such-package: run `make peers`"),
        (Peer("wrk", program="no-such-program"), "wrk: install it, so that `no-such-program` is on the PATH"),
    ],
)
def test_a_peer_that_is_absent_is_said_and_not_faked(peer: Peer, absent: str) -> None:
    line = measure(make(peer=peer), quick=True)
    assert line["absent"] == absent
    assert line["theirs"] is None
    assert line["ratio"] is None
    assert line["ours"] > 0
    assert "theirs" not in line["spread"]


def test_a_peer_is_found_with_its_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lib/python3.11/site-packages/Some_Peer-1.2.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(frame, "PEERS", tmp_path / "bin")
    assert Peer("some-peer").find_absence() == ""
    assert str(Peer("some-peer")) == "some-peer 1.2.0"
    assert Peer("some").find_absence() == "some: run `make peers`"


def test_sides_take_turns_and_the_first_round_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[str] = []
    run = frame.Worker.run

    def note(worker: frame.Worker, place: Path) -> dict[str, Any]:
        turns.append("ours" if worker.side is FAST else "theirs")
        return run(worker, place)

    monkeypatch.setattr(frame.Worker, "run", note)
    assert measure(make(), quick=True)["rounds"] == 3
    assert turns == ["theirs", "ours", "ours", "theirs", "theirs", "ours", "ours", "theirs"]


def test_rounds_end_when_the_time_is_over_but_never_below_three() -> None:
    assert measure(make(rounds=50), seconds=0)["rounds"] == 3


@pytest.mark.parametrize(
    ("side", "sentence"),
    [
        (Program((sys.executable, "-c", "raise SystemExit(3)")), "ended with 3"),
        (Program(("no-such-program",)), "no-such-program: FileNotFoundError"),
        (Call("math:sqrt", arguments=(-1,)), "math:sqrt: ValueError"),
        (Call("no_such_module:run"), "no_such_module:run: it ended with 1 and no answer"),
        (Call("os:_exit", arguments=(7,)), "os:_exit: it ended with 7 and no answer"),
    ],
)
def test_a_side_that_fails_is_named(side: Program | Call, sentence: str) -> None:
    with pytest.raises(BenchError, match=sentence):
        measure(make(ours=side), quick=True)


def test_what_a_side_prints_is_no_answer() -> None:
    side = Call("builtins:print", arguments=("not JSON",))
    assert measure(make(ours=side), quick=True)["ours"] > 0


def test_an_input_is_made_once_and_has_a_digest_of_its_bytes(data: Path) -> None:
    calls: list[bool] = []

    def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001
        calls.append(quick)
        (folder / "a.txt").write_text("small" if quick else "large")

    figure = make(prepare=prepare)
    small, again, large = (measure(figure, quick=quick)["input"] for quick in (True, True, False))
    assert small == again != large
    assert calls == [True, False]
    assert sorted(path.name for path in data.rglob("*.txt")) == ["a.txt", "a.txt"]
    assert not [path for path in data.rglob(".*")]


def test_a_program_finds_the_input() -> None:
    def prepare(folder: Path, _quick: bool) -> None:  # noqa: FBT001
        (folder / "a.txt").write_text("here")

    for side in (
        Program(("test", "-s", "{input}/a.txt")),
        Program(("test", "-s", "a.txt"), in_input=True),
    ):
        assert measure(make(ours=side, theirs=side, prepare=prepare), quick=True)["ours"] > 0


def test_spread_is_the_middle_half() -> None:
    assert Samples([5.0, 1.0, 2.0, 3.0, 4.0]).quartiles == [2.0, 4.0]
    assert Samples([7.0]).quartiles == [7.0, 7.0]


def test_the_corpus_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBSTRATA_CORPUS", str(tmp_path))
    assert frame.find_corpus() == tmp_path
    monkeypatch.setenv("WEBSTRATA_CORPUS", "/no/such/folder")
    with pytest.raises(BenchError, match="which is no folder; name a folder of HTML pages"):
        frame.find_corpus()
    monkeypatch.delenv("WEBSTRATA_CORPUS")
    with pytest.raises(BenchError, match="is not set"):
        frame.find_corpus()


def test_the_command_prints_one_line_per_figure(capsys: pytest.CaptureFixture[str]) -> None:
    broken = make(name="broken", ours=Program(("no-such-program",)))
    with pytest.raises(SystemExit) as end:
        frame.main([make(), broken, make(name="other")], ["--quick", "sample", "broken"])
    printed = capsys.readouterr()
    assert end.value.code == 1
    assert [json.loads(line)["figure"] for line in printed.out.splitlines()] == ["sample"]
    assert printed.err.startswith("bench: broken: no-such-program")


def test_a_figure_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        frame.main([make()], ["nonsense"])
    assert end.value.code == 2
    assert "nonsense is no figure; known are sample" in capsys.readouterr().err


def test_every_figure_has_a_name_of_its_own() -> None:
    figures = find_figures()
    assert figures
    assert len({figure.name for figure in figures}) == len(figures)


@pytest.mark.slow
def test_every_figure_has_a_small_input(data: Path) -> None:
    lacking = []
    for figure in find_figures():
        try:
            first = frame.find_input(figure, quick=True)
        except BenchError as error:
            if not str(error).startswith("WEBSTRATA_CORPUS"):
                raise
            lacking.append(figure.name)
            continue
        digest = frame.digest_tree(first, figure.name)
        first.rename(data / "moved")
        again = frame.digest_tree(frame.find_input(figure, quick=True), figure.name)
        assert figure.varies or again == digest, figure.name
        (data / "moved").rename(data / f"before-{figure.name}")
    if lacking:
        pytest.skip(f"no input of {', '.join(lacking)}; name a folder of HTML pages in WEBSTRATA_CORPUS")
