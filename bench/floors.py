"""Floors: what machine-independent qualities (bits per link, AUC, F1, NDCG) must reach, in `floors.toml`.

A table per quality, with `what` it is, the `floor`, which way is `better` (``"less"`` or ``"more"``), the
`unit` and the digest of the `input`. Names are lower-case words joined by ``-``. A quality measured on other
data is not compared: that is refused, because a floor without its data says nothing.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from bench.frame import BenchError

FILE = Path(__file__).with_name("floors.toml")


@dataclass(frozen=True, kw_only=True)
class Floor:
    """One line that a quality must not fall below, or rise above where less is better."""

    name: str
    what: str
    floor: float
    better: str
    unit: str
    input: str

    def is_reached(self, measured: float) -> bool:
        """Whether `measured` is as good as the floor.

        Examples
        --------
        >>> floor = Floor(
        ...     name="auc", what="AUC", floor=0.9, better="more", unit="", input="sha256:" + "0" * 64
        ... )
        >>> floor.is_reached(0.9), floor.is_reached(0.89)
        (True, False)
        """
        return measured <= self.floor if self.better == "less" else measured >= self.floor


def read_floors(file: Path = FILE) -> dict[str, Floor]:
    """Every floor of `file` by its name, or `BenchError` with the first that is not as the format says."""
    try:
        tables = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{file.name}: this is not TOML ({error}); mend the line") from error
    return {name: _read_floor(file, name, table) for name, table in tables.items()}


def _read_floor(file: Path, name: str, table: object) -> Floor:
    def refuse(problem: str) -> BenchError:
        return BenchError(f"{file.name}, [{name}]: {problem}")

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or not isinstance(table, dict):
        raise refuse("a floor is a table whose name is lower-case words joined by `-`")
    wanted = {field.name for field in fields(Floor)} - {"name"}
    if set(table) != wanted:
        raise refuse(f"it has {', '.join(sorted(table))}; expected are exactly {', '.join(sorted(wanted))}")
    value = table["floor"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(f"`floor` is {value!r}, and a number was expected")
    if table["better"] not in ("less", "more"):
        raise refuse(f"`better` is {table['better']!r}, and less or more was expected")
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", str(table["input"])):
        raise refuse("`input` is no digest; expected is sha256: and 64 hexadecimal digits")
    texts = {key: str(table[key]) for key in ("what", "better", "unit", "input")}
    return Floor(name=name, floor=float(value), **texts)


def require(name: str, measured: float, digest: str, *, file: Path = FILE) -> Floor:
    """The floor called `name`, reached; or `BenchError` with what was measured and what to do."""
    floors = read_floors(file)
    if name not in floors:
        known = ", ".join(floors) or "none yet"
        raise BenchError(f"{file.name}: there is no floor {name} (floors: {known}); add it")
    floor = floors[name]
    if digest != floor.input:
        raise BenchError(
            f"{file.name}, [{name}]: measured on {digest}, and the floor belongs to {floor.input}; "
            "set both anew, and say why in the changelog"
        )
    if not floor.is_reached(measured):
        word = "above" if floor.better == "less" else "below"
        raise BenchError(
            f"{floor.what}: {measured:g} {floor.unit} is {word} the floor of {floor.floor:g}; "
            "find the change that lost it"
        )
    return floor
