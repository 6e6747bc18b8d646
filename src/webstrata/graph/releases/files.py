"""Which files of a folder are a web graph release of Common Crawl.

A release is published per level, ``host`` or ``domain``, under a name such as
``cc-main-2026-apr-jun-jul-host`` (NAME below); what is here was read from the scripts and the Java programs
of the repository ``commoncrawl/cc-webgraph`` that make and fetch releases (``process_webgraph.sh``,
``graph_explore_download_webgraph.sh``, ``HostToDomainGraph``, ``JoinSortRanks``).

===============================  ======================================================================
``NAME-vertices.txt.gz``         ``id<TAB>reversed name``, for domains also ``<TAB>number of hosts``
``NAME-edges.txt.gz``            ``from<TAB>to``
``NAME-ranks.txt.gz``            a header ``#harmonicc_pos …``, then one line per vertex (see `ranks`)
``NAME-vertices.paths.gz``       in place of one file, a list of numbered ones; ``edges`` likewise
``vertices/*.txt.gz``            the numbered files of that list; ``edges`` likewise
``NAME.graph``, ``.properties``  the same arcs as a BVGraph; node *i* is vertex *i*
``NAME-t.graph``, …              the transposed BVGraph
===============================  ======================================================================

Vertices are always text. Arcs are read from the BVGraph where there is one, else from the text, else from the
transposed BVGraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.graph.interchange.text import LineReader

if TYPE_CHECKING:
    from os import PathLike

_TEXT = re.compile(r"(?:(?P<name>.+)-)?(?P<kind>vertices|edges|ranks)\.(?:txt|tsv|paths)(?:\.gz|\.zst)?")
_BVGRAPH = re.compile(r"(?P<name>.+?)(?:-t)?\.properties")
_PATHS = re.compile(r"\.paths(?:\.gz|\.zst)?$")
_TEXT_END = re.compile(r"\.(?:txt|tsv)(?:\.gz|\.zst)?$")
LEVELS = ("host", "domain")


@dataclass(frozen=True)
class Release:
    """The files of one release at one level."""

    name: str
    level: str
    """``host`` or ``domain``."""
    vertices: tuple[Path, ...]
    edges: tuple[Path, ...]
    """Text files of arcs; none where a BVGraph is read."""
    graph: Path | None
    """The basename of the BVGraph that is read."""
    is_transposed: bool
    """Whether that BVGraph has the arcs reversed."""
    ranks: tuple[Path, ...]
    """The file of ranks, if there is one."""

    @property
    def form(self) -> str:
        """What the arcs are read from, as part of a sentence."""
        return "text" if self.graph is None else f"BVGraph{', transposed' if self.is_transposed else ''}"


def find_release(path: str | PathLike[str]) -> Release:
    """The release that a folder holds, or that a path names which its files begin with.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for name in ("cc-host-vertices.txt.gz", "cc-host-edges.txt.gz", "cc-host-ranks.txt.gz"):
    ...     (folder / name).touch()
    >>> found = find_release(folder)
    >>> found.name, found.level, found.form, [file.name for file in found.ranks]
    ('cc-host', 'host', 'text', ['cc-host-ranks.txt.gz'])
    """
    given = Path(path)
    folder, wanted = (given, None) if given.is_dir() else (given.parent, given.name)
    if not folder.is_dir():
        raise MissingError(f"{given}: no such folder; name the folder of a web graph release")
    with explained(folder, "read"):
        files = sorted(entry for entry in folder.iterdir() if entry.is_file())
    names = _list_names(files)
    folders = [kind for kind in ("vertices", "edges") if (folder / kind).is_dir()]
    if wanted is not None:
        if wanted not in names:
            known = f"there are {', '.join(sorted(names))}" if names else "there is none"
            raise MissingError(f"{given}: no release of this name in {folder}; {known}")
        names = {wanted}
    if len(names - {""}) > 1:
        raise UsageError(
            f"{folder}: files of several releases ({', '.join(sorted(names))}); "
            f"name one, as {folder / min(names)}"
        )
    if not names and not folders:
        inside = [level for level in LEVELS if (folder / level).is_dir()]
        do = (
            f"name the folder of one level, as {folder / inside[0]}"
            if inside
            else "a release has NAME-vertices.txt.gz and NAME-edges.txt.gz or NAME.graph"
        )
        raise MissingError(f"{folder}: no web graph release; {do}")
    return _collect(folder, max(names, default=""), files)


def _list_names(files: list[Path]) -> set[str]:
    found = set()
    for file in files:
        match = _TEXT.fullmatch(file.name) or _BVGRAPH.fullmatch(file.name)
        if match:
            found.add(match["name"] or "")
    return found


def _collect(folder: Path, name: str, files: list[Path]) -> Release:
    label = name or folder.name
    vertices = _find_text(folder, name, "vertices", files)
    if not vertices:
        raise MissingError(
            f"{folder}: no vertices of {label}; fetch {label}-vertices.txt.gz, or the files that "
            f"{label}-vertices.paths.gz lists"
        )
    graph, is_transposed = _find_graph(folder, name), False
    edges = () if graph is not None else _find_text(folder, name, "edges", files)
    if graph is None and not edges:
        graph, is_transposed = _find_graph(folder, f"{name}-t"), True
    if graph is None and not edges:
        raise MissingError(
            f"{folder}: no arcs of {label}; fetch {label}-edges.txt.gz, or {label}.graph with .properties"
        )
    ranks = _find_text(folder, name, "ranks", files)
    level = next((level for level in LEVELS if label.endswith(level)), "") or _guess_level(vertices[0])
    return Release(label, level, vertices, edges, graph, is_transposed, ranks)


def _find_graph(folder: Path, name: str) -> Path | None:
    is_there = all((folder / f"{name}{end}").exists() for end in (".graph", ".properties"))
    return folder / name if is_there else None


def _find_text(folder: Path, name: str, kind: str, files: list[Path]) -> tuple[Path, ...]:
    """The text files of a kind in order: one, or those of a list, or those of a folder."""
    begin = f"{name}-{kind}." if name else f"{kind}."
    named = [file for file in files if file.name.startswith(begin) and _TEXT.fullmatch(file.name)]
    whole = [file for file in named if _TEXT_END.search(file.name)]
    if len(whole) > 1:
        raise UsageError(
            f"{folder}: {whole[0].name} and {whole[1].name} are the same {kind}; remove one of them"
        )
    if whole:
        return (whole[0],)
    lists = [file for file in named if _PATHS.search(file.name)]
    if lists:
        return _read_list(lists[0])
    inside = folder / kind
    if not inside.is_dir():
        return ()
    with explained(inside, "read"):
        return tuple(sorted(file for file in inside.iterdir() if _TEXT_END.search(file.name)))


def _read_list(path: Path) -> tuple[Path, ...]:
    """The files that a list of paths names, wherever below its folder they were put."""
    found, reader = [], LineReader(path)
    while (line := reader.readline()) is not None:
        words = line.decode("utf-8", "replace").strip().strip("/").split("/")
        if words == [""]:
            continue
        places = [path.parent.joinpath(*words[skipped:]) for skipped in range(len(words))]
        place = next((place for place in places if place.is_file()), None)
        if place is None:
            raise MissingError(f"{path}: it lists {'/'.join(words)}, which is not there; fetch it too")
        found.append(place)
    if not found:
        raise FormatError(f"{path}: it lists no file; fetch it again")
    return tuple(found)


def _guess_level(vertices: Path) -> str:
    """By the number of columns: domains have a number of hosts."""
    first = LineReader(vertices).readline() or b""
    return "domain" if first.count(b"\t") >= 2 else "host"
