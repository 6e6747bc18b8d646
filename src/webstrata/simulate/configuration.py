"""How a simulation can be done again: its settings, and what they were applied to.

What comes out depends on the settings, on the parts that were read, and on the files that settings name
(labels, scores, examples, pages to begin with, addresses, policies); all of them are told, with checksums.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webstrata.collection import Snapshot
    from webstrata.simulate.settings import SimulateSettings


def make_configuration(
    snapshot: Snapshot, settings: SimulateSettings, inputs: Iterable[str] = ()
) -> dict[str, Any]:
    """Every setting, the parts with their checksums, and the files that were named with theirs.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> file = testing.scratch() / "good.txt"
    >>> _ = file.write_text("http://a.org/ sports")
    >>> settings = ws.SimulateSettings(relevant=f"labels:{file}#sports")
    >>> found = make_configuration(snapshot, settings)
    >>> found["snapshot"], [Path(name).name for name in found["files"]], found["simulate"]["runs"]
    ('2026-06', ['good.txt'], 1)
    """
    find = snapshot.collection.find_record
    names = dict.fromkeys(snapshot.collection.qualify(snapshot, name) for name in inputs)
    return {
        "snapshot": snapshot.date,
        "version": __version__,
        "simulate": settings.to_dict(),
        "inputs": {name: find(name).checksum for name in names},
        "files": {str(path): _digest(path) for path in _named_files(settings)},
    }


def differences(configuration: Mapping[str, Any], snapshot: Snapshot) -> list[str]:
    """What is another one now than when a configuration was written: parts and files, a sentence each.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> differences({"inputs": {"2026-06/graph": snapshot.parts.record("graph").checksum}}, snapshot)
    []
    >>> differences({"inputs": {"2026-06/sound": "sha256:1"}}, snapshot)
    ['2026-06/sound is not there any more; the numbers will be others']
    """
    found: list[tuple[str, str, str]] = []
    for name, checksum in configuration.get("inputs", {}).items():
        try:
            now = snapshot.collection.find_record(name).checksum
        except MissingError:
            now = ""
        found.append((name, checksum, now))
    for name, digest in configuration.get("files", {}).items():
        found.append((name, digest, _digest(Path(name)) if _is_file(Path(name)) else ""))
    return [
        f"{name} is {'another one now' if now else 'not there any more'}; the numbers will be others"
        for name, then, now in found
        if now != then
    ]


def _named_files(settings: SimulateSettings) -> list[Path]:
    told = [settings.relevant.partition(":")[2], settings.seen.partition(":")[2], settings.start]
    told += [settings.addresses, settings.robots, *(name.rpartition(":")[0] for name in settings.policy)]
    paths = [Path(name.partition("#")[0]) for name in told if name]
    return [path for path in dict.fromkeys(paths) if _is_file(path)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a query may be longer than a name can be
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
