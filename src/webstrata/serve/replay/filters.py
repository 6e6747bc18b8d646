"""Filters of the CDX server: ``[!][=|~]field:value``, on one field of a capture or on its whole line.

Regular expressions are those of the crate `regex`: they match in linear time, so that no client can keep the
server busy with one. Look-around and back-references are not part of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata._core.archive import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.serve.replay.rows import CdxRow

SHORT = {
    "original": "url",
    "u": "url",
    "statuscode": "status",
    "s": "status",
    "mimetype": "mime",
    "m": "mime",
    "l": "length",
    "o": "offset",
    "d": "digest",
    "t": "timestamp",
    "k": "urlkey",
    "f": "filename",
}
"""Other names of fields, those of the Wayback Machine among them."""
MAX_FILTERS = 20


class FieldFilterError(Exception):
    """A filter that cannot be read."""


@dataclass(frozen=True)
class FieldFilter:
    """One condition.

    Examples
    --------
    >>> from webstrata.serve.replay.rows import CdxRow
    >>> line = b'org,example)/ 20260612000000 {"url": "http://example.org/", "status": "404"}'
    >>> [parse_filters([text])[0].keeps(CdxRow(line)) for text in ("=status:404", "!~status:4..", "org,")]
    [True, False, True]
    """

    field: str
    """Empty for the whole line."""
    value: str
    is_equal: bool = False
    is_negated: bool = False
    pattern: Pattern | None = None

    def keeps(self, capture: CdxRow) -> bool:
        """Whether a capture meets it."""
        text = capture.get(self.field, "") if self.field else capture.text
        if self.pattern is not None:
            found = self.pattern.matches(text)
        else:
            found = self.value == text if self.is_equal else self.value in text
        return found is not self.is_negated


def parse_filters(texts: Iterable[str]) -> tuple[FieldFilter, ...]:
    """The conditions of a query, or `FieldFilterError`.

    Examples
    --------
    >>> len(parse_filters(["=status:200", "!mime:text/html"]))
    2
    >>> parse_filters(["~url:("])
    Traceback (most recent call last):
    webstrata.serve.replay.filters.FieldFilterError: Invalid value for filter= param: ~url:( is not a ...
    """
    texts = [text for text in texts if text]
    if len(texts) > MAX_FILTERS:
        raise FieldFilterError(
            f"Invalid value for filter= param: {len(texts)} filters, and {MAX_FILTERS} are allowed"
        )
    return tuple(_parse(text) for text in texts)


def rename(field: str) -> str:
    """The name of a field by any of its names.

    Examples
    --------
    >>> rename("statuscode"), rename("urlkey")
    ('status', 'urlkey')
    """
    return SHORT.get(field, field)


def _parse(text: str) -> FieldFilter:
    rest = text.removeprefix("!")
    kind = rest[:1] if rest[:1] in ("=", "~") else ""
    rest = rest.removeprefix(kind)
    field, colon, value = rest.partition(":")
    if not colon:
        field, value = "", rest
    pattern = None
    if kind == "~":
        try:
            pattern = Pattern(value)
        except ValueError as error:
            raise FieldFilterError(
                f"Invalid value for filter= param: {text[:80]} is not a regular expression ({error})"
            ) from None
    return FieldFilter(rename(field), value, kind == "=", text.startswith("!"), pattern)
