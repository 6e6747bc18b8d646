"""Bytes and texts with something wrong."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

NUMBERS = [0, 1, 2, 3, 7, 63, 64, 65, 127, 255, 256, 4095, 65_535, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40]
NUMBERS += [1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def damage(chance: random.Random, data: bytes) -> bytes:
    """Bytes with something wrong."""
    found = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4, 16])):
        place = chance.randrange(len(found) + 1)
        kind = chance.randrange(8)
        if kind == 0:
            del found[place : place + chance.choice([1, 8, len(found)])]
        elif kind == 1:
            found[place:place] = found[place : place + chance.choice([1, 8, 64])]
        elif kind == 2:
            found[place:place] = chance.randbytes(chance.choice([1, 4, 8, 100]))
        elif kind == 3 and found:
            begin = chance.randrange(len(found)) // 8 * 8
            order = chance.choice(["<Q", ">Q"])
            found[begin : begin + 8] = struct.pack(order, chance.choice(NUMBERS))[: len(found) - begin]
        elif kind == 4 and found:
            begin = chance.randrange(len(found))
            found[begin : begin + 4] = chance.randbytes(min(4, len(found) - begin))
        elif kind == 5:
            length = chance.choice([8, 64, 512])
            found[place : place + length] = bytes(min(length, len(found) - place))
        elif found:
            found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def damage_text(chance: random.Random, data: bytes) -> bytes:
    """A text whose numbers and words are others; or bytes with something wrong."""
    found = list(re.finditer(rb"-?\d+|true|false|\b[a-z]+\d?\b", data))
    if chance.random() < 0.2 or not found:
        return damage(chance, data)
    match = chance.choice(found)
    words = [b"-1", b"true", b"0.5", b'"x"', b"[]", b"", b"zeta3", b"unary", b"rice10", b"codes", b"contexts"]
    word = chance.choice([*words, *(str(number).encode() for number in [*NUMBERS, 10**30])])
    return data[: match.start()] + word + data[match.end() :]
