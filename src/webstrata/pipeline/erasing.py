"""Erases URLs: from WARC files, every part, the table, working folders and logs of a collection.

1. The takedown is recorded, so that nothing is shown from here on.
2. Edits of all snapshots with records about the URLs are prepared, then published (`store.editing`): WARC
   files without these records, their index, pages, URLs, text, links and anchors. Payloads that captures of
   other URLs refer to move to the oldest of them.
3. Every other part that is stale now is removed and built again; its declaration says if it is only removed
   (`forget`), and so are parts without a declaration.
4. Old generations, builds under way, damaged parts and working folders are removed, the table is written
   again, and files that name an erased URL are removed.
5. The log of takedowns keeps a digest of the rule instead of its name.

A killed erasure is completed by the same command: before step 3 removes a part, ``erasing.json`` in the
collection lists all that will be removed, so that those are built again. **Kept**: payloads of other pages,
with the links to erased URLs and the quotations that they contain. They are content of those pages; name them
too to erase them.
"""

from __future__ import annotations

import gc
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from webstrata.archive.cdxj import surt
from webstrata.collection.declarations import load_parts
from webstrata.collection.files import crash_point, explained, remove_tree, replace_file
from webstrata.collection.manifest import NAME, keep_copy
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, LockedError, MissingError, UrlError, UsageError
from webstrata.pipeline.build import build_parts
from webstrata.pipeline.life import finish_pending, refuse_unfinished, writing_all
from webstrata.store.editing import FOLDER, prepare_edit, publish_edit
from webstrata.store.moves import has_captures, plan_moves
from webstrata.store.table.cells import Cells
from webstrata.store.takedowns import TakedownRule, block, find_rule, forget_names, parse_rule
from webstrata.store.urls import Urls
from webstrata.web.row_key import from_row_key
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webstrata.api import Collection, Snapshot
    from webstrata.store.table.cells import Cell

_WORKING = ("ingest", "store", "copy", FOLDER, ".building", ".damaged")
_URL = re.compile(rb"https?://[^\s\"'<>\\]+")
_JOURNAL = "erasing.json"
_KEPT = (_JOURNAL, "collection.toml", "snapshot.toml", NAME, "takedowns.jsonl", ".lock")


@dataclass(frozen=True)
class Erasure:
    """What an erasure did."""

    captures: dict[str, int] = field(default_factory=dict)
    """Captures that were erased, by snapshot."""
    moved: dict[str, int] = field(default_factory=dict)
    """Payloads that captures of other URLs got, by snapshot."""
    rebuilt: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Parts and files that were removed and not built again."""
    cells: int = 0
    """Cells of the table."""


def erase(
    collection: Collection,
    what: str,
    *,
    reason: str,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Erasure:
    """Erase a URL, a host or a prefix from a collection for good.

    Parameters
    ----------
    collection
        The collection.
    what
        As `webstrata.store.takedowns.parse_rule` reads it.
    reason
        Why; it is kept in the log, and must not name what is erased.
    workers
        Processes that build parts again.
    progress
        Where the work reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> erasure = erase(uk, "pills.example", reason="spam", workers=1)
    >>> erasure.captures
    {'2026-04': 3, '2026-05': 3, '2026-06': 3}
    >>> [hit.url for hit in uk.search("cheap pills")]
    []
    """
    progress = progress or Progress()
    rule = parse_rule(what)
    counts: dict[str, dict[str, int]] = {}
    drop = _make_drop(rule)
    with writing_all(collection, progress) as held:
        finish_pending(collection, held, progress=progress)
        refuse_unfinished(held.values())
        _refuse_without_captures(held, drop)
        _record(collection, what, reason)
        _let_go(collection)
        plan = plan_moves(held.values(), held, lambda _label, entry: drop(entry.url))
        for label, moves in plan.items():
            counts[label] = prepare_edit(held[label], moves, drop=drop, progress=progress)
            if not counts[label]["files"]:
                remove_tree(held[label].working_folder(FOLDER))
        crash_point("erase.prepared")
        for label, count in counts.items():
            if count["files"]:
                publish_edit(held[label], progress=progress)
                crash_point("erase.one")
        crash_point("erase.published")
        removed = _remove_stale(collection, held)
        crash_point("erase.removed")
        cells = Cells(collection.working_folder("table")).erase(_make_cell_drop(drop))
    rebuilt = _rebuild(collection, removed, workers, progress)
    crash_point("erase.rebuilt")
    with writing_all(collection, progress) as held:
        gone = _sweep(collection, held, drop, rule)
        crash_point("erase.swept")
        (collection.path / _JOURNAL).unlink(missing_ok=True)
        forget_names(collection, rule)
    lost = sorted({name for name in removed if name not in rebuilt} | set(gone))
    return Erasure(
        {label: count["dropped"] for label, count in counts.items() if count["dropped"]},
        {label: count["moved"] for label, count in counts.items() if count["moved"]},
        tuple(rebuilt),
        tuple(lost),
        cells,
    )


def _make_drop(rule: TakedownRule) -> Callable[[str], bool]:
    def drop(url: str) -> bool:
        try:
            return rule.matches(surt(normalize(url)))
        except UrlError:
            return False

    return drop


def _make_cell_drop(drop: Callable[[str], bool]) -> Callable[[str, Cell], bool]:
    def is_erased(row: str, cell: Cell) -> bool:
        words = [from_row_key(row), cell.column, *(cell.value.split() if isinstance(cell.value, str) else ())]
        return any(drop(word) for word in words if "://" in word)

    return is_erased


def _record(collection: Collection, what: str, reason: str) -> None:
    """Take the URLs down, unless that was done before."""
    try:
        find_rule(collection, what)
    except MissingError:
        block(collection, what, reason=reason)


def _refuse_without_captures(held: dict[str, Snapshot], drop: Callable[[str], bool]) -> None:
    for snapshot in held.values():
        if has_captures(snapshot) or "urls" not in snapshot.parts:
            continue
        with snapshot.open_part("urls") as part:
            if any(map(drop, Urls(part.path))):
                raise UsageError(
                    f"{snapshot.path}: this snapshot has such URLs and no captures to build it from without "
                    f"them; remove it, or import it again without them"
                )


def _let_go(collection: Collection) -> None:
    """Close the parts that this object has open: they are of before the erasure."""
    for name in [*vars(collection)]:
        if isinstance(getattr(type(collection), name, None), cached_property):
            del collection.__dict__[name]
    gc.collect()


def _remove_stale(collection: Collection, held: dict[str, Snapshot]) -> list[str]:
    """Remove the parts that were made from what is erased; their qualified names."""
    declared = load_parts()
    removed = []
    for name, state in collection.states().items():
        declaration = declared.get(state.record.name)
        forget = declaration.forget if declaration is not None else "remove"
        # what has no inputs, and is not written by the edit, may hold anything
        if forget != "edit" and (state.stale or state.without or not state.record.inputs):
            removed.append(name)
    removed += [name for name in _read_journal(collection) if name not in removed]
    replace_file(collection.path / _JOURNAL, json.dumps(removed).encode())
    for name in removed:
        label, _, part = name.partition("/")
        holder = (held.get(label) if label else collection) or None
        if holder is not None and part in holder.parts:
            holder.parts.remove(part)
            crash_point("erase.part")
    return removed


def _read_journal(collection: Collection) -> list[str]:
    """The parts that a killed erasure removed, or was about to."""
    path = collection.path / _JOURNAL
    if not path.exists():
        return []
    with explained(path, "read"):
        data = path.read_bytes()
    try:
        found = json.loads(data)
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise ValueError("it names no parts")
    except ValueError as error:
        raise FormatError(
            f"{path}: not the journal of an erasure ({error}); the file is damaged, restore it from a copy "
            "so that the erasure can be completed"
        ) from None
    return found


def _rebuild(
    collection: Collection, removed: list[str], workers: int | None, progress: Progress
) -> list[str]:
    """Build the removed parts that a builder makes, for the snapshots that had them."""
    declared = load_parts()
    built: list[str] = []
    names = {name.partition("/")[2] for name in removed}
    for part in declared:
        if part not in names or not declared[part].is_built or declared[part].forget != "rebuild":
            continue
        labels = [name.partition("/")[0] for name in removed if name.partition("/")[2] == part]
        snapshots = [label for label in labels if label in collection]
        made = build_parts(collection, [part], snapshots=snapshots, workers=workers, progress=progress)
        built += made
        built += [name for name in removed if name.partition("/")[2] == part and name not in built]
    return built


def _sweep(
    collection: Collection, held: dict[str, Snapshot], drop: Callable[[str], bool], rule: TakedownRule
) -> list[str]:
    """Remove what may still hold erased bytes; the files that were removed because they name a URL."""
    gone = []
    for holder in (collection, *held.values()):
        for name in _WORKING:
            remove_tree(holder.path / name)
        holder.parts.sweep()
        current = {holder.parts.path(record) for record in holder.parts}
        if open_still := [path for _, _, path in holder.parts.generations() if path not in current]:
            raise LockedError(
                f"{open_still[0]}: a reader has this older version open, so it cannot be erased yet; stop "
                f"the reader, and run the same command again"
            )
        if (holder.path / NAME).exists():
            keep_copy(holder.path / NAME, holder.path / f"{NAME}.bak")
        gone += [str(path.relative_to(collection.path)) for path in _remove_mentions(holder.path, drop, rule)]
    return gone


def _remove_mentions(folder: Path, drop: Callable[[str], bool], rule: TakedownRule) -> Iterator[Path]:
    """Remove files outside of parts that name a URL, and what a crawl left to resume from."""
    host = ".".join(reversed(rule.key.split(","))).encode() if rule.kind == "host" else b""
    for path in sorted(folder.iterdir()):
        if path.name in (*_KEPT, ".parts", "snapshots", "table") or path.is_symlink():
            continue
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if not file.is_file():
                continue
            with explained(file, "read"):
                data = file.read_bytes()
            is_text = b"\0" not in data and file.suffix not in (".gz", ".zst")
            named = {url.decode("utf-8", "replace") for url in _URL.findall(data)} if is_text else set()
            if not is_text or (host and host in data) or any(map(drop, named)):
                remove_tree(file)
                yield file
