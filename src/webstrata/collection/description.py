"""What a collection holds: its parts, their sizes, and which of them are stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.tables import Rows

if TYPE_CHECKING:
    from webstrata.collection.collection import Collection


class Description(Rows):
    """The parts of a collection, one row per part."""

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known about each part, by snapshot."""
        return self.facts


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
