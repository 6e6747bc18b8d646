"""ARFF, the format of Weka, in which feature sets of the Web Spam Challenge 2008 were published.

::

    % a comment
    @relation 'uk-2007-05.content_based_features'
    @attribute hostid numeric
    @attribute hostname string
    @attribute HST_1 numeric
    @attribute class {spam,nonspam}
    @data
    0,www.a.co.uk,312,nonspam
    1,'b.co.uk',?,spam

Keywords are of any case; names and values may be quoted by ``'`` or ``"``; ``?`` is a missing value. A row in
braces is sparse, ``{0 17, 2 1.5}``: what it does not name is 0, or the first value of a nominal attribute.
The description is that of Weka's manual (chapter "ARFF"). Attributes of numbers become columns of floats, NaN
where missing; others stay text, None where missing. Dates are text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.errors import FormatError
from webstrata.graph.interchange.text import LineReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    Column = npt.NDArray[np.float64] | list[str | None]

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)$""", re.I)
_VALUE = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*)\s*(?:,|$)""")
_PAIR = re.compile(r"""\s*(\d+)\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*)\s*(?:,|$)""")
_NUMBERS = ("numeric", "real", "integer")


@dataclass(frozen=True)
class ArffAttribute:
    """A column: its name, and the values that it may have where these are listed."""

    name: str
    is_number: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arff:
    """The content of an ARFF file."""

    relation: str
    attributes: list[ArffAttribute]
    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


def read_arff(path: Path) -> Arff:
    r"""The content of an ARFF file, packed or not.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.arff"
    >>> lines = ["@relation uk", "@attribute hostid numeric", "@attribute class {spam,nonspam}", "@data"]
    >>> _ = path.write_text("\n".join([*lines, "7,spam", "?,nonspam"]))
    >>> found = read_arff(path)
    >>> found.relation, found.columns["hostid"].tolist(), found.columns["class"]
    ('uk', [7.0, nan], ['spam', 'nonspam'])
    """
    reader = LineReader(path)
    relation, attributes = _read_head(path, reader)
    rows: list[list[str | None]] = []
    while (line := reader.readline()) is not None:
        text = line.decode("utf-8", "replace").strip()
        if not text or text.startswith("%"):
            continue
        row = _sparse(text, attributes) if text.startswith("{") else _split(text)
        if row is None or len(row) != len(attributes):
            raise FormatError(
                f"{path}, line {reader.line - 1}: expected {len(attributes)} values, got "
                f"{0 if row is None else len(row)}; the file is cut off or damaged"
            )
        rows.append(row)
    columns: dict[str, Column] = {}
    for place, attribute in enumerate(attributes):
        column = [row[place] for row in rows]
        columns[attribute.name] = _to_numbers(path, attribute, column) if attribute.is_number else column
    return Arff(relation, attributes, columns)


def _read_head(path: Path, reader: LineReader) -> tuple[str, list[ArffAttribute]]:
    relation, attributes = "", []
    while (line := reader.readline()) is not None:
        text = line.decode("utf-8", "replace").strip()
        word = text.lower()
        if not text or text.startswith("%"):
            continue
        if word.startswith("@relation"):
            relation = _unquote(text[len("@relation") :].strip()) or ""
        elif word.startswith("@attribute"):
            attributes.append(_attribute(path, reader.line - 1, text))
        elif word.startswith("@data"):
            if not attributes:
                raise FormatError(f"{path}: there is no @attribute before @data; this is no ARFF file")
            return relation, attributes
        else:
            raise FormatError(
                f"{path}, line {reader.line - 1}: expected @relation, @attribute or @data, got {text[:40]!r}"
                "; this is no ARFF file"
            )
    raise FormatError(f"{path}: there is no @data in it; the file is cut off, or it is no ARFF file")


def _attribute(path: Path, line: int, text: str) -> ArffAttribute:
    found = _ATTRIBUTE.match(text)
    kind = found[2].strip() if found else ""
    if not found or not kind:
        raise FormatError(f"{path}, line {line}: expected `@attribute NAME TYPE`, got {text[:60]!r}")
    name = _unquote(found[1]) or ""
    if kind.startswith("{"):
        listed = _split(kind.strip("{} \t"))
        return ArffAttribute(name, is_number=False, values=tuple(value or "?" for value in listed))
    return ArffAttribute(name, is_number=kind.split()[0].lower() in _NUMBERS)


def _unquote(text: str) -> str | None:
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return None if text == "?" else text


def _split(text: str) -> list[str | None]:
    if "'" not in text and '"' not in text:
        return [None if value.strip() == "?" else value.strip() for value in text.split(",")]
    return list(_quoted(text))


def _quoted(text: str) -> Iterator[str | None]:
    place = 0
    while place <= len(text):
        found = _VALUE.match(text, place)
        if not found:
            return
        yield _unquote(found[1].strip())
        if found.end() == len(text) and not found[0].rstrip().endswith(","):
            return
        place = found.end()


def _sparse(text: str, attributes: list[ArffAttribute]) -> list[str | None] | None:
    if not text.endswith("}"):
        return None
    row: list[str | None] = [attribute.values[0] if attribute.values else "0" for attribute in attributes]
    inside, place = text[1:-1].strip(), 0
    while place < len(inside):
        found = _PAIR.match(inside, place)
        if not found or int(found[1]) >= len(row):
            return None
        row[int(found[1])] = _unquote(found[2].strip())
        place = found.end()
    return row


def _to_numbers(path: Path, attribute: ArffAttribute, column: list[str | None]) -> npt.NDArray[np.float64]:
    try:
        return np.array([np.nan if value is None else float(value) for value in column], np.float64)
    except ValueError as error:
        raise FormatError(
            f"{path}: attribute {attribute.name} has a value that is no number ({error})"
        ) from None
