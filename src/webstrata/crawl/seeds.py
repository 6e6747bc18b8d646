"""Seeds: the URLs that a crawl begins with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.web.url import normalize_many

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Seeds:
    """URLs in normal form, each once, and the lines that are none with the reason."""

    urls: list[str] = field(default_factory=list)
    rejects: list[tuple[str, str]] = field(default_factory=list)


def read_seeds(lines: Iterable[str], *, where: str = "the seeds", max_length: int = 2_048) -> Seeds:
    """The URLs among lines of text; what begins with ``#`` is a comment, and ``http://`` may be left out.

    Examples
    --------
    >>> seeds = read_seeds(["# two", "http://Example.org", "example.org/a", "mailto:a@b"])
    >>> seeds.urls, seeds.rejects
    (['http://example.org/', 'http://example.org/a'], [('mailto:a@b', 'scheme')])
    """
    texts = [line.strip() for line in lines]
    texts = [text for text in texts if text and not text.startswith("#")]
    urls, reasons = normalize_many([_complete(text) for text in texts], max_length=max_length)
    seeds = Seeds(
        urls=list(dict.fromkeys(url for url in urls if url is not None)),
        rejects=[(texts[place], str(reason)) for place, reason in reasons.items()],
    )
    if not seeds.urls:
        found = f"{seeds.rejects[0][0]!r} is none ({seeds.rejects[0][1]})" if seeds.rejects else "it is empty"
        raise UsageError(f"{where}: there is no URL to begin with: {found}; write one a line")
    return seeds


def _complete(text: str) -> str:
    """With a scheme, where a name is all there is before the first slash."""
    return f"http://{text}" if re.match(r"[\w-]+(\.[\w-]+)+(:\d+)?(/|$)", text) else text
