"""What was changed while a crawl ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.collection.settings import describe
from webstrata.crawl.changes import FIXED, SettingChanges, read_changes
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_setting_can_change_or_there_is_a_reason() -> None:
    fields = describe(CrawlSettings)
    assert {field.name for field in fields if field.setting.live}.isdisjoint(FIXED)
    assert {field.name for field in fields}.issuperset(FIXED)


@pytest.mark.parametrize("text", ["", "[]", '{"settings": 1, "blacklist": []}', '{"settings": {}}'])
def test_a_file_that_is_no_changes_is_refused(tmp_path: Path, text: str) -> None:
    SettingChanges().write(tmp_path)
    assert read_changes(tmp_path) == SettingChanges()
    (tmp_path / "changes.json").write_text(text)
    with pytest.raises(FormatError, match=r"changes\.json: an object of settings and blacklist was expected"):
        read_changes(tmp_path)
