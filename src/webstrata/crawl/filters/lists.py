"""Lists that a filter names: a file, or a URL, read once when the filter is compiled.

One entry a line, in UTF-8; blanks around it, empty lines and what follows a ``#`` at the beginning of a line
or behind a blank are no part of it.
"""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

MAX_BYTES = 256 << 20
"""Larger lists are refused."""

TIMEOUT = 30.0
"""Seconds that a server may take."""

_COMMENT = re.compile(r"(?:^|\s)#.*")


def read_filter_list(place: str, folder: Path | None = None) -> list[str]:
    r"""The entries of a list.

    Parameters
    ----------
    place
        A path, alone or behind ``file:``, or a URL with ``http:`` or ``https:``.
    folder
        Where relative paths begin; by default, the current folder.

    Raises
    ------
    ValueError
        If it cannot be read; the message says why.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "hosts.txt").write_text("# our own\na.example\nb.example  # and this\n")
    >>> read_filter_list("hosts.txt", folder), read_filter_list("file:hosts.txt", folder)
    (['a.example', 'b.example'], ['a.example', 'b.example'])
    >>> read_filter_list("none.txt", folder)
    Traceback (most recent call last):
    ValueError: the list none.txt cannot be read (No such file or directory)
    """
    try:
        content = _download(place) if is_url(place) else _read(place, folder)
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"the list {place} is not in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise ValueError(f"the list {place} cannot be read ({reason})") from error
    entries = (_COMMENT.sub("", line).strip() for line in lines)
    return [entry for entry in entries if entry]


def is_url(place: str) -> bool:
    """Whether a list is read from a server.

    Examples
    --------
    >>> is_url("https://example.org/list"), is_url("file:list"), is_url("list")
    (True, False, False)
    """
    return place.lower().startswith(("http://", "https://"))


def is_list(argument: str) -> bool:
    """Whether an argument that could be an entry is meant as a list of them.

    Examples
    --------
    >>> is_list("file:hosts.txt"), is_list("hosts.example")
    (True, False)
    """
    return is_url(argument) or argument.lower().startswith("file:")


def _read(place: str, folder: Path | None) -> bytes:
    if place.lower().startswith("file:"):
        rest = place[len("file:") :]
        # with two slashes it is a URL, whose escapes mean bytes, and else a path as it stands
        place = urllib.parse.unquote(urllib.parse.urlsplit(place).path) if rest.startswith("//") else rest
    path = (folder or Path()) / place
    with path.open("rb") as file:
        return _limit(file.read(MAX_BYTES + 1))


def _download(place: str) -> bytes:
    with urllib.request.urlopen(place, timeout=TIMEOUT) as answer:
        content: bytes = answer.read(MAX_BYTES + 1)
    return _limit(content)


def _limit(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is longer than {MAX_BYTES} bytes")
    return content
