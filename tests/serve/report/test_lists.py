"""Lists of pages in the report: places in the plane, ranks, categories, and outside rankings."""

from __future__ import annotations

from pathlib import Path

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.lists import make_lists
from webstrata.serve.report.sheet import Missing, Sheet


def ranked() -> ws.Collection:
    uk = testing.collection()
    for snapshot in uk:
        snapshot.rank("2drank")
    return uk


def write(name: str, lines: list[str]) -> str:
    path = testing.scratch() / name
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_a_list_has_its_places_ranks_categories_and_overlap_in_the_report() -> None:
    uk = ranked()
    urls = list(uk["2026-06"].urls)
    sea = write("sea.txt", [f"{url}\tsea" if "reef" in url else url for url in urls])
    food = write("food.txt", [url for url in urls if "kitchen" in url])
    kinds = write("kinds.txt", ["kitchen.example\tfood"])
    first = [place.name or "" for place in uk["2026-06"].rank("pagerank").top(10)]
    outside = write("outside.txt", first)
    sheet = make_lists(uk, Progress(), lists=[sea, food], categories=kinds, rankings=[outside])
    titles = {table.title.partition(" (")[0]: table for table in sheet.tables}
    assert titles["sea: rank by PageRank"].rows[0][-1] == 1
    shares = {row[1] for row in titles["sea: categories of the first 30"].rows}
    assert {"sea", "food"} <= shares
    overlap = titles["sea: of the first, how many are among the first of outside"]
    assert overlap.columns == ["method", "first", "2026-04", "2026-05", "2026-06"]
    assert overlap.rows[0][:2] == ["PageRank", 10]
    assert overlap.rows[0][-1] == 10, "the list has all pages, and the ranking is that of June"
    assert {row[1] for row in titles["food: categories of the first 30"].rows} == {"food"}
    assert "our settings; WIKI, section 4 with the preset paper:wiki" in overlap.title
    names = [figure.name.removeprefix("lists-") for figure in sheet.figures]
    assert names[:2] == ["members", "squares"]
    assert {"food-squares", "sea-pagerank-trajectories", "sea-2drank-overlap", "sea-2drank-categories"} <= {
        *names
    }
    values = sheet.figures[0].spec["data"]["values"]
    assert {value["list"] for value in values} == {"sea", "food"}


def test_lists_that_do_not_fit_are_refused_and_unknown_pages_counted() -> None:
    uk = ranked()
    url = next(iter(uk["2026-06"].urls))
    some = write("some.txt", [url, "http://nowhere.example/"])
    sheet = make_lists(uk, Progress(), lists=[some])
    assert sheet.notes == ["1 of 2 names of some are in no snapshot: http://nowhere.example/."]
    with pytest.raises(UsageError, match="no list has a page of other"):
        make_lists(uk, Progress(), lists=[some], rankings=[write("other.txt", ["http://x.example/"])])
    with pytest.raises(MissingError, match="1 of 1 names is not there"):
        make_lists(uk, Progress(), lists=[write("none.txt", ["http://nowhere.example/"])])
    with pytest.raises(FormatError, match="has no category"):
        make_lists(uk, Progress(), lists=[some], categories=write("bare.txt", ["http://nowhere.example/"]))
    with pytest.raises(MissingError, match="no snapshot is ranked"):
        make_lists(testing.empty(), Progress(), lists=[some])


def test_a_run_with_lists_keeps_their_sheet_and_without_says_how() -> None:
    uk = ranked()
    [missing] = read_sheets(uk, KINDS["lists"], uk.states())
    assert isinstance(missing, Missing)
    assert "--lists FILE" in missing.command
    some = write("some.txt", [next(iter(uk["2026-06"].urls))])
    uk.run(lists=[some], first="rank", last="sheets", off=["spectrum", "simulate", "classify"])
    [sheet] = read_sheets(uk, KINDS["lists"], uk.states())
    assert isinstance(sheet, Sheet)
    assert sheet.title == "Lists through time"
    assert Path(some).stem in sheet.tables[0].title
