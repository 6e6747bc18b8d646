"""What contradicts itself or is not there is refused in one sentence, and the collection stays as it was."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import picture
from webstrata import cli, testing

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "http://news.example/"

REFUSED = [
    ("check uk --fixity --repair", "choose one"),
    ("graph stats uk", "name a snapshot of the collection too"),
    ("graph stats uk 2026-06 --registers 17", "expected a power of 2 from 16 on, got 17"),
    (f"graph links uk {PAGE}", "name a snapshot of the collection too|not a date"),
    ("graph links uk 2026-06 http://nowhere.example/", r"http://nowhere\.example/"),
    ("spectrum uk", "name a snapshot of the collection too"),
    (f"get uk {PAGE} --text --headers", "choose one"),
    (f"get uk {PAGE} --main", "add --text"),
    (f"get uk 2026-06 {PAGE} --at 2026-05", "leave one of them out"),
    (f"similar uk 2026-06 {PAGE} --at 2026-05", "leave one of them out"),
    ("takedown uk", "name a URL, a host or a prefix"),
    (f"takedown uk {PAGE} --list", "leave out the URL"),
    (f"takedown uk {PAGE} --lift --erase --yes", "lift"),
    ("takedown uk http://nowhere.example/ --lift", "nowhere"),
    ("content extract binary", "binary"),
    ("export uk 2026-06", "choose one of|Missing option"),
    ("export uk 2026-06 --output out --warc --wacz", "one format at a time"),
    ("ingest uk 2026-07 --git site", "leave out SNAPSHOT"),
    ("ingest uk --git site", "--host"),
    ("ingest uk 2026-07 --arc-labels uk --at 2026-06", "leave out everything else"),
    ("ingest uk --urls urls", "--urls needs --arc-labels"),
    ("ingest uk 2026-07 --host a.example page.html", "--host needs --git"),
    ("ingest uk", "SNAPSHOT is missing"),
    ("ingest uk 2026-07 nowhere.warc.gz", "nowhere.warc.gz"),
    ("ingest uk 2026-07 binary", "binary"),
    ("ingest uk 2026-13 binary", "2026-13"),
    ("ingest uk 2026-07 binary --webgraph nowhere", "nowhere|leave out"),
    ("demo --docs . --into made", "give --real too|No such option"),
    ("rank uk", "name one SNAPSHOT to rank, or --all-snapshots"),
    ("rank uk 2026-06 --plots plots", "webstrata plane"),
    ("rank uk 2026-06 --of 2026-05", "name --all-snapshots instead of one"),
    ("rank uk 2026-06 --categories binary", "name a --list"),
    ("rank uk 2026-06 --method pagerang", "did you mean pagerank|must be one of"),
    ("rank uk 2026-07", "2026-07"),
    ("changes uk", "QUERY is missing"),
    ("changes uk storm --from 2026-06 --at 2026-05", "2026-06"),
    ("show uk --page-lists", "needs a snapshot"),
    ("show uk 2026-06 --page-lists", "only snapshots ingested from WACZ files"),
    ("show uk 2031-01", "2031-01"),
    ("index uk --servers 4", "name it with --partition"),
    ("table get uk http://nowhere.example/", "has no cell"),
    ("table get uk nowhere", "nowhere"),
    ("table put uk", "ROW, FAMILY, COLUMN and VALUE"),
    (f"table put uk {PAGE} notes size many --number", "'many' is no number|not a number"),
    (f"table put uk {PAGE} notes size 1 --lines binary", "not both"),
    (f"table put uk {PAGE} nofamily a b", "nofamily"),
    ("table scan uk --family nofamily", "nofamily|No such option"),
    ("ls uk 2026-06 --records --prefix", "leave out --prefix"),
    ("ls uk 2026-06 --kind response", "add --records"),
    ("crawl uk 2026-07", "--seeds FILE, or --invitro PRESET|user_agent|user-agent"),
    ("crawl uk 2026-06 --seeds nowhere.txt --again", "nowhere.txt|user"),
    ("crawl status uk 2026-06", "no crawl is running here"),
    ("crawl report uk 2026-06", "2026-06"),
    ("crawl retry uk 2026-06", "nothing to retry"),
    ("crawl set uk 2026-06 no_such_setting 1", "no crawl is running here|no_such_setting"),
    ("run uk --first rank --last graph", "rank comes after"),
    ("run uk --first ranks", "ranks"),
    ("run uk --preset paper:tim", "paper:time"),
    ("run uk --config nowhere.toml", "nowhere.toml"),
    ("run uk --config bad.toml", "bad.toml"),
    ("run uk --config unknown.toml", "nosuchtable"),
    ("build uk nosuchpart", "nosuchpart"),
    ("build uk 2026-09 graph", "2026-09"),
    ("build uk 2026-06 warc", "comes with pages"),
    ("remove uk 2026-09 --yes", "2026-09"),
    ("remove uk 2026-06", "add --yes to confirm"),
    ("rename uk 2026-06 2026-05", "2026-05"),
    ("rename uk 2026-06 june", "june"),
    ("merge uk uk", "uk"),
    ("merge uk nowhere", "nowhere"),
    ("split uk uk 2026-05", "uk"),
    ("split uk new 2026-09", "2026-09"),
    ("new uk", "already"),
    ("new other 2026-13", "2026-13"),
    ("history uk http://nowhere.example/", "nowhere"),
    ("history uk not-a-url", "not-a-url"),
    ("diff uk 2026-05 2026-06 http://nowhere.example/", "nowhere"),
    ("search evaluate uk --queries binary --judgements binary", "binary"),
    ("search compare uk --queries nowhere", "nowhere"),
    ("summaries show uk 2026-06 http://nowhere.example/", "nowhere"),
    ("simulate uk 2026-06 --relevant color:red", "color"),
    ("simulate uk 2026-06 --relevant query:storm --policy best", "best"),
    ("classify train uk 2026-06 --labels binary --output model", "binary"),
    ("classify train uk 2026-06 --labels nowhere --output model", "nowhere"),
    ("classify predict uk 2026-06 --model binary", "binary"),
    ("classify gate uk 2026-06 --labels nowhere --output gate", "nowhere"),
    ("classify experiment uk 2026-06", "no labels"),
    ("classify features uk 2026-06 --sets Z", "Z"),
    ("classify label uk 2026-06 --labels new.csv --hosts nowhere.example", "nowhere|No such option"),
    ("graph convert uk 2026-09 out --format edges", "2026-09"),
    ("graph convert nowhere out --format edges", "nowhere"),
    ("graph check nowhere", "nowhere"),
    ("compare-ranks uk 2026-06", "2026-06"),
    ("invitro judge binary", "binary"),
    ("invitro truth uk 2026-06 --preset nosuch", "nosuch"),
    ("temporal bias uk --invitro nosuch", "nosuch"),
    ("duplicates uk 2026-09", "2026-09"),
    ("plane uk 2026-09", "2026-09"),
    ("links-server uk 2026-09", "2026-09"),
    ("serve nowhere", "nowhere"),
    ("report uk --output uk", "uk"),
    ("freshness uk --at 2026-13", "2026-13"),
    ("align uk --snapshots 2026-09", "2026-09"),
    ("align uk --by nosuch", "nosuch"),
    ("store uk 2026-06 --parsers nosuch", "there is no parser nosuch"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a small collection, a file of no known format, and two settings files that are wrong."""
    folder = tmp_path_factory.mktemp("refusals")
    testing.collection().path.rename(folder / "uk")
    (folder / "binary").write_bytes(bytes(range(256)) * 4)
    (folder / "bad.toml").write_text("= 1\n")
    (folder / "unknown.toml").write_text("[nosuchtable]\na = 1\n")
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.mark.parametrize(("line", "pattern"), REFUSED, ids=[line for line, _ in REFUSED])
def test_it_is_refused_in_one_sentence_and_nothing_changes(
    place: Path, capsys: pytest.CaptureFixture[str], line: str, pattern: str
) -> None:
    before = picture(place)
    assert cli.run(line.split()) == 2
    _, err = capsys.readouterr()
    sentences = [each for each in err.splitlines() if each.startswith("webstrata: ")]
    assert len(sentences) == 1, err
    assert err.splitlines()[-1] == sentences[0], "it is the last line"
    assert not [each for each in err.splitlines() if "Traceback" in each]
    assert re.search(pattern, sentences[0]), sentences[0]
    assert picture(place) == before
