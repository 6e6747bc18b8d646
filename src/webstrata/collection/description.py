"""What a collection holds: its parts, their sizes, and which of them are stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action, Hint, Recorded
from webstrata.collection.manifest import PartRecord
from webstrata.collection.sentences import tell_count, tell_plural
from webstrata.collection.tables import Rows, TableDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.collection.collection import Collection
    from webstrata.collection.tables import Table


class Description(Rows):
    """The parts of a collection, one row per part."""

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known about each part, by snapshot."""
        return self.facts

    @property
    def summary(self) -> str:
        """Which collection it is, and how many snapshots are described."""
        number = tell_count(len(self.facts["snapshots"]), "snapshot")
        return f"{self.facts['title']} ({self.facts['path']}): {number}"

    def tables(self) -> dict[str, Table]:
        """The parts with what they hold."""
        rows = [
            {
                "snapshot": label or "(all)",
                "part": part["name"],
                "state": part["state"],
                "size": part["bytes"],
                "built": f"{part['built']:%Y-%m-%d %H:%M}",
                "holds": _tell_counts(part.get("counts", {})),
            }
            for label, parts in self._holders()
            for part in parts
        ]
        return {"Parts": Rows("parts", rows, formats={"size": "bytes"})}

    @property
    def hints(self) -> list[Hint]:
        """What is missing, stale or in an old format, and what to do about it."""
        path = self.facts["path"]
        found = [
            Hint(f"{label}/{part['name']} is stale: {part['why']}", Recorded(part["renew"]))
            if part["renew"]
            else Hint(f"{label}/{part['name']} is stale: {part['why']}; build it again")
            for label, parts in self._holders()
            for part in parts
            if part["state"] == "stale"
        ]
        found += [
            Hint(
                f"{label}/pages follows the rule of 0.1.0: pages with equal fingerprints are one node, and "
                "pages marked noindex are none; to make every URL a node, {fix}",
                Action("store", path, label, options={"renumber": True}),
            )
            for label, parts in self._holders()
            if any(_is_folded(part) for part in parts)
        ]
        if not self.facts["snapshots"]:
            found.append(Hint("There are no snapshots; to add one, {fix}", Action("new", path, "2026-06")))
        return found

    @property
    def empty(self) -> list[str]:
        """The snapshots without a part."""
        return [label for label, parts in self._holders()[1:] if not parts]

    def _holders(self) -> list[tuple[str, list[dict[str, Any]]]]:
        snapshots = self.facts["snapshots"]
        return [("", self.facts["parts"]), *((each["date"], each["parts"]) for each in snapshots)]


class BuiltParts(TableDict[PartRecord]):
    """Parts that were built, by their names.

    Examples
    --------
    >>> from webstrata import testing
    >>> built = testing.snapshot().build("graph", again=True)
    >>> table = built.tables()["Parts"]
    >>> table.to_dict()["part"], table.to_dict()["holds"]
    (['2026-06/graph'], ['15 nodes, 36 arcs'])
    """

    def tables(self) -> dict[str, Table]:
        """The parts with what they hold."""
        rows = [
            {
                "part": name,
                "size": record.bytes,
                "time": record.seconds,
                "holds": _tell_counts(record.counts),
            }
            for name, record in self.items()
        ]
        return {"Parts": Rows("parts", rows, formats={"size": "bytes", "time": "s"})}


def describe_collection(collection: Collection, label: str | None = None) -> Description:
    """The parts of a collection or of one of its snapshots, with their state.

    Examples
    --------
    >>> import tempfile
    >>> from webstrata.collection.collection import Collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     june = Collection.create(f"{folder}/uk").add("2026-06")
    ...     with june.write_part("notes") as build:
    ...         _ = (build.path / "a.txt").write_text("kept")
    ...     print(describe_collection(june.collection).to_arrow().select(["snapshot", "part", "state"])
    ...         .to_pylist())
    [{'snapshot': '2026-06', 'part': 'notes', 'state': 'ready'}]
    """
    labels = [collection[label].date] if label else collection.dates
    parts: dict[str, list[dict[str, Any]]] = {name: [] for name in ["", *labels]}
    for name, state in collection.states().items():
        holder = name.partition("/")[0]
        if holder in parts:
            record = state.record
            parts[holder].append(
                {
                    **record.to_table(),
                    "name": record.name,
                    "state": "stale" if state.is_stale else "ready",
                    "why": state.why,
                    "changed_inputs": list(state.stale),
                    "renew": state.renew,
                    "path": str((collection[holder] if holder else collection).parts.path(record)),
                }
            )
    document = {
        "path": str(collection.path),
        "title": collection.title,
        "parts": parts[""],
        "snapshots": [{"date": name, "parts": parts[name]} for name in labels],
    }
    rows = [
        {
            "snapshot": holder,
            "part": part["name"],
            "state": part["state"],
            "bytes": part["bytes"],
            "built": part["built"],
            "why": part["why"],
        }
        for holder, found in parts.items()
        for part in found
    ]
    return Description(f"parts of {collection.path}", rows, document)


def _tell_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(tell_plural(number, name) for name, number in counts.items())


def _is_folded(part: Mapping[str, Any]) -> bool:
    """Whether these are pages that webstrata 0.1.0 numbered; a table of links has no such rule."""
    counts = part.get("counts", {})
    return part["name"] == "pages" and "noindex" not in counts and counts.get("nodes", 0) > 0
