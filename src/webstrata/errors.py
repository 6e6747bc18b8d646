"""Every exception of webstrata, named after what the user can do about it.

::

    WebstrataError                 exit code 1: it failed (network, disk, a bug)
    ├── StorageError               look at the disk: it refused to read, write or sync
    └── UserError                  exit code 2: the user can fix it
        ├── UsageError             type the command differently
        ├── SettingError           change the option, variable or line of the settings file
        ├── LabelError             choose another snapshot label
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

A message is one sentence: where, what is there and what was expected, what to do. Programming mistakes are
not here: they raise ``TypeError`` or ``ValueError``. Ctrl-C is ``KeyboardInterrupt`` (exit code 130), and so
is a cancelled task, which raises `Cancelled`.
"""

from __future__ import annotations


class WebstrataError(Exception):
    """Something failed that webstrata can put into a sentence."""

    exit_code = 1


class StorageError(WebstrataError):
    """A disk refused to read, write or sync."""


class UserError(WebstrataError):
    """The user can fix it: option, setting, input file, missing or locked collection."""

    exit_code = 2


class UsageError(UserError):
    """The command was typed in a way that cannot be carried out."""


class SettingError(UserError):
    """A setting has no such name, or a value it cannot have."""


class LabelError(UserError):
    """A snapshot label that is no date, or one too many."""


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

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class FilterError(UserError):
    """A filter that cannot be read, or does not fit its place; `excerpt` is its text with a mark where."""

    def __init__(self, message: str, excerpt: str = "") -> None:
        super().__init__(message)
        self.excerpt = excerpt


class QueryError(UserError):
    """A query that cannot be read, or asks for nothing; `excerpt` is its text with a mark where."""

    def __init__(self, message: str, excerpt: str = "") -> None:
        super().__init__(message)
        self.excerpt = excerpt


class MissingExtraError(UserError):
    """An optional dependency is not installed."""


class Cancelled(BaseException):
    """A task was cancelled by its caller; like Ctrl-C it is no error, and nothing is lost."""
