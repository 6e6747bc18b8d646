"""What is looked for: topics, labels, scores, examples, a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

from webstrata import errors, testing
from webstrata.simulate.relevance import bm25, find_relevance
from webstrata.simulate.web import StoredWeb
from webstrata.summaries.query import find_terms

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


@pytest.fixture(scope="module")
def web(months: ws.Collection) -> StoredWeb:
    return StoredWeb(months["2026-06"])


def test_a_topic_is_what_the_truth_says(web: StoredWeb) -> None:
    with web.snapshot.open_part("truth") as part:
        truth = pq.read_table(part.path / "nodes.parquet").to_pylist()
    topics = {row["url"]: row["topic"] for row in truth}
    found = find_relevance(web, "topic:2")
    assert (find_relevance(web, "topic:travel").relevant == found.relevant).all()
    assert found.relevant.tolist() == [topics[url] == 2 for url in web.urls]
    assert 0 < found.total < web.num_pages
    with pytest.raises(errors.SettingError, match="there is no topic 9; they are 0 sports"):
        find_relevance(web, "topic:9")


def test_a_query_is_scored_as_the_matrix_of_weights_says(web: StoredWeb) -> None:
    archive = web.archive
    terms = [1, 5, 40]
    expected = np.asarray(archive.matrix("bm25")[:, terms].sum(axis=1)).reshape(-1)
    assert np.allclose(bm25(archive, terms), expected)
    word = archive.terms[5]
    found = find_relevance(web, f"query:{word}", share=0.1)
    assert found.total <= round(0.1 * web.num_pages)
    assert found.scores.max() == 1.0
    assert found.relevant.sum() == min(round(0.1 * web.num_pages), (found.scores > 0).sum())
    assert (
        find_relevance(web, f"query:{word}", threshold=0.9).relevant.tolist()
        == (found.scores >= 0.9).tolist()
    )


def test_words_of_a_query_are_stemmed_as_those_of_pages(web: StoredWeb) -> None:
    # every page has English function words, and the archive says what stemmed them
    assert web.archive.facts["stemmer"] == "porter"
    number = next(number for number, text in enumerate(web.archive.terms.texts()) if text == "word")
    assert find_terms(web.archive, "Words, wording!") == [number]


def test_examples_find_pages_of_their_topic(web: StoredWeb, tmp_path: Path) -> None:
    truth = find_relevance(web, "topic:1")
    nodes = np.flatnonzero(truth.relevant)[::4][:10]
    file = tmp_path / "examples.txt"
    file.write_text("".join(f"{web.urls[node]}\n" for node in nodes))
    found = find_relevance(web, f"examples:{file}")
    centre = np.asarray(web.archive.matrix("tf-idf", nodes).mean(axis=0)).reshape(-1)
    cosines = web.archive.matrix("tf-idf") @ centre
    assert np.allclose(found.scores, cosines / cosines.max())
    assert found.scores[truth.relevant].mean() > 1.2 * found.scores[~truth.relevant].mean()


def test_files_of_labels_and_scores_are_read(web: StoredWeb, tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text(f"# by hand\n{web.urls[3]} good\n{web.urls[5]} bad\n\n")
    assert np.flatnonzero(find_relevance(web, f"labels:{labels}").relevant).tolist() == [3, 5]
    assert np.flatnonzero(find_relevance(web, f"labels:{labels}#good").relevant).tolist() == [3]
    scores = tmp_path / "scores.txt"
    scores.write_text(f"{web.urls[3]}\t4\n{web.urls[5]}\t1\n")
    found = find_relevance(web, f"scores:{scores}", threshold=0.5)
    assert found.scores[[3, 4, 5]].tolist() == [1.0, 0.0, 0.25]
    assert np.flatnonzero(found.relevant).tolist() == [3]
    np.save(tmp_path / "scores.npy", found.scores * 8)
    again = find_relevance(web, f"scores:{tmp_path / 'scores.npy'}", threshold=0.5)
    assert again.scores.tolist() == found.scores.tolist()


def test_what_cannot_be_is_said(web: StoredWeb, tmp_path: Path) -> None:
    file = tmp_path / "file"

    def refused(told: str, content: str = "") -> str:
        file.write_text(content)
        with pytest.raises(errors.UserError) as caught:
            find_relevance(web, told.format(file=file))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "http://no.where/ and 1 more are no pages of this snapshot" in refused(
        "labels:{file}", f"http://no.where/\n{web.urls[0]}\nhttp://no.where/2"
    )
    assert "line 2: 'high' is no score" in refused("scores:{file}", f"{web.urls[0]} 1\n{web.urls[1]} high")
    assert "below 0 or no numbers" in refused("scores:{file}", f"{web.urls[0]} nan")
    assert "it names no page" in refused("labels:{file}", "# nothing")
    assert "color is no kind of relevance" in refused("color:red")
    assert "does not say what" in refused("query:")
    assert "no page has a word of the query" in refused("query:qqqqqq")
    assert "this file is not there" in refused("labels:{file}.gone")
    np.save(tmp_path / "few.npy", np.zeros(3))
    assert "it is of another snapshot" in refused(f"scores:{tmp_path / 'few.npy'}")


def test_a_file_that_is_no_text_or_names_no_label_is_refused(web: StoredWeb, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(errors.FormatError, match=r"file: this is no text in UTF-8 .*write a URL a line"):
        find_relevance(web, f"labels:{file}")
    file.write_text(f"{web.urls[0]} good\n{web.urls[1]}\n")
    with pytest.raises(errors.SettingError, match="no page has the label bad; labels are good"):
        find_relevance(web, f"labels:{file}#bad")


def test_topics_and_examples_need_their_parts(tmp_path: Path) -> None:
    pages = {"http://a.org/": "<p>", "http://b.org/": "<p>Fish"}
    bare = testing.snapshot_of(pages, parts=("graph", "summaries"))
    web = StoredWeb(bare)
    with pytest.raises(errors.MissingError, match="no truth with topics"):
        find_relevance(web, "topic:1")
    file = tmp_path / "examples"
    file.write_text("http://a.org/\nhttp://b.org/\n")
    found = find_relevance(web, f"examples:{file}")
    assert web.urls[int(np.argmax(found.scores))] == "http://b.org/"
