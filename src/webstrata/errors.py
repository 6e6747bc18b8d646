"""Every exception of webstrata, named after what the user can do about it.

::

    WebstrataError                 exit code 1: it failed (network, disk, a bug)
    ├── StorageError               look at the disk: it refused to read, write or sync
    ├── RunError                   read the failures of its `result`; the other stages of the run were done
    └── UserError                  exit code 2: the user can fix it
        ├── UsageError             type the command differently
        ├── SettingError           change the option, variable or line of the settings file
        ├── DateError              choose another date for a snapshot
        ├── MissingError           name something that is there, or make it first
        ├── ExistsError            choose another name, or use what is there
        ├── FormatError            restore or rebuild a file that is damaged
        ├── NewerFormatError       upgrade webstrata
        ├── LockedError            wait for the other writer, or stop it
        ├── AccessError            change the permissions, or choose another place
        ├── DiskFullError          free some space
        ├── UrlError               correct the URL, or give the base of a relative one
        ├── FilterError            correct the filter where `excerpt` points
        ├── QueryError             correct the query where `excerpt` points
        └── MissingExtraError      install an optional dependency

A message is one sentence: where, what is there and what was expected, what to do. What to do is an action
(`webstrata.collection.action`), given as `fix`: ``str(error)`` shows it as a Python call, the command line as
a command. Programming mistakes are not here: they raise ``TypeError`` or ``ValueError``. Ctrl-C is
``KeyboardInterrupt`` (exit code 130), and so is a cancelled task, which raises `Cancelled`.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol


class Fix(Protocol):
    """Something a user can do, in the two forms in which it is shown."""

    @property
    def command(self) -> str:
        """As a command line."""

    @property
    def call(self) -> str:
        """As a call of the Python API."""


class WebstrataError(Exception):
    """Something failed that webstrata can put into a sentence.

    Parameters
    ----------
    message
        The sentence. Where it has the mark ``{fix}``, that is where the action is shown; else at its end.
    fix
        What the user can do about it.

    Examples
    --------
    >>> from webstrata.collection.action import Action
    >>> error = MissingError("uk: no union of snapshots", fix=Action("build", "uk", words=("temporal",)))
    >>> print(error)
    uk: no union of snapshots; call `collection.build('temporal')`
    >>> error.explain().endswith(error.fix.command + "`")
    True
    """

    exit_code = 1

    def __init__(self, message: str = "", *, fix: Fix | None = None) -> None:
        super().__init__(message)
        self.fix = fix

    def __str__(self) -> str:
        return self._write("call", self.fix.call if self.fix else "")

    def explain(self) -> str:
        """The sentence for the command line."""
        return self._write("run", self.fix.command if self.fix else "")

    def _write(self, verb: str, action: str) -> str:
        message = str(self.args[0]) if self.args else ""
        if not action:
            return message
        if FIX in message:
            return message.replace(FIX, f"{verb} `{action}`")
        return f"{message}; {verb} `{action}`"


FIX = "{fix}"


class StorageError(WebstrataError):
    """A disk refused to read, write or sync."""


class RunError(WebstrataError):
    """Some stages of a run failed; the others were done.

    Examples
    --------
    >>> error = RunError("stage failed: graph", result={"stages": []})
    >>> error.result
    {'stages': []}
    """

    def __init__(self, message: str = "", result: Any = None, *, fix: Fix | None = None) -> None:  # noqa: ANN401
        super().__init__(message, fix=fix)
        self.result = result
        """What the run did, with the failures of each stage (`webstrata.pipeline.results.RunResult`)."""


class UserError(WebstrataError):
    """The user can fix it: option, setting, input file, missing or locked collection."""

    exit_code = 2


class UsageError(UserError):
    """The command was typed in a way that cannot be carried out."""


class SettingError(UserError):
    """A setting has no such name, or a value it cannot have."""


class DateError(UserError):
    """A date of a snapshot that cannot be read, or one too many."""


class MissingError(UserError):
    """A collection, snapshot, part or file that is not there."""


class ExistsError(UserError):
    """Something of that name is there already."""


class FormatError(UserError):
    """A file that does not hold what its format promises."""


class NewerFormatError(UserError):
    """A file written by a newer webstrata."""


class LockedError(UserError):
    """Another process is writing."""


class AccessError(UserError):
    """The user may not read or write there."""


class DiskFullError(UserError):
    """No space is left on the device."""


class UrlError(UserError):
    """Something that is no URL of a page; `reason` is its `webstrata.web.url.Reject`."""

    def __init__(self, message: str = "", reason: str = "", *, fix: Fix | None = None) -> None:
        super().__init__(message, fix=fix)
        self.reason = reason


class FilterError(UserError):
    """A filter that cannot be read, or does not fit its place; `excerpt` is its text with a mark where."""

    def __init__(self, message: str = "", excerpt: str = "", *, fix: Fix | None = None) -> None:
        super().__init__(message, fix=fix)
        self.excerpt = excerpt


class QueryError(UserError):
    """A query that cannot be read, or asks for nothing; `excerpt` is its text with a mark where."""

    def __init__(self, message: str = "", excerpt: str = "", *, fix: Fix | None = None) -> None:
        super().__init__(message, fix=fix)
        self.excerpt = excerpt


class MissingExtraError(UserError):
    """An optional dependency is not installed."""


class Cancelled(BaseException):
    """A task was cancelled by its caller; like Ctrl-C it is no error, and nothing is lost."""


def __getattr__(name: str) -> object:
    if name == "LabelError":
        warnings.warn("LabelError is called DateError now", DeprecationWarning, stacklevel=2)
        return DateError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
