"""The life of a collection: remove and rename snapshots, and finish what a killed command began.

Every operation holds the write locks of the collection and of all snapshots that it changes. Each can be
killed at any moment: until its decisive step nothing has changed, and after it the next operation on the
collection (`finish_pending`) completes it.

**Remove.** Payloads that revisit records of other snapshots refer to are copied first (`store.moves`,
`store.editing`). The decisive step renames the folder to ``.LABEL.removed``, which is not a snapshot.
Then the prepared edits are published, and the folder is deleted.

**Rename.** The decisive step writes ``renaming.json``: the old and the new label, and the checksums of the
parts `pages` that name the snapshot inside. Then the folder is renamed, these tables are rewritten, and every
manifest gets the new names of inputs, so that parts of snapshots stay fresh. Parts of the collection stay
fresh where their declaration says how (`PartDeclaration.rename`) and the order of snapshots is the same:
their files are linked into a new generation, with the new label in names and lists. Others become stale.
"""

from __future__ import annotations

import dataclasses
import json
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.build import list_files, write_record
from webstrata.collection.declarations import load_parts
from webstrata.collection.files import crash_point, explained, link_file, remove_tree, rename, replace_file
from webstrata.collection.manifest import Manifest
from webstrata.collection.progress import Progress
from webstrata.collection.snapshot_dates import check_date
from webstrata.collection.tables import FactsTable
from webstrata.crawl.recovery import can_go_on
from webstrata.errors import DateError, ExistsError, FormatError, UsageError
from webstrata.store.build import PARSED, build_parsed, renumber
from webstrata.store.editing import FOLDER, is_prepared, prepare_edit, publish_edit
from webstrata.store.ingest.journal import is_ingesting
from webstrata.store.moves import has_captures, plan_moves
from webstrata.store.pages import FILE, relabel_pages
from webstrata.store.warc_files import find_lenders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webstrata.api import Collection, Snapshot

_REMOVED = ".removed"
_JOURNAL = "renaming.json"


@dataclass(frozen=True, repr=False)
class Removal(FactsTable):
    """What a removal did."""

    removed: str
    moved: dict[str, int] = field(default_factory=dict)
    """Payloads that other snapshots got, by snapshot."""
    stale: tuple[str, ...] = ()
    """Parts of the collection that still cover what was removed."""


def remove_snapshot(collection: Collection, label: str, *, progress: Progress | None = None) -> Removal:
    """Remove a snapshot; payloads that others refer to move to the oldest of those first.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> remove_snapshot(uk, "2026-05").stale
    ('temporal', 'text_index')
    >>> uk.dates
    ['2026-04', '2026-06']
    """
    progress = progress or Progress()
    with writing_all(collection, progress) as held:
        if label in finish_pending(collection, held, progress=progress):
            return Removal(label, stale=list_stale(collection))
        collection[label]  # MissingError with the labels that there are
        refuse_unfinished(held.values(), after=label)
        others = [each for each in collection.dates if each != label]
        plan = plan_moves(held.values(), others, lambda owner, _entry: owner == label)
        moved = {
            other: prepare_edit(held[other], moves, progress=progress)["moved"]
            for other, moves in plan.items()
            if moves
        }
        crash_point("remove.prepared")
        rename(held[label].path, held[label].path.with_name(f".{label}{_REMOVED}"))
        crash_point("remove.renamed")
        del held[label]
        finish_pending(collection, held, progress=progress)
    return Removal(
        label, {other: number for other, number in moved.items() if number}, list_stale(collection)
    )


def remove_collection(collection: Collection, *, progress: Progress | None = None) -> Removal:
    """Remove a whole collection.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> remove_collection(uk).removed == str(uk.path), uk.path.exists()
    (True, False)
    """
    path = collection.path.resolve()
    with writing_all(collection, progress or Progress()):
        aside = path.with_name(f".{path.name}{_REMOVED}")
        remove_tree(aside)
        rename(path, aside)
        crash_point("remove.renamed")
    remove_tree(aside)
    return Removal(str(collection.path))


def finish_removal(path: Path) -> bool:
    """Delete what a killed `remove_collection` left of the collection at `path`; whether there was something.

    Examples
    --------
    >>> from webstrata import testing
    >>> finish_removal(testing.scratch() / "uk")
    False
    """
    path = Path(path).resolve()
    aside = path.with_name(f".{path.name}{_REMOVED}")
    if path.exists() or not aside.is_dir():
        return False
    remove_tree(aside)
    return True


def rename_snapshot(collection: Collection, old: str, new: str, *, progress: Progress | None = None) -> None:
    """Give a snapshot another label.

    Its own parts, and those of other snapshots, stay fresh. While the order of snapshots is the same, so do
    the union, the text index and the counts of change search; sheets of the report become stale.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> rename_snapshot(uk, "2026-05", "2026-05-01")
    >>> uk.dates, [name for name, state in uk.states().items() if state.is_stale]
    (['2026-04', '2026-05-01', '2026-06'], [])
    """
    progress = progress or Progress()
    check_date(new)
    with writing_all(collection, progress) as held:
        finished = _read_names(collection)
        finish_pending(collection, held, progress=progress)
        if (old, new) == finished:
            return
        snapshot = collection[old]
        if new in collection:
            raise ExistsError(f"{snapshot.path.with_name(new)}: this snapshot exists; choose another label")
        refuse_unfinished([snapshot])
        _refuse_reordered(collection, old, new)
        named = {
            label: each.parts.record("pages").checksum
            for label, each in held.items()
            if "pages" in each.parts
            and (label == old or old in find_lenders(each.parts.record("pages").inputs, label))
        }
        journal = {"old": old, "new": new, "pages": named, "kept": _list_kept(collection, old, new)}
        replace_file(collection.path / _JOURNAL, json.dumps(journal).encode())
        crash_point("rename.begun")
        _finish_renaming(collection, held, progress)


def finish_pending(
    collection: Collection, held: dict[str, Snapshot], *, progress: Progress | None = None
) -> list[str]:
    """Complete what killed operations began, under all locks; the labels whose removal was completed.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> finish_pending(uk, {snapshot.date: snapshot for snapshot in uk})
    []
    """
    progress = progress or Progress()
    if (collection.path / _JOURNAL).exists():
        _finish_renaming(collection, held, progress)
    for snapshot in list(held.values()):
        if is_prepared(snapshot):
            publish_edit(snapshot, progress=progress)
        remove_tree(snapshot.working_folder(FOLDER))  # one that was never complete
    for snapshot in held.values():
        if "pages" not in snapshot.parts or not has_captures(snapshot):
            continue
        lenders = find_lenders(snapshot.parts.record("pages").inputs, snapshot.date)
        if any(label not in held for label in lenders):
            refused = {name for record in snapshot.parts for name in record.lacks}
            renumber(snapshot, progress=progress)
            build_parsed(snapshot, [name for name in PARSED if name not in refused], progress=progress)
    finished = []
    for folder in (collection.path / "snapshots").glob(f".*{_REMOVED}"):
        remove_tree(folder)
        finished.append(folder.name[1:].removesuffix(_REMOVED))
    return finished


def refuse_unfinished(snapshots: Iterable[Snapshot], *, after: str = "") -> None:
    """Raise `UsageError` if a crawl or an ingest of a snapshot (later than `after`) can be resumed.

    Examples
    --------
    >>> from webstrata import testing
    >>> refuse_unfinished(testing.collection())
    """
    for snapshot in snapshots:
        for is_under_way, what in ((can_go_on, "crawl"), (is_ingesting, "ingest")):
            if snapshot.date > after and is_under_way(snapshot):
                raise UsageError(
                    f"{snapshot.path}: the {what} of this snapshot has not ended, and may refer to payloads "
                    f"of others; resume it until it ends, or remove this snapshot first"
                )


@contextmanager
def writing_all(collection: Collection, progress: Progress) -> Iterator[dict[str, Snapshot]]:
    """Hold all write locks; the snapshots by label, as the holders of these locks.

    Examples
    --------
    >>> from webstrata import testing
    >>> with writing_all(testing.collection(), Progress()) as held:
    ...     sorted(held)
    ['2026-04', '2026-05', '2026-06']
    """
    with ExitStack() as stack:
        stack.enter_context(collection.parts.writing(progress))
        held = {snapshot.date: snapshot for snapshot in collection}
        for snapshot in held.values():
            stack.enter_context(snapshot.parts.writing(progress))
        yield held


def list_stale(collection: Collection) -> tuple[str, ...]:
    """Names of the stale parts of the collection itself.

    Examples
    --------
    >>> from webstrata import testing
    >>> list_stale(testing.collection())
    ()
    """
    states = collection.states().items()
    return tuple(sorted(name[1:] for name, state in states if name.startswith("/") and state.is_stale))


# ---- renaming


def _refuse_reordered(collection: Collection, old: str, new: str) -> None:
    """Payloads are looked for in earlier snapshots, so those that lend stay before those that borrow."""
    for snapshot in collection:
        if "pages" not in snapshot.parts:
            continue
        borrower = snapshot.date
        for lender in find_lenders(snapshot.parts.record("pages").inputs, borrower):
            pair = [new if label == old else label for label in (lender, borrower)]
            if old in (lender, borrower) and pair[0] >= pair[1]:
                raise UsageError(
                    f"{collection.path}: pages of {borrower} have their payloads in {lender}, which must "
                    f"stay the earlier of the two; choose a label that keeps this order"
                )


def _read_names(collection: Collection) -> tuple[str, str]:
    """The labels of a rename that was killed; empty where none was."""
    if not (collection.path / _JOURNAL).exists():
        return "", ""
    journal = _read_journal(collection)
    return journal["old"], journal["new"]


def _read_journal(collection: Collection) -> dict[str, Any]:
    """What a rename that was killed has to do: labels, and pages and parts by their checksums."""
    path = collection.path / _JOURNAL
    with explained(path, "read"):
        data = path.read_bytes()
    try:
        journal = json.loads(data)
        for name in ("old", "new"):
            check_date(journal[name])
        if not isinstance(journal["pages"], dict):
            raise ValueError("it names no pages")
    except (DateError, ValueError, LookupError, TypeError) as error:
        raise FormatError(
            f"{path}: not the journal of a rename ({error}); the file is damaged, restore it from a copy so "
            "that the rename can be completed"
        ) from None
    found: dict[str, Any] = journal
    return found


def _finish_renaming(collection: Collection, held: dict[str, Snapshot], progress: Progress) -> None:
    """Do what the journal says, or what is left of it."""
    journal = _read_journal(collection)
    old, new = journal["old"], journal["new"]
    folder = collection.path / "snapshots"
    if (folder / old).is_dir():
        rename(folder / old, folder / new)  # the lock that `held` has is one of the folder, whatever its name
    crash_point("rename.renamed")
    locked = held.pop(old, None) or held.pop(new, None)
    renamed = collection.snapshot_class(collection, new)
    if locked is not None:
        renamed.parts.lock = locked.parts.lock
    held[new] = renamed
    sums: dict[str, tuple[str, str]] = {}
    for was, checksum in journal["pages"].items():
        label = new if was == old else was
        snapshot = held[label]
        _rename_inputs(snapshot, old, new, sums)
        if snapshot.parts.record("pages").checksum == checksum:
            _rewrite_pages(snapshot, old, new, progress)
        crash_point("rename.pages")
        sums[f"{label}/pages"] = (checksum, snapshot.parts.record("pages").checksum)
    for snapshot in held.values():
        _rename_inputs(snapshot, old, new, sums)
    kept = journal.get("kept", {})
    for name, facts in kept.items():
        if (
            load_parts()[name].rename == "files"
            and collection.parts.record(name).checksum == facts["checksum"]
        ):
            _relabel_part(collection, name, old, new, progress)
        crash_point("rename.parts")
        sums[f"/{name}"] = (facts["checksum"], collection.parts.record(name).checksum)
    _rename_inputs(collection, old, new, sums, kept=kept)
    crash_point("rename.manifests")
    (collection.path / _JOURNAL).unlink()


def _list_kept(collection: Collection, old: str, new: str) -> dict[str, dict[str, Any]]:
    """Checksums and settings of the parts of the collection that stay fresh."""
    renamed = [new if label == old else label for label in collection.dates]
    if renamed != sorted(renamed):
        return {}  # the order of snapshots is that of bits in labels
    states, kept = collection.states(), {}
    for name, declaration in load_parts().items():
        state = states.get(f"/{name}")
        if state is None or state.is_stale or declaration.rename == "rebuild":
            continue
        if old not in state.record.settings.get("snapshots", []):
            kept[name] = {"checksum": state.record.checksum, "settings": state.record.settings}
    return kept


def _relabel_part(collection: Collection, name: str, old: str, new: str, progress: Progress) -> None:
    """Publish a part of the collection again with another label of a snapshot in its files."""
    with collection.open_part(name) as part:
        record = part.record
        inputs = tuple(
            f"{new}/{each.partition('/')[2]}" if each.partition("/")[0] == old else each
            for each in record.inputs
        )
        with collection.write_part(name, inputs=inputs, renew=record.renew, progress=progress) as build:
            for path in list_files(part.path):
                place = path.relative_to(part.path)
                if place.parts[0] == "maps" and place.name.startswith(f"{old}."):
                    place = place.with_name(new + place.name.removeprefix(old))
                target = build.path / place
                target.parent.mkdir(exist_ok=True)
                if path.suffix != ".json" or not _relabel_json(path, target, old, new):
                    link_file(path, target)
            build.count(**record.counts)


def _relabel_json(path: Path, target: Path, old: str, new: str) -> bool:
    """Write a file with another label in its list of snapshots; False where it has none."""
    with explained(path, "read"):
        facts = json.loads(path.read_bytes())
    if not isinstance(facts, dict) or old not in facts.get("snapshots", []):
        return False
    facts["snapshots"] = [new if label == old else label for label in facts["snapshots"]]
    replace_file(target, json.dumps(facts, indent=1).encode())
    return True


def _rewrite_pages(snapshot: Snapshot, old: str, new: str, progress: Progress) -> None:
    """Build `pages` again with the new label in its rows, and nothing else changed."""
    with snapshot.open_part("pages") as part:
        record = part.record
        inputs = tuple(record.inputs)
        with snapshot.write_part("pages", inputs=inputs, renew=record.renew, progress=progress) as build:
            relabel_pages(part.path / FILE, build.path / FILE, old, new)
            build.count(**record.counts)


def _rename_inputs(
    holder: Snapshot | Collection,
    old: str,
    new: str,
    sums: dict[str, tuple[str, str]],
    *,
    kept: dict[str, dict[str, Any]] | None = None,
) -> None:
    """Write new names and checksums of inputs into the manifest of a holder, and into its parts.

    Of a collection, only those parts that are `kept` get new names; they get their settings back.
    """
    parts = holder.parts
    records = {}
    for record in parts:
        inputs = {}
        for name, checksum in record.inputs.items():
            label, _, part = name.partition("/")
            is_kept = kept is None or record.name in kept
            renamed = f"{new}/{part}" if label == old and is_kept else name
            before, after = sums.get(renamed, ("", ""))
            inputs[renamed] = after if checksum == before else checksum
        settings = kept[record.name]["settings"] if kept and record.name in kept else record.settings
        records[record.name] = dataclasses.replace(record, inputs=inputs, settings=settings)
    if records == parts.manifest.parts:
        return
    for record in records.values():
        if parts.path(record).is_dir():
            write_record(parts.path(record), record)
    parts.replace_manifest(Manifest(records))
