"""Popular words: those of the corpus, and those of queries.

Words are those of `webstrata.web.words`, case folded, stop words left out. The **corpus** list has the words
that occur most often in the texts of a snapshot; where it has many pages, in batches of them spread evenly
over all. The **query** list has the words that occur most often in a log: a query a line, with how often it
was asked behind a tab, or once. So a list of words, the most popular first, is a log too: of words that occur
equally often the one that comes first goes first. Lists have `SIZES[-1]` words, or as many as there are.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import summaries as core
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.store.text import BATCH
from webstrata.web.words import load_core, words

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from webstrata.store.text import Text

    Buffers = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]

SIZES = (100, 200, 500, 1000)
"""How long a list is taken to be."""
_CHUNK = 1 << 13
"""Pages whose words are counted at a time."""
_MERGED = 16
"""Chunks whose counts are kept apart."""


class WordLists(NamedTuple):
    """Popular words, the most popular first; None where there is no list."""

    corpus: tuple[str, ...] | None = None
    queries: tuple[str, ...] | None = None


def find_corpus_words(
    text: Text,
    *,
    stop_words: Collection[str] = (),
    num_pages: int = 0,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """The most frequent words of the texts of pages, of about `num_pages` of them; of all for 0.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.text import COLUMNS, TEXT, Text, write_text
    >>> folder = testing.scratch()
    >>> texts = ("The fish swims.", "fish, Sea, sea, sea")
    >>> rows = [{"title": "", "headings": [], "text": text} for text in texts]
    >>> columns = {"words": [3, 4], "language": [None] * 2, "charset": ["UTF-8"] * 2, "simhash": [1, 2]}
    >>> write_text(folder, [pa.RecordBatch.from_pylist(rows, schema=TEXT)], pa.table(columns, schema=COLUMNS))
    >>> find_corpus_words(Text(folder), stop_words=["the"])
    ('sea', 'fish', 'swims')
    """
    num_batches = -(-len(text) // BATCH)
    wanted = min(-(-num_pages // BATCH) or num_batches, num_batches)
    places = np.unique(np.linspace(0, num_batches - 1, wanted).astype(np.int64)) if wanted else np.zeros(0)
    counter = core.Counter(load_core(), None, list(stop_words))
    tables: list[pa.Table] = []
    total = len(places) * BATCH
    with (progress or Progress()).task("words of the corpus", total=total, unit="pages") as task:
        for begin in range(0, len(places), _CHUNK // BATCH):
            for place in places[begin : begin + _CHUNK // BATCH].tolist():
                nodes = np.arange(place * BATCH, min((place + 1) * BATCH, len(text)))
                counter.add(*to_buffers(text.take(nodes)))
                task.advance(len(nodes))
            tables.append(_read_counts(counter))
            if len(tables) == _MERGED:
                tables = [_merge(tables)]
        merged = _merge(tables) if tables else None
    if merged is None:
        return ()
    top = merged.take(
        pc.select_k_unstable(merged, SIZES[-1], [("count", "descending"), ("word", "ascending")])
    )
    return tuple(top["word"].to_pylist())


def _read_counts(counter: core.Counter) -> pa.Table:
    (ends, data, _, totals), _ = counter.finish()
    texts = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(data))
    return pa.table({"word": texts, "count": totals})


def _merge(tables: list[pa.Table]) -> pa.Table:
    merged = pa.concat_tables(tables).group_by("word").aggregate([("count", "sum")])
    return merged.rename_columns({"count_sum": "count"})


def read_query_words(path: str, *, stop_words: Collection[str] = ()) -> tuple[str, ...]:
    r"""The most popular words of a log of queries, or `FormatError` where there is none in it.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "log.txt"
    >>> _ = path.write_text("cheap pills\ncheap flights\t10\nthe weather\n")
    >>> read_query_words(str(path), stop_words=["the"])
    ('cheap', 'flights', 'pills', 'weather')
    """
    with explained(Path(path), "read"):
        lines = Path(path).read_bytes().decode("utf-8", "replace").splitlines()
    counts: Counter[str] = Counter()
    for line in lines:
        query, _, asked = line.rpartition("\t")
        is_counted = bool(query) and asked.strip().isascii() and asked.strip().isdigit()
        for word in words(query if is_counted else line):
            folded = word.casefold()
            if folded not in stop_words:
                counts[folded] += int(asked) if is_counted else 1
    if not counts:
        raise FormatError(
            f"{path}: there is no word in it that is no stop word; name a file with a query or a word a line"
        )
    # the sort is stable, and words are counted in the order in which they come
    return tuple(word for word, _ in counts.most_common(SIZES[-1]))


def to_buffers(texts: pa.Array) -> Buffers:
    """Texts as the core takes them: where each ends, and the bytes; one that is null is empty.

    Examples
    --------
    >>> offsets, data = to_buffers(pa.array(["ab", None, "c"]))
    >>> offsets.tolist(), bytes(data)
    ([0, 2, 2, 3], b'abc')
    """
    if texts.type != pa.large_string():
        texts = texts.cast(pa.large_string())
    if texts.null_count:
        texts = pc.fill_null(texts, "")
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    return offsets, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
