"""Settings that a command was given, written into the settings file of the collection.

A new `collection.toml` has every setting as a comment with its default. The line of a remembered setting
takes the place of its comment, so that the file stays in order; everything else in it is left as it is.
"""

from __future__ import annotations

import fcntl
import os
import re
import tomllib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import tomli_w

from webstrata.collection.files import explained, replace_file
from webstrata.collection.settings import describe, to_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from webstrata.collection.settings import Settings


def write_settings(path: Path, cls: type[Settings], options: Mapping[str, object]) -> dict[str, object]:
    r"""Write options of a settings class into a settings file; those that changed it, by name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from webstrata.collection.settings import ResourcesSettings
    >>> from webstrata.rank.settings import RankSettings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "collection.toml"
    ...     _ = path.write_text("format = 1\n\n[rank]\n# How likely a link is followed.\n# alpha = 0.85\n")
    ...     write_settings(path, RankSettings, {"alpha": 0.9, "method": None})
    ...     print(path.read_text())
    {'alpha': 0.9}
    format = 1
    <BLANKLINE>
    [rank]
    # How likely a link is followed.
    alpha = 0.9
    <BLANKLINE>
    """
    fields = {field.name: field for field in describe(cls)}
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return {}
    # checked and converted as options are, so that nothing wrong gets into the file
    values = cls.read(options=given, environment={}).to_dict()
    with _alone(path.parent), explained(path, "write"):
        text = path.read_text()
        there = tomllib.loads(text).get(cls.table, {})
        # a value that the file has in another form (64MiB, 67108864) is the same value
        known = cls.read(files=[(str(path), there)], environment={}).to_dict()
        changed = {
            name: values.get(name)
            for name in given
            if not fields[name].setting.resource and known.get(name) != values.get(name)
        }
        for name, value in changed.items():
            unit = fields[name].setting.unit
            text = _set(text, cls.table, name, to_text(value, unit) if unit else value)
        if changed:
            replace_file(path, text.encode())
    return changed


def _set(text: str, table: str, name: str, value: object) -> str:
    """The text of a settings file with one setting changed."""
    data = tomllib.loads(text)
    if value is None:
        return text
    line = tomli_w.dumps({name: value}).rstrip("\n")
    if name in data.get(table, {}):
        import tomlkit

        document: Any = tomlkit.parse(text)
        document[table][name] = value
        return tomlkit.dumps(document)
    lines = text.split("\n")
    head = next((number for number, each in enumerate(lines) if each.strip() == f"[{table}]"), None)
    if head is None:
        return f"{text.rstrip()}\n\n[{table}]\n{line}\n"
    end = next(
        (number for number in range(head + 1, len(lines)) if lines[number].lstrip().startswith("[")),
        len(lines),
    )
    comment = re.compile(rf"#\s*{re.escape(name)} (=|is not set)")
    for number in range(head + 1, end):
        if comment.match(lines[number]):
            lines[number] = line
            return "\n".join(lines)
    lines.insert(head + 1, line)
    return "\n".join(lines)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time change the file; a build that runs meanwhile does not stand in its way."""
    with explained(folder, "write"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
