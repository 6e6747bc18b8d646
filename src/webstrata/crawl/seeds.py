"""Seeds: the URLs that a crawl begins with."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.collection.files import explained, replace_file
from webstrata.errors import UsageError
from webstrata.web.url import MAX_LENGTH, Reject, hide_credentials, normalize_many

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = "seeds.txt"


@dataclass
class Seeds:
    """URLs in normal form, each once, and the lines that are none with the reason.

    User names and passwords are in neither: a URL with them is rejected, and shown without them.
    """

    urls: list[str] = field(default_factory=list)
    rejects: list[tuple[int, str, str]] = field(default_factory=list)
    where: str = "the seeds"

    def complaints(self, most: int = 5) -> list[str]:
        """Sentences about the lines that are none, the first of them one by one.

        Examples
        --------
        >>> read_seeds(["example.org", "mailto:a@b"]).complaints()
        ["the seeds, line 2: 'mailto:a@b' is no URL of a page (scheme); it is left out"]
        """
        found = [
            f"{self.where}, line {line}: {text[:200]!r} {_explain(reason)}; it is left out"
            for line, text, reason in self.rejects[:most]
        ]
        if len(self.rejects) > most:
            found.append(f"{self.where}: {len(self.rejects):,} lines in all are no URLs")
        return found


def read_seeds(lines: Iterable[str], *, where: str = "the seeds", max_length: int = MAX_LENGTH) -> Seeds:
    """The URLs among lines of text; what begins with ``#`` is a comment, and ``http://`` may be left out.

    Examples
    --------
    >>> seeds = read_seeds(["# two", "http://Example.org", "example.org/a", "mailto:a@b"])
    >>> seeds.urls, seeds.rejects
    (['http://example.org/', 'http://example.org/a'], [(4, 'mailto:a@b', 'scheme')])
    """
    numbered = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    numbered = [(number, text) for number, text in numbered if text and not text.startswith("#")]
    urls, reasons = normalize_many([_complete(text) for _, text in numbered], max_length=max_length)
    seeds = Seeds(
        urls=list(dict.fromkeys(url for url in urls if url is not None)),
        rejects=[
            (numbered[place][0], hide_credentials(numbered[place][1]), str(reason))
            for place, reason in reasons.items()
        ],
        where=where,
    )
    if not seeds.urls:
        found = "it is empty"
        if seeds.rejects:
            line, text, reason = seeds.rejects[0]
            found = f"line {line}, {text[:200]!r}, {_explain(reason)}, and no other line is one"
        raise UsageError(f"{where}: there is no URL to begin with: {found}; write one a line")
    return seeds


def _explain(reason: str) -> str:
    if reason == Reject.CREDENTIALS:
        return "has a user name or a password, which a crawl does not send"
    return f"is no URL of a page ({reason})"


def keep_seeds(folder: Path, urls: Iterable[str]) -> None:
    """Note what a crawl begins with in its folder, behind what it began with before.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> keep_seeds(folder, ["http://a.example/"])
    >>> keep_seeds(folder, ["http://b.example/", "http://a.example/"])
    >>> kept_seeds(folder)
    ['http://a.example/', 'http://b.example/']
    """
    known = dict.fromkeys([*(kept_seeds(folder) or []), *urls])
    replace_file(folder / FILE, "".join(f"{url}\n" for url in known).encode())


def kept_seeds(folder: Path) -> list[str] | None:
    """The seeds that were noted in the folder of a crawl; None of one that was made before they were.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> kept_seeds(folder) is None
    True
    >>> keep_seeds(folder, ["http://a.example/"])
    >>> kept_seeds(folder)
    ['http://a.example/']
    """
    path = folder / FILE
    with explained(path, "read"):
        return path.read_text(encoding="utf-8").splitlines() if path.is_file() else None


def _complete(text: str) -> str:
    """With a scheme, where a name is all there is before the first slash."""
    return f"http://{text}" if re.match(r"[\w-]+(\.[\w-]+)+(:\d+)?(/|$)", text) else text


def name_source(seeds: str | None, invitro: str | None = None, seed: int = 0, month: int = 0) -> str:
    """What is crawled as options of the command; a crawl that goes on has been told before, by a file.

    Examples
    --------
    >>> name_source("my seeds.txt"), name_source(None, "tiny", 7, 1)
    ("--seeds 'my seeds.txt'", '--invitro tiny --invitro-seed 7 --month 1')
    """
    if invitro:
        words = f"--invitro {invitro}"
        words += f" --invitro-seed {seed}" if seed else ""
        return words + (f" --month {month}" if month else "")
    return f"--seeds {shlex.quote(seeds) if seeds else 'FILE'}"
