"""Presets: named settings of all stages, one for each paper that webstrata is built on.

A preset is a TOML file of this folder in the form of `collection.toml`; ``time.toml`` is the preset
``paper:time``. The first line of the file is a comment with the title of the paper. The comment lines after
it say what the preset stands for and, where a paper leaves something open, what was chosen. A comment after a
value says where the paper has it.

A run with presets reads them after the file of ``--config`` and before the files of the collection; of two
presets with the same setting the later one applies. Their settings are stored in `collection.toml`, as those
of ``--config`` are.

A preset names only the settings that its paper fixes. Whether a stored part was made with a preset follows
from the settings in its record (`made_with`), so that a report gives a paper's name to a table only then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from webstrata.collection.declarations import load_parts
from webstrata.collection.settings import Settings, describe, load_tables, unknown_name
from webstrata.crawl.results import FILE as RESULT
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from webstrata.collection.collection import Collection, Snapshot

PREFIX = "paper:"
CRAWLED = "warc"
"""The part that a crawl brings."""
_S = TypeVar("_S", bound=Settings)


@dataclass(frozen=True)
class Preset:
    """The settings of a paper."""

    name: str
    title: str
    """Of the paper."""
    about: str
    """What the preset stands for."""
    tables: Mapping[str, Mapping[str, Any]]
    """The settings, by table."""
    notes: Mapping[tuple[str, str], str]
    """Where the paper has a setting, by table and name."""


def preset_names() -> list[str]:
    """The names of all presets, sorted.

    Examples
    --------
    >>> preset_names()[:3]
    ['paper:bubing', 'paper:change', 'paper:lect']
    """
    files = resources.files(__name__).iterdir()
    return sorted(
        f"{PREFIX}{file.name.removesuffix('.toml')}" for file in files if file.name.endswith(".toml")
    )


def read_preset(name: str) -> dict[str, dict[str, Any]]:
    """The tables of a preset, as `collection.toml` has them.

    Examples
    --------
    >>> read_preset("paper:time")["graph"]
    {'fold': 'fingerprint'}
    """
    return {table: dict(values) for table, values in describe_preset(name).tables.items()}


@cache
def describe_preset(name: str) -> Preset:
    """A preset with the title of its paper and what it stands for.

    Examples
    --------
    >>> describe_preset("paper:sum").title
    'Compressed collections for simulated crawling'
    >>> describe_preset("paper:tmie")
    Traceback (most recent call last):
    webstrata.errors.UsageError: preset: paper:tmie is no preset (did you mean paper:time?); known are ...
    """
    import tomlkit

    _check_name(name)
    text = (resources.files(__name__) / f"{name.removeprefix(PREFIX)}.toml").read_text(encoding="utf-8")
    head = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        head.append(line.removeprefix("#").strip())
    document: Any = tomlkit.parse(text)
    notes = {
        (table, key): values.item(key).trivia.comment.removeprefix("#").strip()
        for table, values in document.items()
        for key in values
    }
    return Preset(name, head[0], " ".join(head[1:]).strip(), document.unwrap(), notes)


def parse_presets(words: str | Iterable[str]) -> tuple[str, ...]:
    """The presets of a list, or of a text with commas, checked; each once.

    Examples
    --------
    >>> parse_presets("paper:time, paper:sum"), parse_presets(["paper:time,paper:time"])
    (('paper:time', 'paper:sum'), ('paper:time',))
    """
    listed = [words] if isinstance(words, str) else list(words)
    names = [name.strip() for word in listed for name in word.split(",") if name.strip()]
    for name in names:
        _check_name(name)
    return tuple(dict.fromkeys(names))


def preset_settings(name: str, cls: type[_S]) -> _S:
    """The settings of a stage by a preset alone: its values and defaults, no files and no environment.

    Examples
    --------
    >>> from webstrata.summaries.settings import SummariesSettings
    >>> preset_settings("paper:sum", SummariesSettings).coding
    'codes'
    """
    table = read_preset(name).get(cls.table, {})
    return cls.read(files=[(f"preset {name}", table)], environment={})


def made_with(name: str, part: str | type[Settings], settings: Mapping[str, Any]) -> bool:
    """Whether a part with these settings in its record was made with a preset.

    `part` is the name of a declared part, or a class of settings where they are kept elsewhere, as those of a
    crawl are in its report.

    Only settings that the preset names and that the part depends on are compared. A setting that the record
    lacks, since it is newer than the part, counts as its default. False for a part whose settings the preset
    does not mention.

    Examples
    --------
    >>> made_with("paper:time", "graph", {"fold": "fingerprint", "window": 3})
    True
    >>> made_with("paper:time", "graph", {"fold": "none"}), made_with("paper:time", "spectrum", {})
    (False, False)
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> made_with("paper:bubing", CrawlSettings, CrawlSettings().to_dict())
    False
    """
    compared = _compare(name, part, settings)
    return bool(compared) and all(compared.values())


def is_made_with(name: str, collection: Collection, part: str) -> bool:
    """Whether a stored part, and everything that it was made from, was made with a preset.

    `part` is a qualified name (``2026-06/graph``, ``/temporal``). Parts that the preset does not mention are
    passed over; at least one of all must be mentioned. Where pages were crawled, the settings of that crawl
    count too; of pages that were ingested nothing is known.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> is_made_with("paper:time", uk, "2026-06/graph")
    False
    >>> _ = uk.build("graph", snapshots=["2026-06"], fold="fingerprint")
    >>> is_made_with("paper:time", uk, "2026-06/graph")
    True
    """
    holders = [collection, *collection]
    crawls = {collection.qualify(each, CRAWLED): read_crawl_settings(each) for each in collection}
    records = {collection.qualify(holder, each.name): each for holder in holders for each in holder.parts}
    pending, found = [part], list[bool]()
    while pending:
        each = pending.pop()
        record = records.pop(each, None)
        if record is not None:
            found += _compare(name, record.name, record.settings).values()
            if crawl := crawls.get(each):
                found += _compare(name, CrawlSettings, crawl).values()
            pending += record.inputs
    return bool(found) and all(found)


def read_crawl_settings(snapshot: Snapshot) -> dict[str, Any]:
    """The settings that the crawl of a snapshot ended with; empty where it was not crawled.

    Examples
    --------
    >>> from webstrata import testing
    >>> read_crawl_settings(testing.empty().add("2026-06"))
    {}
    """
    path = snapshot.working_folder("crawl") / RESULT
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_bytes()).get("settings", {})
    except (OSError, ValueError, AttributeError):
        return {}
    return dict(settings) if isinstance(settings, dict) else {}


def tell_other_crawls(names: Iterable[str], collection: Collection) -> list[str]:
    """A sentence for each preset whose crawl settings crawled snapshots do not have: a run keeps them.

    Examples
    --------
    >>> from webstrata import testing
    >>> tell_other_crawls(["paper:bubing"], testing.collection())
    []
    """
    sentences = []
    for name in names:
        others: dict[tuple[str, ...], list[str]] = {}
        for snapshot in collection:
            crawl = read_crawl_settings(snapshot)
            compared = _compare(name, CrawlSettings, crawl) if crawl else {}
            differing = tuple(key for key, is_equal in compared.items() if not is_equal)
            if differing:
                others.setdefault(differing, []).append(snapshot.date)
        sentences += [
            f"{', '.join(dates)}: kept, though crawled without the settings of {name} ({', '.join(keys)}); "
            "to use them, crawl into another collection"
            for keys, dates in others.items()
        ]
    return sentences


def _compare(name: str, part: str | type[Settings], made: Mapping[str, Any]) -> dict[str, bool]:
    """Settings that a preset has for a part: whether each was as the preset says."""
    cls, uses = (part, None) if isinstance(part, type) else _find_settings(part)
    if cls is None:
        return {}
    wanted = read_preset(name).get(cls.table, {})
    values = preset_settings(name, cls).to_dict()
    defaults = cls().to_dict()
    return {
        field.name: made.get(field.name, defaults.get(field.name)) == values.get(field.name)
        for field in describe(cls)
        if field.name in wanted and not field.setting.resource and (uses is None or field.name in uses)
    }


def _find_settings(part: str) -> tuple[type[Settings] | None, Container[str] | None]:
    """The settings class of a declared part, and the names of those that it depends on."""
    declaration = load_parts().get(part)
    return (declaration.settings, declaration.uses) if declaration is not None else (None, None)


def _check_name(name: str) -> None:
    names = preset_names()
    if name in names:
        return
    if f"{PREFIX}{name}" in names:
        raise UsageError(f"preset: write {PREFIX}{name}, not {name}; known are {', '.join(names)}")
    raise UsageError(unknown_name("preset", name, "preset", dict.fromkeys(names)))


def check_presets() -> None:
    """Read every preset and check each value with the class of its table; an error names the preset.

    Examples
    --------
    >>> check_presets()
    """
    classes = load_tables()
    for name in preset_names():
        for table in read_preset(name):
            if table not in classes:
                raise UsageError(unknown_name(f"preset {name}", table, "table", classes))
            preset_settings(name, classes[table])
