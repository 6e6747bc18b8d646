"""What the room computes, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from webstrata.archive.cdxj import Line

TEXT = {"text/html", "application/xhtml+xml", "text/plain"}


def select(lines: list[Line]) -> tuple[list[str], dict[str, int | None], dict[str, int]]:
    """URLs of the nodes in order; what each other URL stands for; the offset of each node's payload."""
    chosen: dict[str, Line] = {}
    for url in {line.url for line in lines}:
        captures = [line for line in lines if line.url == url]
        captures.sort(key=lambda line: line.date // 10**9)  # the index knows seconds; the sort is stable
        complete = [line for line in captures if line.truncated is None and line.status < 500]
        chosen[url] = (complete or captures)[0]

    def payload(line: Line) -> Line | None:
        if line.mime != "warc/revisit":
            return line
        stored = [other for other in lines if other.mime != "warc/revisit" and other.status == 200]
        by_digest = [other for other in stored if other.digest == line.digest]
        by_url = [other for other in stored if other.url == line.duplicate_of]
        return next(iter(by_digest + by_url), None)

    def is_page(line: Line) -> bool:
        source = payload(line)
        return line.status == 200 and source is not None and source.mime.partition(";")[0] in TEXT

    nodes = sorted((url for url, line in chosen.items() if is_page(line)), key=row_key)

    def stands_for(url: str | None, seen: frozenset[str] = frozenset()) -> int | None:
        if url in nodes:
            return nodes.index(url)
        if url is None or url not in chosen or url in seen:
            return None
        line = chosen[url]
        return stands_for(line.redirect, seen | {url}) if 300 <= line.status < 400 else None

    others = {url: stands_for(url) for url in chosen if url not in nodes}
    places: dict[str, Any] = {url: payload(chosen[url]) for url in nodes}
    return nodes, others, {url: place.offset for url, place in places.items()}


def hash_word(word: str) -> int:
    """The hash of the bytes of a word, eight at a time, mixed as MurmurHash3 does in the end."""
    data = word.encode("utf-8", "surrogatepass")
    found = len(data)
    while data:
        found ^= int.from_bytes(data[:8], "little")
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            found = (found ^ found >> 33) * factor & (1 << 64) - 1
        found ^= found >> 33
        data = data[8:]
    return found


def simhash(words: list[str]) -> int:
    """The 64-bit simhash of words weighted by how often they occur, letter by letter as STORE has it."""
    folded = [word.casefold() for word in words]
    vector = [0] * 64
    for word in set(folded):
        number = hash_word(word)
        for bit in range(64):
            vector[bit] += folded.count(word) if number >> bit & 1 else -folded.count(word)
    return sum(1 << bit for bit in range(64) if vector[bit] > 0)


def rabin(words: list[int]) -> int:
    """The polynomial of the bits of 64-bit words, one behind the other, mod x⁶⁴ + x⁴ + x³ + x + 1."""
    value = 0
    for word in words:
        value = value << 64 | word
    modulus = 1 << 64 | 0b11011
    for bit in range(value.bit_length() - 1, 63, -1):
        if value >> bit & 1:
            value ^= modulus << (bit - 64)
    return value
