"""Takedowns: URLs, hosts and prefixes that no reader shows, with reason and date, until they are lifted.

``takedowns.jsonl`` in the collection is a log, one JSON object per line, never rewritten but by an erasure::

    {"event": "block", "kind": "prefix", "what": "https://a.example/private/", "key": "example,a)/private/",
     "reason": "request of the owner", "date": "2026-06-30T12:00:00Z", "by": "ada"}
    {"event": "lift", "number": 0, "reason": "", "date": …, "by": …}

=========  ==========================================================================================
``url``    one page, whatever its scheme, with and without ``www.``
``prefix`` everything whose URL begins so: a URL that ends in ``/`` (with a path) or in ``*``
``host``   all pages of a host: a name without a scheme, or a URL without a path
=========  ==========================================================================================

Rules are compared with keys of the index (`webstrata.archive.cdxj.surt`), which ignore scheme, ``www.`` and
case, so a rule rather hides too much than too little. An erasure replaces ``what`` and ``key`` of its rule by
``digest``, SHA-256 of the key: the log names nothing that was erased, and captures that come later are still
hidden.

The data of parts is not changed by a takedown: node numbers stay, and a hidden page is shown as `HIDDEN`.
"""

from __future__ import annotations

import datetime as dt
import getpass
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webstrata.archive.cdxj import surt
from webstrata.collection.action import Action
from webstrata.collection.files import explained, replace_file
from webstrata.collection.tables import Rows, TableList
from webstrata.errors import FormatError, MissingError, UrlError, UsageError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from webstrata.collection import Collection
    from webstrata.collection.tables import Table

FILE = "takedowns.jsonl"
HIDDEN = "http://taken-down.invalid/"
"""Shown instead of the URL of a hidden page; it is a URL, so that code that parses hosts works."""


@dataclass(frozen=True)
class TakedownRule:
    """What is hidden."""

    kind: str
    """``url``, ``prefix`` or ``host``."""
    key: str = ""
    digest: str = ""
    """SHA-256 of the key, where that was erased."""

    def matches(self, key: str) -> bool:
        """Whether a key of the index is hidden.

        Examples
        --------
        >>> rule = parse_rule("https://www.a.example/private/")
        >>> rule.kind, rule.matches("example,a)/private/x"), rule.matches("example,a)/public")
        ('prefix', True, False)
        >>> erased = TakedownRule("host", digest=hash_key("example,a"))
        >>> erased.matches("example,a)/x"), erased.matches("example,ab)/x")
        (True, False)
        """
        if self.digest:
            return self.digest in _hash_candidates(self.kind, key)
        if self.kind == "prefix":
            return key.startswith(self.key)
        return _cut_key(self.kind, key) == self.key


@dataclass(frozen=True)
class Takedown:
    """A rule in the log."""

    rule: TakedownRule
    what: str
    reason: str
    date: str
    by: str
    lifted: str = ""
    """When it was lifted; empty where it is in force."""
    lifted_by: str = ""
    erased: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        facts = asdict(self)
        return {"kind": self.rule.kind, **{name: facts[name] for name in facts if name != "rule"}}


class TakedownLog(TableList[Takedown]):
    """All takedowns of a collection, the oldest first."""

    def tables(self) -> dict[str, Table]:
        """What was taken down, since when and why."""
        rows = [
            {
                "kind": each.rule.kind,
                "what": each.what or "(erased)",
                "since": each.date,
                "lifted": each.lifted or "no",
                "reason": each.reason,
            }
            for each in self
        ]
        return {"Takedowns": Rows("takedowns", rows)}


class Takedowns:
    """The takedowns of a collection, as they are now; false where none is in force.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> bool(find_takedowns(uk))
    False
    >>> _ = block(uk, "http://news.example/storm", reason="an example")
    >>> takedowns = find_takedowns(uk)
    >>> takedowns.hides("https://www.news.example/storm"), takedowns.hides("http://news.example/")
    (True, False)
    """

    def __init__(self, log: Iterable[Takedown]) -> None:
        self.log = tuple(log)
        self.rules = tuple(each.rule for each in self.log if not each.lifted)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def find(self, url: str) -> Takedown | None:
        """The takedown that hides a URL, or None."""
        if not self.rules:
            return None
        try:
            key = surt(normalize(url))
        except UrlError:
            return None
        return next((each for each in self.log if not each.lifted and each.rule.matches(key)), None)

    def hides(self, url: str) -> bool:
        """Whether a URL is hidden."""
        return self.find(url) is not None

    def check(self, url: str, where: str = "") -> None:
        """Raise `MissingError` for a URL that is hidden, with date and reason."""
        found = self.find(url)
        if found is None:
            return
        if found.erased:
            raise MissingError(f"{where}: {url} was erased on {found.date[:10]} ({found.reason})")
        raise MissingError(
            f"{where}: {url} was taken down on {found.date[:10]} ({found.reason}); {{fix}} to show it again",
            fix=Action("takedown", where, words=(found.what,), options={"lift": True}),
        )


_NONE = Takedowns(())


def find_takedowns(collection: Collection) -> Takedowns:
    """The takedowns of a collection; the file is read again only when it changed.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_takedowns(testing.empty()).log
    ()
    """
    path = collection.path / FILE
    with explained(path, "read"):
        try:
            status = path.stat()
        except FileNotFoundError:
            return _NONE
    return _read(path, status.st_ino, status.st_mtime_ns, status.st_size)


def make_hide(collection: Collection) -> Callable[[str], bool]:
    """A function that says whether a URL is hidden now.

    Examples
    --------
    >>> from webstrata import testing
    >>> make_hide(testing.collection())("http://news.example/")
    False
    """

    def hide(url: str) -> bool:
        return find_takedowns(collection).hides(url)

    return hide


def parse_rule(what: str) -> TakedownRule:
    """What a URL, a host or a prefix as typed stands for, or `UsageError`.

    Examples
    --------
    >>> [parse_rule(what).kind for what in ("http://a.example/x", "a.example", "http://a.example/x*")]
    ['url', 'host', 'prefix']
    """
    text = what.strip()
    is_prefix = text.endswith("*")
    text = text.rstrip("*")
    has_scheme = "://" in text
    try:
        url = normalize(text if has_scheme else f"http://{text}")
    except UrlError as error:
        raise UsageError(f"{what!r}: expected a URL, a host or a prefix of URLs ({error})") from error
    path = urlsplit(url)
    key = surt(url)
    if path.path in ("", "/") and not path.query:
        return TakedownRule("host", key.partition(")")[0])
    if is_prefix or path.path.endswith("/"):
        # a key has no slash at its end, but those of pages below it do
        return TakedownRule("prefix", key if is_prefix and not text.endswith("/") else key.rstrip("/") + "/")
    return TakedownRule("url", key)


def block(collection: Collection, what: str, *, reason: str) -> Takedown:
    """Hide a URL, a host or a prefix from all readers, until `lift`.

    Examples
    --------
    >>> from webstrata import testing
    >>> block(testing.collection(), "news.example", reason="request of the owner").rule
    TakedownRule(kind='host', key='example,news', digest='')
    """
    if not reason.strip():
        raise UsageError("a takedown needs a reason; give one with --reason")
    rule = parse_rule(what)
    with collection.parts.writing():
        if any(each.rule == rule and not each.lifted for each in find_takedowns(collection).log):
            raise UsageError(f"{collection.path}: {what} is taken down already")
        facts = {"kind": rule.kind, "what": what, "key": rule.key, "reason": reason.strip()}
        _append(collection, {"event": "block", **facts})
    return find_takedowns(collection).log[-1]


def lift(collection: Collection, what: str, *, reason: str = "") -> Takedown:
    """Show again what a takedown hides, or `MissingError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> _ = block(uk, "news.example", reason="request of the owner")
    >>> lift(uk, "news.example").lifted != "", uk.capture("http://news.example/").status
    (True, 200)
    """
    with collection.parts.writing():
        number = find_takedowns(collection).log.index(find_rule(collection, what))
        _append(collection, {"event": "lift", "number": number, "reason": reason})
        return find_takedowns(collection).log[number]


def find_rule(collection: Collection, what: str) -> Takedown:
    """The takedown in force of a URL, a host or a prefix, as it was named, or `MissingError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> _ = block(uk, "news.example", reason="a test")
    >>> find_rule(uk, "http://news.example/").reason
    'a test'
    """
    rule = parse_rule(what)
    known = (rule, TakedownRule(rule.kind, "", hash_key(rule.key)))
    for each in find_takedowns(collection).log:
        if each.rule in known and not each.lifted:
            return each
    raise MissingError(
        f"{collection.path}: {what} is not taken down; {{fix}} to list what is",
        fix=Action("takedown", str(collection.path), options={"list": True}),
    )


def forget_names(collection: Collection, rule: TakedownRule) -> None:
    """Replace a rule in the log by its digest, so that the log does not name what was erased.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> made = block(uk, "news.example", reason="a court order")
    >>> forget_names(uk, made.rule)
    >>> find_takedowns(uk).log[0].what, find_takedowns(uk).hides("http://news.example/")
    ('', True)
    """
    path = collection.path / FILE
    lines = []
    with collection.parts.writing():
        with explained(path, "read"):
            events = [json.loads(line) for line in path.read_bytes().splitlines()]
        for event in events:
            if event.get("kind") == rule.kind and event.get("key") == rule.key:
                event.pop("what", None)
                event["digest"] = hash_key(event.pop("key"))
                event["erased"] = True
            lines.append(json.dumps(event, ensure_ascii=False).encode() + b"\n")
        replace_file(path, b"".join(lines))


def hash_key(key: str) -> str:
    """SHA-256 of a key, in hexadecimal.

    Examples
    --------
    >>> hash_key("example,a")[:8]
    '2133e9f8'
    """
    return hashlib.sha256(key.encode()).hexdigest()


def _cut_key(kind: str, key: str) -> str:
    return key.partition(")")[0] if kind == "host" else key


def _hash_candidates(kind: str, key: str) -> set[str]:
    """Digests of everything that a rule of a kind may be called if it hides a key."""
    if kind != "prefix":
        return {hash_key(_cut_key(kind, key))}
    return {hash_key(key[:end]) for end in range(1, len(key) + 1)}


def _append(collection: Collection, event: dict[str, Any]) -> None:
    path = collection.path / FILE
    with explained(path, "read"):
        before = path.read_bytes() if path.exists() else b""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    event |= {"date": now, "by": _who()}
    replace_file(path, before + json.dumps(event, ensure_ascii=False).encode() + b"\n")


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a process without a user name
        return ""


@lru_cache(maxsize=8)
def _read(path: Path, *_stamp: int) -> Takedowns:
    log: list[Takedown] = []
    with explained(path, "read"):
        lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            if event["event"] == "block":
                rule = TakedownRule(event["kind"], event.get("key", ""), event.get("digest", ""))
                facts = (event.get("what", ""), event["reason"], event["date"], event["by"])
                log.append(Takedown(rule, *facts, erased=event.get("erased", False)))
            else:
                old = log[event["number"]]
                log[event["number"]] = replace(old, lifted=event["date"], lifted_by=event["by"])
        except (ValueError, LookupError, TypeError) as error:
            raise FormatError(
                f"{path}, line {number}: not a takedown ({error}); restore the line, so that nothing that "
                f"was taken down is shown"
            ) from error
    return Takedowns(log)
