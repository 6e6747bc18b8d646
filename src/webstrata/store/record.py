"""A record of a WARC file as it was read: headers, block, and the HTTP message in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Record:
    """A record as it was read."""

    kind: str
    headers: tuple[tuple[str, str], ...]
    block: bytes
    offset: int
    """Where its member, frame or first line begins in the file."""
    is_cut: bool = False
    """Whether the file ended before the block did."""

    def get(self, name: str) -> str | None:
        """The first value of a header, whatever the case of its name."""
        return self._first.get(name.lower())

    @cached_property
    def _first(self) -> dict[str, str]:
        return {name.lower(): value for name, value in reversed(self.headers)}

    @property
    def url(self) -> str | None:
        """What the record is about; old writers put it into brackets."""
        url = self.get("WARC-Target-URI")
        return url[1:-1] if url and url.startswith("<") and url.endswith(">") else url

    @property
    def is_http(self) -> bool:
        """Whether the block is an HTTP message."""
        told = next((value for name, value in self.headers if name == "Content-Type"), None)
        return (told or self.get("Content-Type") or "").startswith("application/http")

    @property
    def head(self) -> bytes:
        """The HTTP head with its empty line, nothing where the block is no message."""
        return self.block[: self._head_length]

    @property
    def payload(self) -> bytes:
        """The block without the HTTP head."""
        return self.block[self._head_length :]

    @cached_property
    def _head_length(self) -> int:
        if not self.is_http:
            return 0
        # the first empty line, whether lines end in CR LF or in LF
        end = self.block.find(b"\n\r\n")
        short = self.block.find(b"\n\n", 0, end + 2 if end >= 0 else len(self.block))
        return short + 2 if short >= 0 else end + 3 if end >= 0 else len(self.block)
