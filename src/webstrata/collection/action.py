"""Actions: what a user can do about something, said once and shown as a command or as a Python call.

An action is a verb of webstrata with its arguments: the collection, the snapshot, then words (names of parts,
a URL, a query) and options. The command line and the Python API have the same verbs and keywords, so both
texts follow from it::

    Action("build", "uk", "2026-06", ("graph",), {"window": 16})
        .command   webstrata build uk 2026-06 graph --window 16
        .call      snapshot.build('graph', window=16)

Rooms give actions to errors (`webstrata.errors.WebstrataError.fix`) and to the report; only the place where a
person reads them chooses the form.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.collection.former_names import current_name
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webstrata.collection.collection import Collection, Snapshot
    from webstrata.errors import Fix

PROGRAM = "webstrata"
_KEYWORDS = {"from": "start", "to": "end"}
"""Options whose keywords have other names in Python."""


@dataclass(frozen=True)
class Action:
    """A verb with its arguments; see the module."""

    verb: str
    collection: str = ""
    """The path of the collection; empty where it is not known."""
    snapshot: str = ""
    words: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """By the names of keywords; ``True`` stands for an option without a value, ``None`` is left out."""
    python: str = ""
    """A method call, as ``graph_links('http://a.org/', inward=True)``, where its words or keywords are others
    in Python."""
    stdin: str = ""
    """What the command reads from standard input, as a list of one name."""

    @classmethod
    def on(cls, holder: Collection | Snapshot, verb: str, *words: str, **options: Any) -> Action:  # noqa: ANN401
        """A verb for a collection or a snapshot.

        Examples
        --------
        >>> import tempfile
        >>> from webstrata.collection.collection import Collection
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     june = Collection.create(f"{folder}/uk").add("2026-06")
        ...     Action.on(june, "build", "graph", window=16).call
        "snapshot.build('graph', window=16)"
        """
        collection = getattr(holder, "collection", holder)
        return cls(verb, str(collection.path), getattr(holder, "date", ""), words, options)

    @property
    def command(self) -> str:
        """The action as a command line.

        Examples
        --------
        >>> Action("search", "my web", words=("tropical fish",), options={"at": "2026-06"}).command
        "webstrata search 'my web' 'tropical fish' --at 2026-06"
        """
        return self._write(shlex.quote(self.collection) if self.collection else "COLLECTION", self.snapshot)

    @property
    def template(self) -> str:
        """The command with ``{collection}`` and ``{snapshot}`` to be filled in, as manifests keep it.

        Examples
        --------
        >>> Action("ingest", "uk", "2026-06", ("a.warc.gz",)).template
        'webstrata ingest {collection} {snapshot} a.warc.gz'
        """
        marks = ("\0collection\0", "\0snapshot\0" if self.snapshot else "")
        text = self._write(*marks).replace("{", "{{").replace("}", "}}")
        return text.replace(marks[0], "{collection}").replace("\0snapshot\0", "{snapshot}")

    def _write(self, collection: str, snapshot: str) -> str:
        words = [PROGRAM, self.verb, collection, snapshot, *map(shlex.quote, self.words)]
        given = [f"<<< {shlex.quote(self.stdin)}"] if self.stdin else []
        return " ".join([*filter(None, words), *_write_options(self.options), *given])

    @property
    def call(self) -> str:
        """The action as a call of the Python API.

        Examples
        --------
        >>> Action("build", "uk", words=("temporal",)).call
        "collection.build('temporal')"
        >>> Action("new", "uk").call
        "webstrata.create('uk')"
        >>> Action("search", "uk", words=("fish",), options={"from": "2026-05"}).call
        "collection.search('fish', start='2026-05')"
        """
        holder = "snapshot" if self.snapshot else "collection"
        if self.verb == "new":
            place = f"webstrata.create({self.collection!r})"
            return f"collection.add({self.snapshot!r})" if self.snapshot else place
        return f"{holder}.{self.method}"

    @property
    def method(self) -> str:
        """The method of the collection or snapshot that does it, with its arguments.

        Examples
        --------
        >>> Action("graph stats", "uk", "2026-06").method
        'graph_stats()'
        """
        if self.python:
            return self.python
        given = [
            *map(repr, self.words),
            *(f"{_KEYWORDS.get(name, name)}={value!r}" for name, value in self._given()),
        ]
        return f"{self.verb.replace(' ', '_').replace('-', '_')}({', '.join(given)})"

    def _given(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self.options.items() if value is not None]

    def __str__(self) -> str:
        return self.command


def _write_options(options: Mapping[str, Any]) -> list[str]:
    """Options as a shell takes them.

    Examples
    --------
    >>> _write_options({"obey_robots": False, "again": True, "sets": ("A", "B"), "name": None})
    ['--no-obey-robots', '--again', '--sets A,B']
    """
    found = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            found.append(f"--{option}" if value else f"--no-{option}")
        else:
            text = ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
            found.append(f"--{option} {shlex.quote(text)}")
    return found


@dataclass(frozen=True)
class Hint:
    r"""A sentence of a result about what to do next; it names a call in Python, a command elsewhere.

    Examples
    --------
    >>> hint = Hint("the graph is stale", Action("build", "uk", "2026-06", ("graph",)))
    >>> print(hint, hint.explain(), sep="\n")
    the graph is stale; call `snapshot.build('graph')`
    the graph is stale; run `webstrata build uk 2026-06 graph`
    """

    message: str
    """With ``{fix}`` where the action belongs; else it is written last."""
    fix: Fix | None = None

    def __str__(self) -> str:
        return str(WebstrataError(self.message, fix=self.fix))

    def explain(self) -> str:
        """The sentence for the command line."""
        return WebstrataError(self.message, fix=self.fix).explain()


def locate(path: Path) -> tuple[str, str, str]:
    """Collection, snapshot and part that a path belongs to, each empty where the path does not tell.

    Examples
    --------
    >>> from pathlib import Path
    >>> locate(Path("uk/snapshots/2026-06/.parts/graph.3/graph.graph"))
    ('uk', '2026-06', 'graph')
    >>> locate(Path("uk/temporal/union.json"))
    ('', '', '')
    """
    for folder in (path, *path.parents):
        if folder.parent.name == ".parts":
            holder = folder.parent.parent
            part = current_name(folder.name.rpartition(".")[0])
            if holder.parent.name == "snapshots":
                return str(holder.parent.parent), holder.name, part
            return str(holder), "", part
        if folder.parent.name == "snapshots":
            return str(folder.parent.parent), folder.name, ""
    return "", "", ""


def rebuild(path: Path, part: str, **options: Any) -> Action:  # noqa: ANN401
    """The action that builds the part of a damaged file again: the one its path names, or `part`.

    Examples
    --------
    >>> from pathlib import Path
    >>> rebuild(Path("uk/.parts/temporal.1/union.json"), "temporal").command
    'webstrata build uk temporal'
    >>> rebuild(Path("/tmp/somewhere.json"), "temporal").command
    'webstrata build COLLECTION temporal'
    """
    collection, snapshot, found = locate(path)
    return Action("build", collection, snapshot, (found or part,), options)


@dataclass(frozen=True)
class Recorded:
    """An action that a manifest keeps as a command."""

    command: str

    @property
    def call(self) -> str:
        """The same from Python: the command itself, since its arguments are those of a shell.

        Examples
        --------
        >>> Recorded("webstrata ingest uk 2026-06 'a b.warc'").call
        "subprocess.run(['webstrata', 'ingest', 'uk', '2026-06', 'a b.warc'])"
        """
        return f"subprocess.run({shlex.split(self.command)})"


@dataclass(frozen=True)
class Steps:
    """Actions that are done one after the other."""

    actions: tuple[Fix, ...]

    @property
    def command(self) -> str:
        """All of them as one command line.

        Examples
        --------
        >>> repair = Action("check", "uk", options={"repair": True})
        >>> steps = (repair, Action("build", "uk", words=("temporal",)))
        >>> Steps(steps).command
        'webstrata check uk --repair && webstrata build uk temporal'
        """
        return " && ".join(action.command for action in self.actions)

    @property
    def call(self) -> str:
        """All of them as one line of Python."""
        return "; ".join(action.call for action in self.actions)
