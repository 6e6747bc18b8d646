"""Settings: one rule for four sources, texts that come back as the values they were."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.settings import (
    ResourcesSettings,
    Settings,
    describe,
    load_tables,
    not_negative,
    one_of,
    parse_bytes,
    parse_seconds,
    positive,
    setting,
    share,
    to_text,
)
from webstrata.errors import SettingError


@dataclass(frozen=True, kw_only=True)
class TrialSettings(Settings):
    """What a trial obeys."""

    delay: float = setting(4.0, "Time between two requests.", unit="seconds", check=not_negative)
    buffer: int = setting(64 << 20, "Room for what waits.", unit="bytes", check=positive)
    pages: int = setting(100, "Pages of a host.", check=positive)
    damping: float = setting(0.85, "Share of followed links.", check=share)
    codec: str = setting("zstd", "How pages are packed.", check=one_of("gzip", "zstd"))
    polite: bool = setting(True, "Whether robots.txt is obeyed.")
    languages: tuple[str, ...] = setting(("en", "fr"), "Languages that are kept.")
    depth: int | None = setting(None, "Links from a seed; no bound where it is not set.")


@pytest.fixture(autouse=True)
def _known_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(load_tables(), "trial", TrialSettings)


def read(environment: dict[str, str] | None = None, **words: Any) -> TrialSettings:  # noqa: ANN401
    return TrialSettings.read(environment=environment or {}, **words)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_time_comes_back_from_its_text(seconds: float) -> None:
    assert parse_seconds(to_text(seconds, "seconds")) == seconds


@given(st.integers(-(2**70), 2**70))
def test_a_size_comes_back_from_its_text(size: int) -> None:
    assert parse_bytes(to_text(size, "bytes")) == size


values = st.builds(
    TrialSettings,
    delay=st.floats(0, 1e12),
    buffer=st.integers(1, 2**63),
    pages=st.integers(1, 2**63),
    damping=st.floats(0, 1),
    codec=st.sampled_from(["gzip", "zstd"]),
    polite=st.booleans(),
    languages=st.lists(st.from_regex(r"[a-z]{2}", fullmatch=True), max_size=3).map(tuple),
    depth=st.none() | st.integers(0, 99),
)


@given(values)
def test_settings_come_back_from_their_texts_and_from_their_manifest(settings: TrialSettings) -> None:
    texts = {
        field.variable: to_text(getattr(settings, field.name), field.setting.unit)
        for field in describe(TrialSettings)
        if getattr(settings, field.name) is not None
    }
    assert read(texts) == settings
    assert read(files=[("manifest.toml", settings.to_dict())]) == settings


@given(*[st.none() | st.integers(1, 99)] * 4)
def test_the_strongest_source_that_has_a_setting_wins(
    option: int | None, variable: int | None, snapshot: int | None, collection: int | None
) -> None:
    files = [
        (name, {"pages": value})
        for name, value in (("snapshot.toml", snapshot), ("collection.toml", collection))
        if value is not None
    ]
    environment = {"WEBSTRATA_TRIAL_PAGES": str(variable)} if variable is not None else {}
    expected = next(value for value in (option, variable, snapshot, collection, 100) if value is not None)
    assert read(environment, options={"pages": option}, files=files).pages == expected


def test_the_lines_of_a_new_settings_file_put_the_defaults_in_force_when_uncommented() -> None:
    lines = TrialSettings.to_toml().splitlines()
    assert tomllib.loads("\n".join(lines)) == {"trial": {}}
    in_force = [line.removeprefix("# ") if " = " in line else line for line in lines]
    table = tomllib.loads("\n".join(in_force))["trial"]
    assert read(files=[("collection.toml", table)]) == TrialSettings()
    assert "# Time between two requests." in lines


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("delay", "4 parsecs", "delay is '4 parsecs', and a time such as 4s or 500ms was expected"),
        ("delay", "-1s", "delay is -1s, and must be 0 or more"),
        ("delay", "inf", "delay is 'inf', and a time such as 4s or 500ms was expected"),
        ("buffer", "64mb", "buffer is '64mb', and a size such as 64MiB was expected"),
        ("buffer", "0", "buffer is 0B, and must be above 0"),
        ("pages", "many", "pages is 'many', and a whole number was expected"),
        ("pages", "1.5", "pages is '1.5', and a whole number was expected"),
        ("damping", "nan", "damping is 'nan', and a number was expected"),
        ("damping", "1.5", "damping is 1.5, and must be between 0 and 1"),
        ("codec", "rar", "codec is rar, and must be one of gzip, zstd"),
        ("polite", "perhaps", "polite is 'perhaps', and true or false was expected"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_source(name: str, text: str, sentence: str) -> None:
    variable = f"WEBSTRATA_TRIAL_{name.upper()}"
    with pytest.raises(SettingError) as error:
        read({variable: text})
    assert str(error.value) == f"environment variable {variable}: {sentence}"
    with pytest.raises(SettingError, match=r"^uk/collection\.toml, \[trial\]: "):
        read(files=[("uk/collection.toml", {name: text})])
    with pytest.raises(SettingError, match=r"^option: "):
        read(options={name: text})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pages", True),
        ("pages", 1.5),
        ("pages", [1]),
        ("codec", 7),
        ("polite", 1),
        ("languages", 3),
        ("delay", {"a": 1}),
    ],
)
def test_a_toml_value_of_the_wrong_kind_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=f"{name} is .* was expected"):
        read(files=[("collection.toml", {name: value})])


def test_an_unknown_name_in_a_file_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError) as error:
        read(files=[("uk/collection.toml", {"dealy": 1})])
    assert str(error.value) == (
        "uk/collection.toml, [trial]: dealy is not a setting of [trial] (did you mean delay?); "
        "known are buffer, codec, damping, delay, depth, languages, pages, polite"
    )


def test_an_unknown_variable_of_a_known_table_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"WEBSTRATA_TRIAL_DEALY is not a variable.*WEBSTRATA_TRIAL_DELAY"):
        read({"WEBSTRATA_TRIAL_DEALY": "1s"})
    assert read({"WEBSTRATA_TEST_DATA": "x", "WEBSTRATA_RESOURCES_WORKRES": "1"}) == TrialSettings()


def test_a_variable_belongs_to_the_longest_table_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(load_tables(), "trial_gate", ResourcesSettings)
    assert read({"WEBSTRATA_TRIAL_GATE_OPEN": "1"}) == TrialSettings()


def test_no_workers_means_one_per_core_that_this_process_may_use() -> None:
    assert ResourcesSettings().num_workers >= 1
    assert ResourcesSettings(workers=3).num_workers == 3


def test_a_class_is_found_by_its_table() -> None:
    assert load_tables()["resources"] is ResourcesSettings
