"""Functions that settings name."""

from __future__ import annotations

import pytest

from webstrata.crawl.functions import check_source, import_function
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError


def test_functions_within_classes_are_found_by_their_path() -> None:
    assert import_function("pathlib:Path.exists", "priority").__name__ == "exists"


@pytest.mark.parametrize("setting", ["priority", "store_to"])
def test_the_environment_may_name_a_function_and_a_file_may_not(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = CrawlSettings(**{setting: "mine:function"})  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=f"{setting}: a settings file names the function mine:function"):
        check_source(settings)
    monkeypatch.setenv(f"WEBSTRATA_CRAWL_{setting.upper()}", "mine:function")
    check_source(settings)
