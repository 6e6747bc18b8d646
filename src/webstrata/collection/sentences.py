"""Numbers in sentences: one host, and two hosts."""

from __future__ import annotations


def tell_count(number: int, noun: str, plural: str = "") -> str:
    """A number and what it counts, as a sentence has them.

    Parameters
    ----------
    number
        How many there are.
    noun
        What one of them is called.
    plural
        What others are called, where it is not the noun with an `s`.

    Examples
    --------
    >>> tell_count(1, "host"), tell_count(2000, "host"), tell_count(0, "summary", "summaries")
    ('1 host', '2,000 hosts', '0 summaries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def tell_plural(number: int, plural: str) -> str:
    """A number and what it counts, where only the word for many of them is known.

    Examples
    --------
    >>> tell_plural(1, "files"), tell_plural(1, "summaries"), tell_plural(2, "files"), tell_plural(1, "new")
    ('1 file', '1 summary', '2 files', '1 new')
    """
    noun = f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")
    return tell_count(number, noun, plural)
