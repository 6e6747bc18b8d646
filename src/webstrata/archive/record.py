"""A record of a WARC file as it was read: headers, block, and the HTTP message in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, init=False)
class Record:
    """A record as it was read."""

    kind: str
    headers: tuple[tuple[str, str], ...]
    block: bytes
    offset: int
    """Where its member, frame or first line begins in the file."""
    is_cut: bool = False
    """Whether the file ended before the block did."""

    def __init__(
        self,
        kind: str,
        headers: tuple[tuple[str, str], ...],
        block: bytes,
        offset: int,
        is_cut: bool = False,  # noqa: FBT001 (as the class has it)
    ) -> None:
        # all at once: one by one, as a frozen class does it, is a tenth of the work in Python for a record
        self.__dict__.update(kind=kind, headers=headers, block=block, offset=offset, is_cut=is_cut)

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
        for name, value in self.headers:
            if name == "Content-Type":
                return value.startswith("application/http")
        return (self.get("Content-Type") or "").startswith("application/http")

    @property
    def head(self) -> bytes:
        """The HTTP head with its empty line, nothing where the block is no message."""
        return self.block[: self._find_payload()]

    @property
    def payload(self) -> bytes:
        """The block without the HTTP head."""
        return self.block[self._find_payload() :]

    def _find_payload(self) -> int:
        # a cached property takes a lock
        found: int | None = self.__dict__.get("_place")
        if found is None:
            found = self.__dict__["_place"] = self._measure_head() if self.is_http else 0
        return found

    def _measure_head(self) -> int:
        # the first empty line, whether lines end in CR LF or in LF
        end = self.block.find(b"\n\r\n")
        short = self.block.find(b"\n\n", 0, end + 2 if end >= 0 else len(self.block))
        return short + 2 if short >= 0 else end + 3 if end >= 0 else len(self.block)
