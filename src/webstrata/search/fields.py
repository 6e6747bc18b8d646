"""The fields of a document: what words of a page stand where, and how they are kept.

============  =========  ===============================================================================
``title``     positions  the title
``text``      versions   main content; all of the text where none was found
``other``     first      the rest of the text, which says more of the site than of the page (STORE)
``anchor``    positions  what links of other pages call it, each different text once
``host``      positions  the labels of the host's name
``url``       positions  words of path and query
``site``      whole      the host, and all names that it ends with: ``example.org`` finds ``www.example.org``
``language``  whole      the code of the language
``word``      whole      the words of title and anchors as they are written, folded, for completion
============  =========  ===============================================================================

All fields but *whole* ones are scored, with positions for phrases. Versions of a page that are much alike
share an entry of the index: of *versions* each has its own words; of *first* the words of the earliest of
them stand for all.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from webstrata.web.row_key import from_row_key
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.search.settings import SearchSettings

FIELDS = (
    ("title", "positions"),
    ("text", "versions"),
    ("other", "first"),
    ("anchor", "positions"),
    ("host", "positions"),
    ("url", "positions"),
    ("site", "whole"),
    ("language", "whole"),
    ("word", "whole"),
)
NUMBERS = {name: number for number, (name, _) in enumerate(FIELDS)}
LENGTHS = {"title": "text", "text": "text", "other": "other"}
"""Fields that a document's length is made of, each with the field whose weight its words have there."""
Weights = tuple[float, float]
"""What a word of a field counts, and what it adds to the length of a document."""
SCORED = tuple(name for name, kind in FIELDS if kind != "whole")


def weights(settings: SearchSettings) -> dict[str, float]:
    """The weight of each field that is scored; those without weight are left out.

    Examples
    --------
    >>> from webstrata.search.settings import SearchSettings
    >>> weights(SearchSettings(url_weight=0.0))
    {'title': 8.0, 'text': 1.0, 'other': 0.7, 'anchor': 2.0, 'host': 0.5}
    """
    found = {name: float(getattr(settings, f"{name}_weight")) for name in SCORED}
    return {name: weight for name, weight in found.items() if weight > 0}


def weight_list(settings: SearchSettings) -> list[Weights]:
    """Of every field, by its number, what a word counts and what it adds to the length of a document.

    The length is that of what a page shows itself: title, main content and the rest. Links to a page do not
    make it longer.

    Examples
    --------
    >>> from webstrata.search.settings import SearchSettings
    >>> weight_list(SearchSettings())[:4]
    [(8.0, 1.0), (1.0, 1.0), (0.7, 0.7), (2.0, 0.0)]
    """
    found = weights(settings)
    lengths = {name: getattr(settings, f"{like}_weight") for name, like in LENGTHS.items()}
    return [(found.get(name, 0.0), lengths.get(name, 0.0)) for name, _ in FIELDS]


def field_values(key: str, row: Mapping[str, Any], anchors: Sequence[str]) -> list[list[str]]:
    r"""The values of each field of a page, given its row key, its row of text and its anchor texts.

    Examples
    --------
    >>> row = {"title": "Fish", "text": "Menu\nTropical fish", "main": [5, 18], "language": "en"}
    >>> for (name, _), values in zip(FIELDS, field_values("org,a,www)/sea?id=3", row, ["Fishes"])):
    ...     print(name, values)
    title ['Fish']
    text ['Tropical fish']
    other ['Menu\n']
    anchor ['Fishes']
    host ['www a org']
    url ['sea id 3']
    site ['www.a.org', 'a.org', 'org']
    language ['en']
    word ['fish', 'fishes']
    """
    main, other = split_text(row["text"], row["main"] or [])
    host, target = split_url(key)
    labels = host.split(".")
    folded = {word.casefold() for text in (row["title"], *anchors) for word in load_core().split(text)}
    return [
        [row["title"]] if row["title"] else [],
        main,
        other,
        list(anchors),
        [re.sub(r"[.-]", " ", host)],
        [" ".join(re.findall(r"[^\W_]+", target))],
        [".".join(labels[place:]) for place in range(len(labels))],
        [row["language"]] if row["language"] else [],
        sorted(folded),
    ]


def split_url(key: str) -> tuple[str, str]:
    """The host of a row key, and what stands behind it.

    Examples
    --------
    >>> split_url("org,example,www)/a?b 8080 https")
    ('www.example.org', '/a?b')
    """
    name, _, rest = key.partition(")")
    host = name if ":" in name else from_row_key(f"{name})").partition("//")[2]
    return host, rest.partition(" ")[0]


def split_text(text: str, places: Sequence[int]) -> tuple[list[str], list[str]]:
    r"""The sections of main content, and what stands between them; all is main where no section is.

    Examples
    --------
    >>> split_text("Menü\nA story.\nLegal", [6, 14])
    (['A story.'], ['Menü\n', '\nLegal'])
    >>> split_text("A story.", [])
    (['A story.'], [])
    """
    if not places:
        return ([text] if text else []), []
    data = text.encode()
    ends = [0, *places, len(data)]
    pieces = [data[begin:end].decode(errors="replace") for begin, end in itertools.pairwise(ends)]
    return pieces[1::2], [gap for gap in pieces[::2] if gap.strip()]
