"""Text of numbers, read in blocks at the speed of Arrow; what is wrong is said with its line and value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy.typing as npt

CHUNK = 1 << 24
"""Bytes of text that are taken apart at a time."""
MAX_NODES = 1 << 32
_COMMENT = re.compile(rb"(?m)^[ \t]*[#%][^\n]*$")
_SPACES = re.compile(rb"[ \t]+")
_EDGES = re.compile(rb"(?m)^ | $")
_UNEVEN = re.compile(rb"  |^ |\n | \n| \r| $|\t")


@dataclass(frozen=True)
class ArcStream:
    """Arcs that are read in blocks of sources and targets, and the number of nodes where it is known."""

    blocks: Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]
    num_nodes: int | None = None
    by_source: bool = False
    """Whether those of one source come in the order of their targets, once they are turned as was asked."""
    names: Callable[[], Iterator[pa.Array]] | None = None
    """Gives the names of the nodes, in blocks, where they have any."""


class LineReader:
    r"""Reads a text file, packed or not, line by line at first and then in chunks of whole lines.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.txt"
    >>> _ = path.write_text("head" + chr(10) + "0 1" + chr(10) + "1 2")
    >>> reader = LineReader(path)
    >>> reader.readline()
    b'head'
    >>> list(reader.chunks())
    [(2, b'0 1\n1 2')]
    """

    def __init__(self, path: Path) -> None:
        self.path, self.line = path, 1
        with explained(path, "read"):
            self._stream = pa.input_stream(str(path), buffer_size=1 << 20)
        self._rest = b""
        self._is_over = False

    def readline(self) -> bytes | None:
        """The next line without its end; None behind the last one."""
        while b"\n" not in self._rest and not self._is_over:
            self._fill()
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        self.line += 1
        return line

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """The number of the first line of each chunk, and its text."""
        while self._rest or not self._is_over:
            while len(self._rest) < CHUNK and not self._is_over:
                self._fill()
            end = len(self._rest) if self._is_over else self._rest.rfind(b"\n") + 1
            if end == 0 and self._rest:
                raise FormatError(
                    f"{self.path}, line {self.line}: this line has no end; it is no text of arcs"
                )
            if end == 0:
                return
            text, self._rest = self._rest[:end], self._rest[end:]
            line = self.line
            self.line += text.count(b"\n")
            yield line, text

    def _fill(self) -> None:
        try:
            more = self._stream.read(CHUNK)
        except (pa.ArrowException, OSError, EOFError) as error:
            raise FormatError(
                f"{self.path}, behind line {self.line}: the file is cut off or damaged ({error})"
            ) from None
        self._is_over = not more
        self._rest += more


class PairParser:
    r"""Takes pairs of whole numbers out of chunks of text, whatever stands between the two.

    Parameters
    ----------
    path
        For messages.
    base
        The least number, 0 or 1; it is taken away.
    bound
        How many nodes there are, if that is known.
    comments
        Whether lines that begin with ``#`` or ``%`` are passed over.

    Examples
    --------
    >>> from pathlib import Path
    >>> PairParser(Path("a.txt")).parse(1, b"0,1\n2,0")[0].tolist()
    [0, 2]
    >>> PairParser(Path("a.txt"), bound=2).parse(7, b"0 1\n1 5")
    Traceback (most recent call last):
    webstrata.errors.FormatError: a.txt, line 8: expected two node numbers from 0 to 1, got '1 5'
    """

    def __init__(self, path: Path, *, base: int = 0, bound: int | None = None, comments: bool = True) -> None:
        self._path, self._base, self._comments = path, base, comments
        self._least, self._end = base, (MAX_NODES if bound is None else bound) + base
        self._delimiter: str | None = None
        self._columns = 0

    def parse(self, line: int, text: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The two columns of a chunk that begins with a line of this number."""
        plain = text
        if self._comments and (b"#" in text or b"%" in text):
            plain = _COMMENT.sub(b"", plain)
        if self._delimiter is None and not self._look(plain):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if self._delimiter == " " and _UNEVEN.search(plain):
            plain = _EDGES.sub(b"", _SPACES.sub(b" ", plain.replace(b"\r", b"")))
        if not plain.strip():
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        names = [f"f{place}" for place in range(self._columns)]
        try:
            table = csv.read_csv(
                pa.BufferReader(plain),
                csv.ReadOptions(column_names=names, block_size=len(plain) + 1),
                csv.ParseOptions(delimiter=self._delimiter or " ", quote_char=False),
                csv.ConvertOptions(
                    include_columns=names[:2],
                    column_types=dict.fromkeys(names[:2], pa.int64()),
                    null_values=[],
                ),
            )
        except pa.ArrowException as error:
            self._explain(line, text, str(error))
        first, second = (table[name].to_numpy() for name in names[:2])
        for column in (first, second):
            if len(column) and (int(column.min()) < self._least or int(column.max()) >= self._end):
                self._explain(line, text, "a number is out of range")
        return (first, second) if self._base == 0 else (first - self._base, second - self._base)

    def _look(self, text: bytes) -> bool:
        """Find out by the first line with something in it what stands between numbers."""
        sample = text.lstrip().partition(b"\n")[0].strip()
        if not sample:
            return False
        self._delimiter = "," if b"," in sample else "\t" if b"\t" in sample and b" " not in sample else " "
        separator = rb"[ \t]+" if self._delimiter == " " else self._delimiter.encode()
        self._columns = max(len(re.split(separator, sample)), 2)
        return True

    def _explain(self, first: int, text: bytes, reason: str) -> NoReturn:
        """Raise with the first line that is wrong; only now every line is looked at."""
        for line, content in enumerate(text.split(b"\n"), first):
            words = re.split(rb"[ \t,]+", content.strip())
            if not content.strip() or (self._comments and words[0][:1] in (b"#", b"%")):
                continue
            is_number = [re.fullmatch(rb"-?\d+", word) for word in words[:2]]
            if (
                len(words) != self._columns
                or not all(is_number)
                or not all(self._least <= int(word) < self._end for word in words[:2])
            ):
                shown = content.decode("utf-8", "replace").strip()[:80]
                raise FormatError(
                    f"{self._path}, line {line}: expected two node numbers from {self._least} to "
                    f"{self._end - 1}, got {shown!r}"
                )
        raise FormatError(f"{self._path}, from line {first} on: this is no list of arcs ({reason})")


def write_table(stream: pa.NativeFile, columns: dict[str, npt.NDArray[Any]], delimiter: str) -> None:
    r"""Write columns as lines.

    Examples
    --------
    >>> stream = pa.BufferOutputStream()
    >>> write_table(stream, {"a": np.array([1, 2]), "b": np.array([3, 4])}, " ")
    >>> stream.getvalue().to_pybytes()
    b'1 3\n2 4\n'
    """
    options = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    csv.write_csv(pa.table(columns), stream, options)
