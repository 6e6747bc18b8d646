"""A real extract of the English Wikipedia, which gensim ships as test data, ranked from end to end."""

from __future__ import annotations

import bz2
import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

import webstrata as ws

NAME = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
BASE = "https://en.wikipedia.org/wiki/"


def find_extract() -> Path:
    """The file within the installed package, which is not imported; skips where it is not installed."""
    spec = importlib.util.find_spec("gensim")
    places = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    places += [*Path(__file__).parents[2].glob(".peers/lib/python*/site-packages/gensim")]
    for path in [place / "test" / "test_data" / NAME for place in places]:
        if path.is_file():
            return path
    pytest.skip("gensim is not installed, whose test data has an extract of Wikipedia; run `make peers`")


def read_plainly(path: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """Articles and the links between them by a few lines of Python: double brackets, redirects followed."""
    texts: dict[str, str] = {}
    redirects: dict[str, str] = {}
    with bz2.open(path) as file:
        for _, element in ET.iterparse(file):
            if element.tag.endswith("}page") and element.findtext("{*}ns") == "0":
                title = element.findtext("{*}title") or ""
                redirect = element.find("{*}redirect")
                if redirect is not None:
                    redirects[title] = redirect.get("title", "")
                else:
                    texts[title] = element.findtext("{*}revision/{*}text") or ""
    links = set()
    for title, text in texts.items():
        for found in re.findall(r"\[\[\s*:?([^\]|#\[]+)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)):
            target = " ".join(found.replace("_", " ").split())
            target = target[:1].upper() + target[1:]
            for _ in range(9):
                target = redirects.get(target, target)
            if target in texts and target != title:
                links.add((title, target))
    return set(texts), links


def test_an_extract_of_the_english_wikipedia_is_ranked_from_end_to_end(tmp_path: Path) -> None:
    extract = find_extract()
    articles, links = read_plainly(extract)
    collection = ws.create(tmp_path / "wiki")
    snapshot = collection.add("2014-11")
    result = snapshot.ingest(wikipedia=extract)
    assert result.to_dict()["damaged"] == 0
    urls = list(snapshot.urls)
    titles = [unquote(url.removeprefix(BASE)).replace("_", " ") for url in urls]
    assert set(titles) == articles
    snapshot.build("graph")
    arcs = [(node, int(end)) for node in range(len(urls)) for end in snapshot.graph.successors(node)]
    found = {(titles[one], titles[other]) for one, other in arcs if one != other}
    assert links <= found
    assert len(found - links) <= len(links) // 10  # in galleries and templates, as the plain reader has not
    # the Google matrix of WIKI's equation 1, dense
    number = len(urls)
    matrix = np.zeros((number, number))
    for one, other in arcs:
        matrix[other, one] = 1
    degrees = matrix.sum(axis=0)
    matrix = np.where(degrees > 0, matrix / np.maximum(degrees, 1), 1 / number)
    google = 0.85 * matrix + 0.15 / number
    scores = np.linalg.matrix_power(google, 256)[:, 0]
    ranking = snapshot.rank("pagerank", tolerance=1e-12)
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-11)
    assert urls[ranking.order[0]] == BASE + "Agriculture"
    spectrum = snapshot.spectrum()
    assert spectrum.table()["N"] == number
    values = np.concatenate([spectrum.values, spectrum.core])
    assert np.abs(values[np.argmax(values.real)] - 1) < 1e-9
