"""What a page says, in 24 numbers (SPAM, section 4; after Ntoulas and others 2006, Castillo and others 2007).

With w words in the text of a page, as `webstrata.web.words` has them:

- ``words``: w. ``title_words``: words of the title. ``word_length``: characters of a word, the mean.
- ``anchor_share``: words of the texts of its links (``<a>``), over w.
- ``visible_share``: bytes of its text, over the bytes of the page as it was sent.
- ``compression``: bytes of its text, over those that DEFLATE leaves of it (zlib, level 6).
- ``corpus_precision_K``: of its words those among the K most frequent of the corpus, over w.
- ``corpus_recall_K``: of these K the ones that are in the page, over K (or fewer, if the corpus has less).
- ``query_precision_K``, ``query_recall_K``: the same with the most popular words of queries.
- ``ngram_likelihood``: −1/k Σ ln p over the k different n-grams of words, p the share of each among all.
- ``ngram_entropy``: −Σ p ln p over the same.

K is 100, 200, 500, 1000. What would be divided by nothing is missing, and so is what needs a list that is not
there, or bytes of a page whose record is not. n is 3, as the papers have it, or a setting.

The part `page-features` has them for all pages of a snapshot, in node order (``features.parquet``, without a
host), with the lists (``words.parquet``: ``list``, ``word``, the most popular first) and their cost
(``features.json``). The texts are read once; the words of the corpus are found before, in some of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata._core import classify as core
from webstrata.classify.features.feature_sets import TABLE, keep_table, read_kept
from webstrata.classify.features.payloads import measure_payloads
from webstrata.classify.features.sets import CONTENT, FeatureSet
from webstrata.classify.features.word_lists import (
    SIZES,
    WordLists,
    find_corpus_words,
    read_query_words,
    to_buffers,
)
from webstrata.classify.learning.cost import Cost, Meter, borrow
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.store.links import Links
from webstrata.store.text import Text
from webstrata.summaries.stop_words import read_stop_words
from webstrata.web.html import Kind
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot

    Values = npt.NDArray[np.float32]

PART = "page-features"
LISTS = "words.parquet"


def _listed(kind: str, source: str) -> dict[str, str]:
    precision = {
        f"{kind}_precision_{size}": f"words among the {size} most frequent of {source} / w" for size in SIZES
    }
    return precision | {
        f"{kind}_recall_{size}": f"of the {size} most frequent words of {source}, the share that it has"
        for size in SIZES
    }


CORPUS, QUERIES = _listed("corpus", "the corpus"), _listed("query", "queries")
FORMULAS = {
    "words": "w, words of its text",
    "title_words": "words of its title",
    "word_length": "characters of words / w",
    "anchor_share": "words of the texts of its links / w",
    "visible_share": "bytes of its text / bytes of the page as it was sent",
    "compression": "bytes of its text / bytes of it compressed",
    **CORPUS,
    **QUERIES,
    "ngram_likelihood": "−1/k Σ ln p, over the k different n-grams of words, p the share of each",
    "ngram_entropy": "−Σ p ln p, over the same",
}
"""The features of a page with their formulas."""
NAMES = list(FORMULAS)
"""In the order of their columns."""
DESCRIBED = FeatureSet("", "What each page says.", ("text", "links", "urls"), CONTENT)
COMPRESSION = 6
"""The level of DEFLATE, unless told otherwise; gzip has the same."""
_ABSENT = 255
_PAGES = 1 << 10
"""Pages that are measured at a time."""


class Seen(NamedTuple):
    """What is seen on pages as they came."""

    values: Values
    """A row of `NAMES` for each."""
    ends: npt.NDArray[np.int64]
    """Where the words of each end, from 0 on."""
    hashes: npt.NDArray[np.uint64]
    """Of the words of all."""
    authorities: list[list[str]]
    """Hosts and ports that each links to, without its own."""


class PageMeter:
    """Measures pages by lists of popular words.

    Examples
    --------
    >>> meter = PageMeter(WordLists(corpus=("fish", "sea")))
    >>> [found] = meter.measure(pa.array(["Fish"]), pa.array(["Fish swim in the sea, fish swim in the sea"]))
    >>> values = dict(zip(NAMES, found.astype(float).round(3).tolist(), strict=True))
    >>> values["words"], values["corpus_precision_100"], values["corpus_recall_100"]
    (10.0, 0.4, 1.0)
    >>> values["ngram_entropy"], values["query_recall_100"]
    (1.56, nan)
    """

    def __init__(self, lists: WordLists, *, ngram: int = 3, compression: int = COMPRESSION) -> None:
        self.lists, self._words = lists, load_core()
        levels: dict[int, list[int]] = {}
        for place, listed in enumerate(lists):
            for rank, word in enumerate(listed or ()):
                hashes = self._words.hashes(word)
                if len(hashes) != 1:
                    raise ValueError(f"lists: expected single words, got {word!r}")
                found = levels.setdefault(hashes[0], [_ABSENT] * len(lists))
                found[place] = min(found[place], int(np.searchsorted(SIZES, rank, "right")))
        places = np.array(list(levels.values()), np.uint8).reshape(-1)
        self._measures = core.Measures(np.array(list(levels), np.uint64), places, ngram, compression)

    def measure(
        self,
        titles: pa.Array,
        texts: pa.Array,
        *,
        anchor_words: npt.ArrayLike = np.nan,
        html_bytes: npt.ArrayLike = np.nan,
    ) -> Values:
        """A row of `NAMES` for each page.

        Parameters
        ----------
        titles, texts
            Of the pages, as the store has them.
        anchor_words
            Words of the texts of their links.
        html_bytes
            Bytes of each as it was sent.
        """
        counts = self._measures.measure(self._words, to_buffers(titles), to_buffers(texts))
        return self._derive(counts, anchor_words, html_bytes)

    def look(self, pages: Sequence[tuple[str, bytes]], *, max_text: int) -> Seen:
        """The same of pages as they came, URL in normal form and body each; and their words and hosts.

        Parameters
        ----------
        pages
            Whatever their bytes are; their charset is found in them.
        max_text
            Characters of a text that are looked at.
        """
        counts, anchor_words, ends, hashes, hosts = self._measures.look(self._words, list(pages), max_text)
        values = self._derive(counts, anchor_words, [len(body) for _, body in pages])
        return Seen(values, ends, hashes, hosts)

    def _derive(
        self, counts: npt.NDArray[np.float64], anchor_words: npt.ArrayLike, html_bytes: npt.ArrayLike
    ) -> Values:
        counts = counts.reshape(-1, core.NUM_COUNTS)
        num_words, title_words, characters, text_bytes, packed = counts[:, :5].T
        found = np.empty((len(counts), len(NAMES)), np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[:, 0], found[:, 1] = num_words, title_words
            found[:, 2] = characters / num_words
            found[:, 3] = np.asarray(anchor_words) / num_words
            found[:, 4] = text_bytes / np.asarray(html_bytes)
            found[:, 5] = np.where(text_bytes > 0, text_bytes / packed, np.nan)
            for place, listed in enumerate(self.lists):
                width = 2 * core.LEVELS
                if not listed:
                    found[:, 6 + width * place : 6 + width * (place + 1)] = np.nan
                    continue
                by_level = counts[:, 5 + width * place : 5 + width * (place + 1)]
                # a longer list has the words of the shorter ones too
                occurring, different = by_level.reshape(-1, 2, core.LEVELS).cumsum(axis=2).swapaxes(0, 1)
                sizes = np.minimum(SIZES, len(listed))
                shares = np.hstack([occurring / num_words[:, None], different / sizes])
                found[:, 6 + width * place : 6 + width * (place + 1)] = shares
        found[:, -2:] = counts[:, -2:]
        found[~np.isfinite(found)] = np.nan
        return found


def page_features(snapshot: Snapshot, settings: ClassifySettings, progress: Progress | None = None) -> Values:
    """A row of `NAMES` for each page of a snapshot: from the part `page-features`, or made and kept.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> snapshot = testing.snapshot()
    >>> values = page_features(snapshot, ClassifySettings())
    >>> values.shape, NAMES[0], values[0, 0].tolist()
    ((15, 24), 'words', 37.0)
    """
    progress = progress or Progress()
    facts = read_kept(snapshot, PART, DESCRIBED, settings)
    if facts is not None:
        borrow(Cost(**facts["cost"]))
        with snapshot.open_part(PART) as part:
            return _read(part.path / TABLE)
    with Meter() as meter:
        lists = find_lists(snapshot, settings, progress)
        values = measure_pages(snapshot, PageMeter(lists, ngram=settings.ngram), progress)
    table = pa.table({name: pa.array(values[:, nth], from_pandas=True) for nth, name in enumerate(NAMES)})
    kinds = [(kind, word) for kind, words in lists._asdict().items() for word in words or ()]
    listed = pa.table(
        [
            pa.array([kind for kind, _ in kinds], pa.string()),
            pa.array([word for _, word in kinds], pa.string()),
        ],
        names=["list", "word"],
    )
    keep_table(snapshot, PART, table, DESCRIBED, settings, meter.cost, "A", progress, {LISTS: listed})
    return values


def find_lists(snapshot: Snapshot, settings: ClassifySettings, progress: Progress | None = None) -> WordLists:
    """The lists of popular words that pages of a snapshot are measured by.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> find_lists(testing.snapshot(), ClassifySettings()).corpus[:4]
    ('pills', 'cheap', 'fish', 'reef')
    """
    stop_words = read_stop_words(settings.stop_words)
    with snapshot.open_part("text") as part:
        corpus = find_corpus_words(
            Text(part.path), stop_words=stop_words, num_pages=settings.corpus_pages, progress=progress
        )
    queries = read_query_words(settings.query_words, stop_words=stop_words) if settings.query_words else None
    return WordLists(corpus, queries)


def read_lists(snapshot: Snapshot) -> WordLists:
    """The lists that the pages of a snapshot were measured by, or `MissingError`: for pages of another time.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> snapshot = testing.snapshot()
    >>> _ = page_features(snapshot, ClassifySettings())
    >>> read_lists(snapshot).corpus[:4]
    ('pills', 'cheap', 'fish', 'reef')
    """
    with snapshot.open_part(PART) as part:
        table = _read_table(part.path / LISTS)
    found = {
        kind: tuple(table.filter(pc.equal(table["list"], kind))["word"].to_pylist()) or None
        for kind in WordLists._fields
    }
    return WordLists(**found)


def measure_pages(
    snapshot: Snapshot,
    meter: PageMeter,
    progress: Progress,
    *,
    nodes: npt.NDArray[np.int64] | None = None,
) -> Values:
    """A row of `NAMES` for each page of a snapshot, or for some: of these alone texts and links are read.

    Examples
    --------
    >>> from webstrata import testing
    >>> meter = PageMeter(WordLists(corpus=("fish", "sea")))
    >>> some = measure_pages(testing.snapshot(), meter, Progress(), nodes=np.array([0, 3]))
    >>> some.shape, some[:, 0].tolist()
    ((2, 24), [37.0, 37.0])
    """
    sizes = measure_payloads(snapshot, progress, nodes=nodes)
    if sizes is None:
        progress.note("no records of pages: how much of a page is visible is missing")
    with snapshot.open_part("text") as part, snapshot.open_part("links") as links:
        text = Text(part.path)
        anchors = _count_anchor_words(Links(links.path, mapped=False), len(text), progress, nodes)
        total = len(text) if nodes is None else len(nodes)
        found = np.empty((total, len(NAMES)), np.float32)
        begin = 0
        with progress.task("measuring pages", total=total, unit="pages") as task:
            for batch in _gather(text) if nodes is None else _take(text, nodes):
                end = begin + len(batch)
                found[begin:end] = meter.measure(
                    batch["title"].combine_chunks(),
                    batch["text"].combine_chunks(),
                    anchor_words=anchors[begin:end],
                    html_bytes=np.nan if sizes is None else sizes[begin:end],
                )
                task.advance(end - begin)
                begin = end
        columns = text.columns("charset") if nodes is None else text.column_rows(nodes)
        unread = columns["charset"].is_null().to_numpy()
    found[unread] = np.nan  # nobody knows what they say
    return found


def _take(text: Text, nodes: npt.NDArray[np.int64]) -> Iterator[pa.Table]:
    for start in range(0, len(nodes), _PAGES):
        yield text.rows(nodes[start : start + _PAGES]).select(["title", "text"])


def _gather(text: Text) -> Iterator[pa.Table]:
    """Titles and texts, so many at a time that all threads have work."""
    held: list[pa.RecordBatch] = []
    for batch in text.scan("title", "text"):
        held.append(batch)
        if len(held) * len(batch) >= _PAGES:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _count_anchor_words(
    links: Links, num_pages: int, progress: Progress, nodes: npt.NDArray[np.int64] | None
) -> npt.NDArray[np.float64]:
    found, words = np.zeros(num_pages if nodes is None else len(nodes)), load_core()
    if nodes is not None:
        blocks: Iterable[pa.Table] = [links.rows.of_many(nodes.tolist())]
    else:
        blocks = links.rows.blocks("source", "kind", "anchor")
    with progress.task("words of links", total=len(links), unit="links") as task:
        for block in blocks:
            anchors = block.filter(pc.equal(block["kind"], Kind.ANCHOR.value))
            counts = core.count_words(words, to_buffers(anchors["anchor"].combine_chunks()))
            sources = anchors["source"].to_numpy()
            places = sources if nodes is None else np.searchsorted(nodes, sources)
            found += np.bincount(places, counts, minlength=len(found))
            task.advance(len(block))
    return found


def _read(path: Path) -> Values:
    table = _read_table(path)
    if table.column_names != NAMES:
        raise FormatError(f"{path}: its columns are not the features of pages; make the features again")
    return np.stack([column.to_numpy() for column in table.columns], axis=1).astype(np.float32)


def _read_table(path: Path) -> pa.Table:
    with explained(path, "read"):
        try:
            return pq.read_table(path)
        except pa.ArrowInvalid as error:
            raise FormatError(f"{path}: this is not a table ({error}); make the features again") from error
