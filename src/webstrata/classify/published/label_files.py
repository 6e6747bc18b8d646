"""Files of labels of WEBSPAM-UK2006, WEBSPAM-UK2007 and DC2010.

==================================  =====================================================================
``WEBSPAM-UK2007-SET1-labels.txt``  ``hostid label spamicity judgments``: label is ``spam``, ``nonspam`` or
                                    ``undecided``; SET1 was for training, SET2 for testing (Web Spam
                                    Challenge 2008). Hosts are named by ``WEBSPAM-UK2007-hostnames.txt``
                                    next to it
``webspam-uk2006-set1-labels.txt``  ``host judgments spamicity label``: judgments are pairs ``judge:mark``
                                    (S, B, N, ?), label is ``spam``, ``normal`` or ``undecided``
``…-DomainOrTwoHumans.txt``         WEBSPAM-UK2006, ``host,label``: hosts of trusted domains and those that
                                    two people judged, which the paper of the features used
``en.useful-labels.csv``,           DC2010, assessments: ``;`` between columns, a header with ``ID`` (or
``v2-en.labels.csv``                ``wwwID`` and ``nowwwID``) and a column per question, ``Web Spam``
                                    (``Spam``, ``NonSpam``), ``News/Editorial`` (``News-Edit``),
                                    ``Commercial``, ``Educational/Research``, ``Discussion``,
                                    ``Personal/Leisure``; the majority of the assessments of a host counts,
                                    and a tie is no label
unified judgments of DC2010         ``www-hostID; www-less hostID; Spam; News/Editorial; Commercial;
                                    Educational/Research; Discussion; Personal/Leisure; Non-Neutral; Biased;
                                    UnTrusted; Utility``, 1 yes and 0 no, with a header or without
==================================  =====================================================================

Described in the README files of the labels of UK2006 ("webspam-uk2006-set?-labels.txt") and UK2007, and on
the page "ECML/PKDD 2010 Discovery Challenge Training Labels" (dms.sztaki.hu/node/351). A host of DC2010 that
is spam was not asked about anything else. Of the two numbers of a host, with ``www.`` and without, the one
that has features is taken, the second if both have. Neutrality, bias and trust are read from unified
judgments alone: the scale of the assessments is not described.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from webstrata.classify.features.sites import site_name
from webstrata.classify.learning.labels import SPAM, Labels
from webstrata.errors import FormatError, MissingError
from webstrata.graph.interchange.text import LineReader
from webstrata.graph.interchange.webspam import find_hostnames, read_hostnames

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from pathlib import Path

TASKS = (SPAM, "news", "commercial", "educational", "discussion", "personal", "neutrality", "bias", "trust")
"""The nine tasks of DC2010; the last three are yes where a host is not neutral, biased, not trusted."""
QUESTIONS = {
    "web spam": SPAM,
    "news/editorial": "news",
    "commercial": "commercial",
    "educational/research": "educational",
    "discussion": "discussion",
    "personal/leisure": "personal",
}
"""Columns of the assessments of DC2010."""
_UK2007 = re.compile(r"\d+\s+(spam|nonspam|undecided)\b")
_UK2006 = re.compile(r"\S+\s+\S+:[SBN?]\S*\s+\S+\s+(spam|normal|undecided)\s*$")
_PAIRS = re.compile(r"[^\s,;]+\.[^\s,;]+,(spam|normal|nonspam|undecided)\s*$")
_UNIFIED = re.compile(r"\s*-?\d*\s*;\s*-?\d*\s*;(\s*[01?]?\s*;){9}\s*\d*\s*$")
_WORDS = {"spam": True, "nonspam": False, "normal": False}


def tell_label_format(path: Path) -> str:
    r"""Which published format a file of labels has; nothing where it has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "WEBSPAM-UK2007-SET1-labels.txt"
    >>> _ = path.write_text("7 nonspam 0.0 j1:N,j2:N\n")
    >>> tell_label_format(path)
    'uk2007'
    """
    line = LineReader(path).readline()
    first = "" if line is None else line.decode("utf-8", "replace").lstrip("\ufeff#").strip()
    for name, known in (("uk2007", _UK2007), ("uk2006", _UK2006), ("pairs", _PAIRS), ("unified", _UNIFIED)):
        if known.match(first):
            return name
    cells = [cell.strip().lower() for cell in first.split(";")]
    if "web spam" in cells:
        return "assessments"
    return "unified" if len(cells) >= 12 and "untrusted" in "".join(cells) else ""


def read_label_file(
    path: Path, names: Sequence[str] | None = None, having: Container[str] | None = None
) -> Labels:
    r"""The labels of a published file, by names of hosts.

    Parameters
    ----------
    path
        The file.
    names
        The name of each number; default: those of the file of host names in the same folder.
    having
        Names of hosts that have features, of which one of two numbers is taken.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "webspam-uk2006-set1-labels.txt"
    >>> lines = ["a.co.uk j3:N,j10:N,domain:N 0.00 normal", "b.co.uk j1:S,j2:S 1.00 spam"]
    >>> _ = path.write_text("\n".join(lines))
    >>> read_label_file(path).tasks
    {'spam': {'a.co.uk': False, 'b.co.uk': True}}
    """
    kind = tell_label_format(path)
    rows = _read_lines(path)
    if kind in ("uk2006", "pairs"):
        return _read_named(path, rows, _UK2006 if kind == "uk2006" else _PAIRS)
    if not kind:
        raise FormatError(f"{path}: these are no labels of WEBSPAM-UK2006, WEBSPAM-UK2007 or DC2010")
    if names is None:
        named = find_hostnames(path)
        if named is None:
            raise MissingError(
                f"{path}: its hosts are numbers, and there is no file of host names (…hostnames.txt) next to "
                "it; put that into the same folder"
            )
        names = read_hostnames(named)
    if kind == "uk2007":
        return _read_numbered(path, rows, names)
    if kind == "unified":
        return _read_unified(path, rows, names, having)
    return _read_assessments(path, rows, names, having)


def _read_lines(path: Path) -> list[tuple[int, str]]:
    reader, found = LineReader(path), []
    while (line := reader.readline()) is not None:
        text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
        if text:
            found.append((reader.line - 1, text))
    return found


def _read_named(path: Path, rows: list[tuple[int, str]], known: re.Pattern[str]) -> Labels:
    found: dict[str, bool] = {}
    for line, text in rows:
        matched = known.match(text)
        if not matched:
            raise _cut_off(path, line, text)
        if matched[1] in _WORDS:
            found[re.split(r"[\s,]", text, maxsplit=1)[0].lower()] = _WORDS[matched[1]]
    return Labels(str(path), {SPAM: found})


def _read_numbered(path: Path, rows: list[tuple[int, str]], names: Sequence[str]) -> Labels:
    found: dict[str, bool] = {}
    for line, text in rows:
        matched = _UK2007.match(text)
        if not matched:
            raise _cut_off(path, line, text)
        name = _name(path, line, text.split()[0], names)
        if matched[1] in _WORDS:
            found[name] = _WORDS[matched[1]]
    return Labels(str(path), {SPAM: found})


def _read_unified(
    path: Path, rows: list[tuple[int, str]], names: Sequence[str], having: Container[str] | None
) -> Labels:
    labels = Labels(str(path), {task: {} for task in TASKS})
    if rows and not _UNIFIED.match(rows[0][1]):
        rows = rows[1:]
    for line, text in rows:
        if not _UNIFIED.match(text):
            raise _cut_off(path, line, text)
        cells = [cell.strip() for cell in text.split(";")]
        name = _choose(path, line, cells[:2], names, having)
        for task, cell in zip(TASKS, cells[2:11], strict=True):
            if name is not None and cell in ("0", "1"):
                labels.tasks[task][name] = cell == "1"
    return _known(labels)


def _read_assessments(
    path: Path, rows: list[tuple[int, str]], names: Sequence[str], having: Container[str] | None
) -> Labels:
    header = [cell.strip().strip('"').lower() for cell in rows[0][1].lstrip("#").split(";")]
    places = {name: place for place, name in enumerate(header)}
    ids = [places[name] for name in ("wwwid", "nowwwid", "id") if name in places]
    if not ids:
        raise FormatError(f"{path}, line 1: there is no column ID among {', '.join(header[:4])}, …")
    votes: dict[str, dict[str, Counter[bool]]] = defaultdict(lambda: defaultdict(Counter))
    for line, text in rows[1:]:
        cells = [cell.strip().strip('"') for cell in text.split(";")]
        if len(cells) < len(header):
            raise _cut_off(path, line, text)
        name = _choose(path, line, [cells[place] for place in ids], names, having)
        for question, task in QUESTIONS.items():
            cell = cells[places[question]].lower() if question in places else ""
            if name is not None and cell and cell not in ("?", "nan"):
                votes[task][name][not cell.startswith("no")] += 1
    tasks: dict[str, dict[str, bool]] = {}
    for task in QUESTIONS.values():
        counted = votes[task].items()
        tasks[task] = {name: yes[True] > yes[False] for name, yes in counted if yes[True] != yes[False]}
    spam = tasks.get(SPAM, {})
    for task in tasks:
        if task != SPAM:
            tasks[task] = {name: is_it for name, is_it in tasks[task].items() if not spam.get(name)}
    return _known(Labels(str(path), tasks))


def _known(labels: Labels) -> Labels:
    labels.tasks = {task: found for task, found in labels.tasks.items() if found}
    if not labels.tasks:
        raise FormatError(f"{labels.source}: there is no label in it")
    return labels


def _choose(
    path: Path, line: int, cells: Sequence[str], names: Sequence[str], having: Container[str] | None
) -> str | None:
    """The name of one of the numbers of a host: the last that has features, else the last."""
    there = [_name(path, line, cell, names) for cell in cells if cell.isdigit()]
    best = [name for name in there if having is not None and name in having]
    return (best or there)[-1] if there else None


def _name(path: Path, line: int, cell: str, names: Sequence[str]) -> str:
    if int(cell) >= len(names):
        raise FormatError(
            f"{path}, line {line}: there is no host {cell}; the host names end at {len(names) - 1}"
        )
    return names[int(cell)]


def _cut_off(path: Path, line: int, text: str) -> FormatError:
    return FormatError(f"{path}, line {line}: {text[:40]!r} is no label; the file is cut off or damaged")


def merge(parts: Sequence[Labels], source: str) -> Labels:
    """Labels of several files as one.

    Examples
    --------
    >>> first, second = Labels("a", {"spam": {"a.org": True}}), Labels("b", {"spam": {"b.org": False}})
    >>> merge([first, second], "both").tasks
    {'spam': {'a.org': True, 'b.org': False}}
    """
    tasks: dict[str, dict[str, bool]] = {}
    for one in parts:
        for task, found in one.tasks.items():
            tasks.setdefault(task, {}).update(found)
    return Labels(source, tasks)


def rename(labels: Labels, names: Mapping[str, str]) -> Labels:
    """The same labels with the names that features have.

    Examples
    --------
    >>> rename(Labels("a", {"spam": {"www.a.org": True}}), {"www.a.org": "a.org"}).tasks
    {'spam': {'a.org': True}}
    """
    return Labels(
        labels.source,
        {
            task: {names.get(host, host): is_it for host, is_it in found.items()}
            for task, found in labels.tasks.items()
        },
    )


def load_published_labels(path: Path) -> Labels:
    r"""The labels of a published file, with the names that sites have.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "WEBSPAM-UK2007-SET2-labels.txt"
    >>> _ = path.write_text("0 spam 1.0 j1:S\n")
    >>> _ = path.with_name("WEBSPAM-UK2007-hostnames.txt").write_text("0 www.a.co.uk\n")
    >>> load_published_labels(path).tasks
    {'spam': {'a.co.uk': True}}
    """
    named = find_hostnames(path)
    if named is None:
        found = read_label_file(path)
        hosts = {host for labelled in found.tasks.values() for host in labelled}
        return rename(found, {host: site_name(host) for host in hosts})
    published = read_hostnames(named)
    names = tell_names(published)
    return rename(read_label_file(path, names), dict(zip(published, names, strict=True)))


def tell_names(hosts: Sequence[str]) -> list[str]:
    """Names of sites for hosts: without ``www.`` unless two hosts would have the same.

    Examples
    --------
    >>> tell_names(["www.a.co.uk", "www.b.co.uk", "b.co.uk"])
    ['a.co.uk', 'www.b.co.uk', 'b.co.uk']
    """
    low = [host.lower() for host in hosts]
    counts = Counter(map(site_name, low))
    return [site_name(host) if counts[site_name(host)] == 1 else host for host in low]
