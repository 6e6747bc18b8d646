"""Gate files: a gate's model as plain arrays and a card, in one zip file, as other model files are.

==================  =====================================================================================
``card.json``       the card: ``format`` (2), ``kind`` (``gate``), ``webstrata`` (the version that wrote it),
                    ``pages`` (how many of a host it wants to see), ``bound``, ``thresholds`` and ``auc`` of
                    content and links, ``hosts`` and ``spam`` (counts of labels), ``features`` (names in
                    order), ``compression`` (the level of DEFLATE by which pages were measured; not told in
                    format 1, where it is 6), ``mean_length`` and ``bias`` of the terms, ``curves`` (a list
                    of rows ``threshold, spam_hosts, spam_pages, honest_hosts, honest_pages`` for each),
                    ``trees``
``arrays/….npy``    ``idf``, ``terms`` (weights of buckets), and the trees of ``content`` and ``links``
==================  =====================================================================================

Nothing in it is ever run.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata._core import __version__
from webstrata.classify.gate.model import LINK_FEATURES, ROW, GateModel
from webstrata.classify.gate.samples import BUCKETS
from webstrata.classify.learning.model_arrays import Damaged, Plain, from_plain, to_plain
from webstrata.classify.learning.model_file import UNREADABLE, check_sizes
from webstrata.collection.action import Action
from webstrata.collection.arrays import parse_array
from webstrata.collection.files import explained, replace_file
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.classify.gate.training import TrainedGate

FORMAT = 2
KIND = "gate"
CARD = "card.json"
FIRST_COMPRESSION = 6
"""That of format 1."""
MOST_BYTES = 1 << 28
"""A file that claims more is not read."""
MOST_CARD = 4 << 20
"""Bytes of a card; one that claims more is not read."""
MOST_POINTS = 200
"""Of a curve that is kept."""


def save_gate(trained: TrainedGate, path: Path) -> None:
    """Write a gate; what was there is replaced when all of it is written.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.gate.training import train_gate
    >>> from webstrata.classify.gate.samples import measure_pages, measure_site
    >>> def show(number):
    ...     words = ("fish swim in the sea", "cheap pills cheap")[number % 2]
    ...     pages = measure_pages([(f"http://{number}.org/", f"<p>{words} {number}".encode())])
    ...     return measure_site(f"{number}.org", pages)
    >>> sites = [show(number) for number in range(40)]
    >>> labels = {site.host: number % 2 == 1 for number, site in enumerate(sites)}
    >>> trained = train_gate(sites, np.full(40, 9), labels, pages=1, bound=0.1, folds=2)
    >>> path = testing.scratch() / "spam.gate"
    >>> save_gate(trained, path)
    >>> model, card = load_gate(path)
    >>> model.pages, card["hosts"], card["spam"], card["auc"]["content"]
    (1, 40, 20, 1.0)
    """
    model = trained.model
    arrays: dict[str, npt.NDArray[Any]] = {"idf": model.idf, "terms": model.term_weights}
    trees = {}
    for name, flat in (("content", model.content), ("links", model.links)):
        plain = to_plain(flat)
        trees[name] = plain.facts
        arrays |= {f"{name}-{key}": array for key, array in plain.arrays.items()}
    card = {
        "format": FORMAT,
        "kind": KIND,
        "webstrata": __version__,
        "pages": model.pages,
        "bound": trained.bound,
        "thresholds": {"content": model.content_threshold, "links": model.links_threshold},
        "auc": trained.auc,
        "hosts": trained.hosts,
        "spam": trained.spam,
        "features": [*ROW, *LINK_FEATURES],
        "compression": model.compression,
        "mean_length": model.mean_length,
        "bias": model.term_bias,
        "trees": trees,
        "curves": {
            name: _thin([list(astuple(point)) for point in points]) for name, points in trained.curves.items()
        },
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        # without the time, so that equal gates are equal files; no score is infinite in JSON
        archive.writestr(zipfile.ZipInfo(CARD), json.dumps(_finite(card), indent=1))
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"arrays/{name}.npy"), content.getvalue())
    replace_file(path, stream.getvalue())


def load_gate(path: Path) -> tuple[GateModel, dict[str, Any]]:
    """The model in a file and its card, or one sentence about why it is no gate.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.gate.training import train_gate
    >>> from webstrata.classify.gate.samples import measure_pages, measure_site
    >>> texts = [f"<p>fish in the sea {n}" if n % 2 else f"<p>cheap pills cheap {n}" for n in range(40)]
    >>> pages = [measure_pages([(f"http://{n}.org/", text.encode())]) for n, text in enumerate(texts)]
    >>> sites = [measure_site(f"{n}.org", page) for n, page in enumerate(pages)]
    >>> labels = {f"{n}.org": n % 2 == 0 for n in range(40)}
    >>> path = testing.scratch() / "spam.gate"
    >>> save_gate(train_gate(sites, np.full(40, 9), labels, pages=1, bound=0.1, folds=2), path)
    >>> model, card = load_gate(path)
    >>> model.pages, card["hosts"]
    (1, 40)
    >>> _ = path.write_bytes(b"PK, or so")
    >>> load_gate(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...spam.gate: this is not a gate; call ...
    """
    with explained(path, "read"):
        content = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise FormatError(
            f"{path}: this is not a gate", fix=Action("classify gate", options={"labels": "FILE"})
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            card = _read_card(path, archive)
            return _read_model(card, archive), card
    except FormatError:
        raise
    except (*UNREADABLE, Damaged, KeyError, TypeError, AttributeError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(f"{path}: this gate is damaged ({said}); learn it again") from error


def _read_card(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    check_sizes(path, archive, card=MOST_CARD, total=MOST_BYTES)
    card = json.loads(archive.read(CARD)) if CARD in archive.namelist() else None
    if isinstance(card, dict) and "task" in card and card.get("kind") != KIND:
        raise FormatError(
            f"{path}: this model of {card['task']} looks at features of whole hosts, and a gate sees a few "
            "pages; {fix} with the same labels",
            fix=Action("classify gate", options={"labels": "FILE"}),
        )
    if not isinstance(card, dict) or card.get("kind") != KIND or not isinstance(card.get("format"), int):
        raise FormatError(
            f"{path}: this is not a gate", fix=Action("classify gate", options={"labels": "FILE"})
        )
    if card["format"] > FORMAT:
        raise NewerFormatError(
            f"{path}: this gate was written by webstrata {card.get('webstrata')} in format "
            f"{card['format']}, and {FORMAT} is the newest known here; upgrade webstrata, or learn it again"
        )
    if card["features"] != [*ROW, *LINK_FEATURES]:
        raise FormatError(
            f"{path}: this gate looks at other features than this version measures; learn it again"
        )
    return card


def _read_model(card: dict[str, Any], archive: zipfile.ZipFile) -> GateModel:
    def read(name: str) -> npt.NDArray[Any]:
        try:
            return parse_array(archive.read(f"arrays/{name}.npy"))
        except ValueError as error:
            raise Damaged(f"{name}: {error}") from error

    def trees(name: str, width: int) -> Any:  # noqa: ANN401
        found = {
            file.removeprefix(f"arrays/{name}-").removesuffix(".npy"): read(
                file.removeprefix("arrays/").removesuffix(".npy")
            )
            for file in archive.namelist()
            if file.startswith(f"arrays/{name}-")
        }
        return from_plain(Plain("trees", card["trees"][name], found), width)

    thresholds = {
        name: float("inf") if card["thresholds"][name] is None else float(card["thresholds"][name])
        for name in ("content", "links")
    }
    idf, weights = read("idf").astype(np.float32), read("terms").astype(np.float32)
    if idf.shape != (BUCKETS,) or weights.shape != (BUCKETS,):
        raise Damaged(f"it has {idf.size} buckets of words, and {BUCKETS} were expected")
    compression = int(card.get("compression", FIRST_COMPRESSION))
    if not 1 <= compression <= 12:
        raise Damaged(f"it measures pages by level {compression} of DEFLATE, and there are 1 to 12")
    return GateModel(
        idf=idf,
        mean_length=float(card["mean_length"]),
        term_weights=weights,
        term_bias=float(card["bias"]),
        content=trees("content", len(ROW)),
        links=trees("links", len(ROW) + len(LINK_FEATURES)),
        content_threshold=thresholds["content"],
        links_threshold=thresholds["links"],
        pages=int(card["pages"]),
        compression=compression,
    )


def _thin(points: list[list[float]]) -> list[list[float]]:
    """Some hundred points of a curve, its ends among them."""
    if len(points) <= MOST_POINTS:
        return points
    places = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).astype(int))
    return [points[place] for place in places.tolist()]


def _finite(value: Any) -> Any:  # noqa: ANN401
    """The same without infinite numbers, which JSON has none of."""
    if isinstance(value, dict):
        return {key: _finite(some) for key, some in value.items()}
    if isinstance(value, list):
        return [_finite(some) for some in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
