"""What was changed while a crawl ran, so that the next run of it obeys it too; and what can't be changed.

``crawl/changes.json`` is an object of ``settings``, by name as in a settings file, and ``blacklist``, the
hosts and addresses that were shut out. It is written as a whole with each change, before the command that
asked for it hears of it, and stays as long as the crawl can go on. On a resume an option of the command
counts more than a change, and a change more than the environment and the settings files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained, replace_file
from webstrata.crawl.recovery import can_go_on
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection import Snapshot

FILE = "changes.json"

_FILES = "the file under way was begun with it"
_MEMORY = "memory and files were laid out by it"
_NAMES = "hosts that are known were looked up by it"
_THREADS = "its threads were started with it"
FIXED = {
    "user_agent": "the hosts that were asked know the crawl by it",
    "priority": "the order of what waits follows from it",
    "levels": _MEMORY,
    "level_bias": "the order of what waits follows from it",
    "gate_after": "hosts that are known passed the gate by it",
    "hosts_table": _NAMES,
    "name_servers": _NAMES,
    "resolve": _NAMES,
    "private_addresses": _NAMES,
    "accept_all_certificates": _THREADS,
    "authority": _THREADS,
    "follow_formats": _THREADS,
    "schemes": "seeds of other schemes were fetched at the start",
    "store_to": _THREADS,
    "compression": _FILES,
    "compression_level": _FILES,
    "dictionary": _FILES,
    "file_size": _FILES,
    "checkpoint": "the journal was begun with it",
    "disk_check": _THREADS,
    "dust_support": "what was learned so far follows from it",
    "crawl_log": _FILES,
    "log_size": _FILES,
    "log_releases": _FILES,
    "workers": _THREADS,
    "url_cache": _MEMORY,
    "sieve": _MEMORY,
    "virtualizer": _MEMORY,
    "duplicates_cache": _MEMORY,
}
"""Why a setting cannot change while a crawl runs."""


@dataclass
class SettingChanges:
    """Settings and hosts as they were changed while a crawl ran."""

    settings: dict[str, Any] = field(default_factory=dict)
    blacklist: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Keep them, whatever happens next."""
        text = json.dumps({"settings": self.settings, "blacklist": self.blacklist}, indent=1)
        replace_file(folder / FILE, text.encode() + b"\n")


def kept_changes(snapshot: Snapshot) -> SettingChanges:
    """What was changed while an earlier run of a crawl that can go on was under way.

    Examples
    --------
    >>> from webstrata import testing
    >>> kept_changes(testing.empty().add("2026-06"))
    SettingChanges(settings={}, blacklist=[])
    """
    return read_changes(snapshot.working_folder("crawl")) if can_go_on(snapshot) else SettingChanges()


def read_changes(folder: Path) -> SettingChanges:
    """The changes that an earlier run left in the folder of a crawl; none where there is no file of them.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> read_changes(folder)
    SettingChanges(settings={}, blacklist=[])
    >>> SettingChanges({"host_delay": 2.0}, ["a.example"]).write(folder)
    >>> read_changes(folder)
    SettingChanges(settings={'host_delay': 2.0}, blacklist=['a.example'])
    """
    path = folder / FILE
    if not path.exists():
        return SettingChanges()
    with explained(path, "read"):
        data = path.read_bytes()
    try:
        found = json.loads(data)
        return SettingChanges(dict(found["settings"]), [str(name) for name in found["blacklist"]])
    except (ValueError, TypeError, KeyError):
        raise FormatError(
            f"{path}: an object of settings and blacklist was expected; restore it from a copy, or remove it "
            "to go on without what was changed"
        ) from None
