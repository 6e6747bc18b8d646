"""Never a half part, never a lost one: real deaths at every step of a build, against a small model."""

from __future__ import annotations

import shutil
import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.collection.crash_driver import Driver, content
from tests.strategies import fault_plans
from webstrata.collection import Collection, Part, Snapshot
from webstrata.collection.check import check_collection
from webstrata.collection.faults import POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARTS = ("graph", "urls")
KILLED = -signal.SIGKILL


class Model:
    """What may be there of each part: the tokens of builds, ``None`` for nothing."""

    def __init__(self) -> None:
        self.possible: dict[str, set[int | None]] = {name: {None} for name in PARTS}

    def tried(self, part: str, token: int | None, status: int) -> None:
        """A build that ended well has replaced everything; one that did not may have, or not."""
        self.possible[part] = {token} if status == 0 else self.possible[part] | {token}

    def saw(self, part: str, token: int | None) -> None:
        """What a reader found must have been possible, and nothing else is from now on."""
        assert token in self.possible[part], f"{part} holds {token}, expected one of {self.possible[part]}"
        self.possible[part] = {token}


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with Driver() as driver:
        yield driver


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return fresh_collection(tmp_path)


def fresh_collection(folder: Path) -> Collection:
    shutil.rmtree(folder / "uk", ignore_errors=True)
    collection = Collection.create(folder / "uk")
    collection.add("2026-06")
    return collection


def read_files(part: Part) -> dict[str, bytes]:
    names = (path.relative_to(part.path) for path in part.path.rglob("*") if path.is_file())
    return {
        str(name): (part.path / name).read_bytes()
        for name in names
        if str(name) not in ("SHA256SUMS", "XXH3SUMS", "part.toml")
    }


def read_token(snapshot: Snapshot, name: str) -> int | None:
    """The token of a part, after a look at every byte of it; ``None`` where there is none."""
    if name not in snapshot.parts:
        return None
    with snapshot.open_part(name) as part:
        token = part.counts["token"]
        assert read_files(part) == content(token)
        return token


def assert_sound(path: Path) -> Snapshot:
    """Open it anew, as the next process would, and find no damage."""
    collection = Collection.open(path)
    assert check_collection(collection).damage == []
    return collection["2026-06"]


steps = st.tuples(
    st.sampled_from(["build", "build", "build", "remove", "hold"]),
    st.sampled_from(PARTS),
    st.integers(1, 200),
    st.one_of(fault_plans(), st.floats(0, 0.03)),
)


def play(driver: Driver, folder: Path, sequence: list[tuple[str, str, int, str | float]]) -> list[int]:
    """Carry out a sequence of steps, looking at everything after each; return how the children ended."""
    path = fresh_collection(folder).path
    model = Model()
    ends: list[int] = []
    with ExitStack() as held:
        promised: list[tuple[Part, int]] = []
        for verb, name, token, fault in sequence:
            if verb == "hold":
                if (now := read_token(assert_sound(path), name)) is not None:
                    part = held.enter_context(Collection.open(path)["2026-06"].open_part(name))
                    promised.append((part, now))
                continue
            words = {"plan": fault} if isinstance(fault, str) else {"kill_after": fault}
            status, said = driver.order(path, verb, part=name, token=token, **words)
            if verb == "build":
                model.tried(name, token, status)
            elif "there is no part" not in said:
                model.tried(name, None, status)
            ends.append(status)
            snapshot = assert_sound(path)
            for other in PARTS:
                model.saw(other, read_token(snapshot, other))
            for part, then in promised:
                assert read_files(part) == content(then), "a reader lost what it had opened"
    # and after all that, building again just works, and leaves nothing behind
    for name in PARTS:
        assert driver.order(path, part=name, token=7)[0] == 0
        assert read_token(assert_sound(path), name) == 7
    assert check_collection(Collection.open(path)).notes == []
    return ends


@settings(max_examples=10)
@given(st.lists(steps, min_size=2, max_size=8))
@example(
    [("build", "graph", 1, ""), ("remove", "graph", 1, "crash at=file.renamed"), ("build", "graph", 2, "")]
)
def test_no_sequence_of_builds_and_crashes_halves_or_loses_a_part(
    driver: Driver, tmp_path: Path, sequence: list[tuple[str, str, int, str | float]]
) -> None:
    play(driver, tmp_path, sequence)


@pytest.mark.slow
@settings(max_examples=600)
@given(st.lists(steps, min_size=4, max_size=20))
def test_no_long_sequence_of_builds_and_crashes_halves_or_loses_a_part(
    driver: Driver, tmp_path: Path, sequence: list[tuple[str, str, int, str | float]]
) -> None:
    play(driver, tmp_path, sequence)


# every file passes three of the points: here one pass in four, with `make slow` each of them
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize(
    ("before", "stride"), [(11, 4), *(pytest.param(old, 1, marks=pytest.mark.slow) for old in (11, None))]
)
def test_a_crash_at_each_pass_of_each_point_leaves_the_old_part_or_the_new_one(
    driver: Driver, tmp_path: Path, point: str, before: int | None, stride: int
) -> None:
    passes = 0
    while True:
        path = fresh_collection(tmp_path).path
        if before is not None:
            assert driver.order(path, part="graph", token=before)[0] == 0
        status, _ = driver.order(path, part="graph", token=22, plan=f"crash at={point} after={passes}")
        if status == 0:
            break
        assert status == KILLED
        snapshot = assert_sound(path)
        assert read_token(snapshot, "graph") in {before, 22}
        status, said = driver.order(path, part="graph", token=33)
        assert status == 0
        assert "took over the lock of process" in said
        assert read_token(assert_sound(path), "graph") == 33
        assert check_collection(Collection.open(path)).notes == []
        passes += stride if point.startswith("file.") else 1
    assert passes > 0, f"no build passes {point}; take it out of faults.POINTS, or pass it again"


@pytest.mark.parametrize(
    "name", ["manifest.toml", "manifest.toml.bak", "part.toml", "SHA256SUMS", "XXH3SUMS", "file-0"]
)
def test_a_write_torn_at_any_byte_leaves_the_old_part(driver: Driver, tmp_path: Path, name: str) -> None:
    collection = fresh_collection(tmp_path)
    assert driver.order(collection.path, part="graph", token=11)[0] == 0
    plan = f"torn path=*{name}* after="
    for after in range(0, 10_000, 97):
        status, _ = driver.order(collection.path, part="graph", token=22, plan=plan + str(after))
        if status == 0:
            assert after > 0
            return
        assert status == KILLED
        assert read_token(assert_sound(collection.path), "graph") == 11
    pytest.fail(f"{name} was torn even where it has no more bytes")


@pytest.mark.parametrize(
    "kind", ["no-space", "write-fails", pytest.param("sync-fails", marks=pytest.mark.long)]
)
def test_a_disk_that_fails_at_any_moment_costs_no_part(
    driver: Driver, collection: Collection, kind: str
) -> None:
    token, then = 10, 10
    assert driver.order(collection.path, part="graph", token=token)[0] == 0
    for after in range(0, 10_000, 1 if kind == "sync-fails" else 151):
        token += 1
        status, said = driver.order(collection.path, part="graph", token=token, plan=f"{kind} after={after}")
        now = read_token(assert_sound(collection.path), "graph")
        if status == 0:
            assert now == token
            assert after > 0
            return
        assert status == (2 if kind == "no-space" else 1)
        assert said.count("\n") == 1
        assert now in {then, token}
        then = token if now == token else then
    pytest.fail("the disk failed even after the last byte")


@pytest.mark.parametrize(
    "point", ["file.created", pytest.param("file.synced", marks=pytest.mark.long), "file.renamed"]
)
def test_a_collection_whose_creation_was_interrupted_can_be_created_again(
    driver: Driver, tmp_path: Path, point: str
) -> None:
    path = tmp_path / "uk"
    for passes in range(20):
        status, _ = driver.order(path, "create", plan=f"crash at={point} after={passes}")
        if status == 0:
            break
        assert status == KILLED
        if not (path / "collection.toml").exists():
            assert driver.order(path, "create")[0] == 0
        assert Collection.open(path).title == "uk"
        shutil.rmtree(path)
    assert 0 < passes < 19
