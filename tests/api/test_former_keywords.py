"""Keywords are those of the command line; former ones work for one release."""

from __future__ import annotations

import pytest

import webstrata as ws
from webstrata import testing


def test_former_keywords_of_times_warn_and_find_the_same() -> None:
    uk = testing.collection()
    with (
        pytest.warns(DeprecationWarning, match="since is deprecated.*use start"),
        pytest.warns(DeprecationWarning, match="until is deprecated.*use end"),
    ):
        found = uk.search("fish", since="2026-05", until="2026-05")  # type: ignore[call-arg]
    assert found.urls == uk.search("fish", start="2026-05", end="2026-05").urls
    assert found.urls
    with pytest.warns(DeprecationWarning, match="since is deprecated.*use start"):
        former = uk.changes("storm", since="2026-05", at="2026-06")  # type: ignore[call-arg]
    assert former.urls == uk.changes("storm", start="2026-05", end="2026-06").urls


def test_former_keywords_of_limits_and_files_warn_and_do_the_same() -> None:
    uk = testing.collection()
    with pytest.warns(DeprecationWarning, match="top is deprecated.*use limit"):
        former = uk.similar("http://reef.example/fish", top=1)  # type: ignore[call-arg]
    assert former.to_dict() == uk.similar("http://reef.example/fish", limit=1).to_dict()
    with pytest.warns(DeprecationWarning, match="into is deprecated.*use output"):
        written = uk["2026-06"].export("cdxj", into=testing.scratch() / "june")  # type: ignore[call-arg]
    assert written.path.exists()


def test_a_former_keyword_with_its_new_one_is_refused() -> None:
    with pytest.raises(TypeError, match="got both 'since' and 'start'"):
        testing.collection().search("fish", since="2026-05", start="2026-05")  # type: ignore[call-arg]


def test_editors_see_the_new_keywords_alone() -> None:
    import inspect

    names = set(inspect.signature(ws.Collection.search).parameters)
    assert {"at", "start", "end"} <= names
    assert not {"since", "until"} & names
