"""Which pages are looked for, and what the crawler sees of a page that it has fetched.

A relevance is two numbers a page: whether it is **relevant**, by which a crawl is judged, and its **score**
from 0 to 1, which a policy sees once the page is fetched. They are told in one of these ways:

===================  ====================================================================================
``all``              every page, score 1
``topic:music``      the pages of a topic, by name or number, by the part `truth` of an in-vitro snapshot,
                     score 1
``labels:FILE``      the pages of a file with a line ``URL`` or ``URL LABEL`` each, score 1; with ``#LABEL``
                     behind the name those of this label
``scores:FILE``      a line ``URL SCORE`` each, as a classifier wrote it, 0 for other pages; or a file
                     ``.npy`` with a number for each node
``examples:FILE``    a URL a line: the cosine of a page's tf–idf with the mean of theirs
``query:WORDS``      BM25, by the summaries
===================  ====================================================================================

Scores are divided by the largest. With them a page is relevant from a threshold on or, where there is none,
if it belongs to the given share of pages with the best scores, those of score 0 excepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.arrays import load_array
from webstrata.collection.files import explained
from webstrata.collection.settings import unknown_name
from webstrata.errors import FormatError, MissingError, SettingError
from webstrata.invitro.topics import find_topic
from webstrata.summaries.query import find_terms
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.simulate.web import StoredWeb
    from webstrata.summaries.archive import Archive

    Numbers = npt.NDArray[np.float64]

_K1, _B = 1.2, 0.75


@dataclass(frozen=True)
class Relevance:
    """What is looked for."""

    relevant: npt.NDArray[np.bool_]
    scores: Numbers

    @property
    def total(self) -> int:
        """How many pages are relevant."""
        return int(self.relevant.sum())


def find_relevance(
    web: StoredWeb, told: str, *, threshold: float = 0.0, share: float = 0.05, strict: bool = True
) -> Relevance:
    """The relevance of each page, as told by ``kind:what``.

    Parameters
    ----------
    web
        The pages.
    told
        As the header of this module says.
    threshold, share
        From which score on, or how many of the best, are relevant.
    strict
        Whether a file may name only pages that are there.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> web.snapshot.urls[int(find_relevance(web, "query:goldfish").scores.argmax())]
    'http://garden.example/pond'
    >>> file = testing.scratch() / "good.txt"
    >>> _ = file.write_text("http://garden.example/pond fish")
    >>> find_relevance(web, f"labels:{file}#fish").relevant.tolist()[:3]
    [False, True, False]
    """
    kind, _, what = told.partition(":")
    if kind == "all" and not what:
        return Relevance(np.ones(web.num_pages, bool), np.ones(web.num_pages))
    kinds: dict[str, Callable[[StoredWeb, str, bool], Numbers]] = {
        "topic": _topic,
        "labels": _labels,
        "scores": _scores,
        "examples": _examples,
        "query": _query,
    }
    if kind not in kinds:
        raise SettingError(unknown_name("relevant", kind, "kind of relevance", kinds | {"all": None}))
    if not what.strip():
        raise SettingError(f"relevant: {told!r} does not say what; write it as in `--relevant query:fish`")
    found = kinds[kind](web, what, strict)
    if kind in ("topic", "labels"):
        return Relevance(found > 0, found)
    return Relevance(_best(found, threshold, share), found)


def _best(scores: Numbers, threshold: float, share: float) -> npt.NDArray[np.bool_]:
    if threshold > 0:
        return scores >= threshold
    count = round(share * len(scores))
    best = np.argsort(-scores, kind="stable")[:count]
    relevant = np.zeros(len(scores), bool)
    relevant[best] = scores[best] > 0
    return relevant


# ---- told by somebody


def _topic(web: StoredWeb, what: str, _strict: bool) -> Numbers:  # noqa: FBT001
    if "truth" not in web.snapshot.parts:
        raise MissingError(
            f"{web.snapshot.path}: no truth with topics; for a synthetic web, {{fix}}, else give labels in a "
            "file, as relevant `labels:FILE`",
            fix=Action.on(web.snapshot, "invitro truth", preset="PRESET"),
        )
    web.used.append("truth")
    with web.snapshot.open_part("truth") as part:
        table = pq.read_table(part.path / "nodes.parquet", columns=["url", "topic"])
    topics = table["topic"].to_numpy()
    topic = find_topic(what.strip(), set(np.unique(topics).tolist()))
    chosen = table.filter(pa.array(topics == topic))["url"].to_pylist()
    # the truth has addresses that a crawl need not have found
    nodes = web.urls.find(pa.array(row_keys(chosen), pa.large_string()))
    scores = np.zeros(web.num_pages)
    scores[nodes[nodes >= 0]] = 1
    return scores


def _labels(web: StoredWeb, what: str, strict: bool) -> Numbers:  # noqa: FBT001
    name, _, label = what.partition("#")
    lines = read_lines(Path(name))
    labels = [rest for _, rest in lines]
    if label and label not in labels:
        known = ", ".join(sorted({each for each in labels if each})[:10]) or "none"
        raise SettingError(f"{name}: no page has the label {label}; labels are {known}")
    nodes = find_nodes(web, name, [url for url, _ in lines], strict=strict)
    chosen = np.array([not label or each == label for each in labels], bool) & (nodes >= 0)
    scores = np.zeros(web.num_pages)
    scores[nodes[chosen]] = 1
    return scores


def _scores(web: StoredWeb, what: str, strict: bool) -> Numbers:  # noqa: FBT001
    scores = np.zeros(web.num_pages)
    if what.endswith(".npy"):
        given = load_array(Path(what))
        if given.shape != scores.shape:
            raise FormatError(
                f"{what}: it has numbers of shape {given.shape}, and there are {web.num_pages} pages; "
                "it is of another snapshot"
            )
        scores = given.astype(np.float64)
    else:
        lines = read_lines(Path(what))
        nodes = find_nodes(web, what, [url for url, _ in lines], strict=strict)
        for number, (node, (_, text)) in enumerate(zip(nodes.tolist(), lines, strict=True), 1):
            try:
                value = float(text)
            except ValueError:
                raise FormatError(
                    f"{what}, line {number}: {text!r} is no score; write `URL SCORE` lines"
                ) from None
            if node >= 0:
                scores[node] = value
    if not (np.isfinite(scores).all() and (scores >= 0).all()):
        raise FormatError(f"{what}: some scores are below 0 or no numbers; they must be 0 or more")
    return _scaled(scores)


def read_lines(path: Path) -> list[tuple[str, str]]:
    r"""The first word of each line of a file and the rest; empty lines and those that begin with # left out.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "labels.txt"
    >>> _ = path.write_text("# mine\nhttp://a.org/ sports\nhttp://b.org/\n")
    >>> read_lines(path)
    [('http://a.org/', 'sports'), ('http://b.org/', '')]
    """
    with explained(path, "read"):
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise MissingError(f"{path}: this file is not there; name one with a URL a line") from None
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: this is no text in UTF-8 ({error}); write a URL a line") from None
    words = (line.split(None, 1) for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = [(line[0], line[1].strip() if len(line) > 1 else "") for line in words if line]
    if not found:
        raise FormatError(f"{path}: it names no page; write a URL a line")
    return found


def find_nodes(
    web: StoredWeb, name: str, urls: Sequence[str], *, strict: bool = True
) -> npt.NDArray[np.int64]:
    """The nodes of URLs that a file names; who is none is refused, or -1.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> find_nodes(web, "seeds.txt", ["http://garden.example/pond"])
    array([1])
    >>> find_nodes(web, "seeds.txt", ["http://nowhere.example/"])
    Traceback (most recent call last):
    webstrata.errors.MissingError: seeds.txt: http://nowhere.example/ is no page of this snapshot; take it
    out, or name another file
    """
    nodes = np.array([-1 if (node := web.urls.get(url)) is None else node for url in urls], np.int64)
    unknown = np.flatnonzero(nodes < 0)
    if strict and len(unknown):
        more = f" and {len(unknown) - 1} more are" if len(unknown) > 1 else " is"
        noun = "pages" if len(unknown) > 1 else "page"
        raise MissingError(
            f"{name}: {urls[unknown[0]]}{more} no {noun} of this snapshot; take it out, or name another file"
        )
    return nodes


# ---- found in the text


def _examples(web: StoredWeb, what: str, strict: bool) -> Numbers:  # noqa: FBT001
    nodes = find_nodes(web, what, [url for url, _ in read_lines(Path(what))], strict=strict)
    nodes = nodes[nodes >= 0]
    archive = web.archive
    if not len(nodes) or not archive.has(nodes).any():
        raise MissingError(f"{what}: none of its pages has a summary; name pages with text")
    centre = np.asarray(archive.matrix("tf-idf", nodes).mean(axis=0)).reshape(-1)
    centre /= np.linalg.norm(centre) or 1.0
    idf = np.log((1 + archive.num_summaries) / (1 + archive.terms.df.astype(np.float64))) + 1
    pull = centre * idf
    scores = np.zeros(len(archive))
    with web.progress.task("comparing with examples", total=len(archive), unit="pages") as task:
        for first, rows in archive.scan():
            tf = rows.counts.astype(np.float64)
            dots, squares = (
                np.bincount(rows.places, tf**power * weights[rows.terms], minlength=rows.num_rows)
                for power, weights in ((1, pull), (2, idf**2))
            )
            scores[first : first + rows.num_rows] = dots / np.sqrt(np.maximum(squares, 1e-300))
            task.advance(rows.num_rows)
    return _scaled(scores)


def _query(web: StoredWeb, what: str, _strict: bool) -> Numbers:  # noqa: FBT001
    archive = web.archive
    terms = find_terms(archive, what)
    if not terms:
        raise MissingError(
            f"{web.snapshot.path}: no page has a word of the query {what!r}; {{fix}} to see terms of a page",
            fix=Action.on(web.snapshot, "summaries show", "URL"),
        )
    with web.progress.task("reading summaries", total=len(archive), unit="pages") as task:
        return _scaled(bm25(archive, terms, task))


def bm25(archive: Archive, terms: Sequence[int], task: Task | None = None) -> Numbers:
    """The sum of the BM25 weights of some terms for each page; one pass over the archive.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(3, {0: 1, 1: 2}), (2, {1: 2})]))
    >>> bm25(archive, [0]).round(4).tolist()
    [0.2912, 0.0]
    """
    wanted = np.zeros(len(archive.terms), bool)
    wanted[list(terms)] = True
    lengths, nodes, found, counts = [], [], [], []
    for first, rows in archive.scan():
        hits = np.flatnonzero(wanted[rows.terms])
        lengths.append(rows.lengths)
        nodes.append(first + np.searchsorted(rows.offsets, hits, side="right") - 1)
        found.append(rows.terms[hits])
        counts.append(rows.counts[hits].astype(np.float64))
        if task:
            task.advance(rows.num_rows)
    if not lengths:
        return np.zeros(0)
    length = np.concatenate(lengths).astype(np.float64)
    mean = length.sum() / max(archive.num_summaries, 1)
    node, term, tf = (np.concatenate(columns) for columns in (nodes, found, counts))
    df = archive.terms.df.astype(np.float64)
    idf = np.log1p((archive.num_summaries - df + 0.5) / (df + 0.5))
    bound = _K1 * (1 - _B + _B * length / (mean or 1.0))
    weights = idf[term] * tf / (tf + bound[node])
    return np.bincount(node, weights, minlength=len(length)).astype(np.float64)


def _scaled(scores: Numbers) -> Numbers:
    best = float(scores.max(initial=0))
    return scores / best if best > 0 else scores
