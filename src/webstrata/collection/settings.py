"""Settings: one frozen dataclass per stage, read from four places by one rule.

The same class makes the table of `collection.toml` or `snapshot.toml`, the options of the command, and the
page of the docs. Precedence: option, then environment (``WEBSTRATA_<TABLE>_<NAME>``), then the snapshot's
file, then the collection's file, then the default. An unknown name is refused with the list of the known
ones.

Durations are seconds as ``float`` and sizes are bytes as ``int``; the text forms ``4s`` and ``64MiB`` are
understood wherever a setting says that it has such a unit.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import os
import re
import types
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TABLES = {
    "resources": "webstrata.collection.settings:ResourcesSettings",
}
"""Every table of a settings file and its class; named, not imported, since rooms further left own most."""

Unit = Literal["seconds", "bytes"]
Check = tuple[str, "Callable[[Any], bool]"]

positive: Check = ("above 0", lambda value: value > 0)
not_negative: Check = ("0 or more", lambda value: value >= 0)
share: Check = ("between 0 and 1", lambda value: 0 <= value <= 1)


def one_of(*values: str) -> Check:
    """A check that admits the listed texts only.

    Examples
    --------
    >>> one_of("gzip", "zstd")[0]
    'one of gzip, zstd'
    """
    return f"one of {', '.join(values)}", lambda value: value in values


@dataclass(frozen=True)
class Setting:
    """What is known about one setting besides its name, type and default."""

    help: str
    check: Check | None = None
    unit: Unit | None = None
    live: bool = False


def setting(
    default: Any,  # noqa: ANN401 (the field's annotation is its type)
    help: str,
    *,
    check: Check | None = None,
    unit: Unit | None = None,
    live: bool = False,
) -> Any:  # noqa: ANN401
    """Declare a field of a `Settings` class.

    Parameters
    ----------
    default
        The value where nobody says otherwise.
    help
        One sentence, shown by ``--help``, in the settings file and in the docs.
    check
        What a value must satisfy.
    unit
        ``"seconds"`` or ``"bytes"`` where the text forms of that unit are admitted.
    live
        Whether it can change while the stage runs.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class CrawlSettings(Settings):
    ...     '''What a crawl obeys.'''
    ...     host_delay: float = setting(4.0, "Time between two requests to a host.", unit="seconds")
    >>> CrawlSettings.read(options={"host_delay": "500ms"})
    CrawlSettings(host_delay=0.5)
    """
    return dataclasses.field(default=default, metadata={"setting": Setting(help, check, unit, live)})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one stage; subclass it, decorate with ``@dataclass(frozen=True, kw_only=True)``."""

    table: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        words = re.findall(r"[A-Z][a-z0-9]*", cls.__name__.removesuffix("Settings"))
        cls.table = "_".join(words).lower()

    def __post_init__(self) -> None:
        for field in describe(type(self)):
            value = getattr(self, field.name)
            if field.setting.check is not None and value is not None:
                sentence, holds = field.setting.check
                if not holds(value):
                    raise SettingError(
                        f"{field.name} is {to_text(value, field.setting.unit)}, and must be {sentence}"
                    )

    @classmethod
    def read(
        cls,
        *,
        options: Mapping[str, object] | None = None,
        files: Sequence[tuple[str, Mapping[str, object]]] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """The settings that hold, each from the first source that has it.

        Parameters
        ----------
        options
            From the command line or a caller; ``None`` values do not count.
        files
            Pairs of a file's name and its table for this stage, the strongest first.
        environment
            In place of ``os.environ``.
        """
        environment = os.environ if environment is None else environment
        sources: list[tuple[str, Mapping[str, object]]] = [
            ("option", {name: value for name, value in (options or {}).items() if value is not None}),
            ("environment", _from_environment(cls, environment)),
            *((f"{name}, [{cls.table}]", table) for name, table in files),
        ]
        fields = {field.name: field for field in describe(cls)}
        values: dict[str, object] = {}
        for source, table in reversed(sources):
            for name, value in table.items():
                if name not in fields:
                    raise SettingError(unknown_name(source, name, f"[{cls.table}]", fields))
                values[name] = _convert(fields[name], value, source)
        try:
            return cls(**values)
        except SettingError as error:
            name = str(error).split(" ", 1)[0]
            source = next(source for source, table in sources if name in table)
            raise SettingError(f"{source}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """The values as plain data for a manifest, those that are ``None`` left out."""
        values = dataclasses.asdict(self)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None
        }

    @classmethod
    def to_toml(cls) -> str:
        """The table as a settings file starts out with it: every line explained, none in force."""
        lines = [f"# {(cls.__doc__ or '').splitlines()[0]}", f"[{cls.table}]"]
        for field in describe(cls):
            shown = to_text(field.default, field.setting.unit)
            value = f'"{shown}"' if isinstance(field.default, str) or field.setting.unit else shown
            lines += [f"# {field.setting.help}", f"# {field.name} = {value}"]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Field:
    """One field of a settings class as options, files and docs need it."""

    name: str
    type: Any
    default: Any
    setting: Setting
    variable: str


def describe(cls: type[Settings]) -> list[Field]:
    """The fields of a settings class in their order.

    Examples
    --------
    >>> [field.variable for field in describe(ResourcesSettings)]
    ['WEBSTRATA_RESOURCES_WORKERS']
    """
    hints = typing.get_type_hints(cls)
    return [
        Field(
            field.name,
            hints[field.name],
            field.default,
            field.metadata["setting"],
            f"WEBSTRATA_{cls.table}_{field.name}".upper(),
        )
        for field in dataclasses.fields(cls)
    ]


def load_settings_class(table: str) -> type[Settings]:
    """The class behind a table of a settings file.

    Examples
    --------
    >>> load_settings_class("resources").__name__
    'ResourcesSettings'
    """
    module, _, name = TABLES[table].partition(":")
    cls: type[Settings] = getattr(importlib.import_module(module), name)
    return cls


def unknown_name(where: str, name: str, kind: str, known: Mapping[str, object]) -> str:
    """The sentence for a name that is not known, with the known ones and the nearest.

    Examples
    --------
    >>> unknown_name("uk/collection.toml", "croul", "table", {"crawl": 1, "resources": 2})
    'uk/collection.toml: croul is no table (did you mean crawl?); known are crawl, resources'
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    noun = f"setting of {kind}" if kind.startswith("[") else kind
    return f"{where}: {name} is no {noun}{hint}; known are {', '.join(sorted(known))}"


def _from_environment(cls: type[Settings], environment: Mapping[str, str]) -> dict[str, object]:
    return {
        field.name: environment[field.variable] for field in describe(cls) if field.variable in environment
    }


def _convert(field: Field, value: object, source: str) -> object:
    """`value` as the field's type, whether it came as text or as a TOML value."""
    if source == "environment":
        source = f"environment variable {field.variable}"
    kind = field.type
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(member for member in typing.get_args(kind) if member is not types.NoneType)
    try:
        return _convert_to(kind, field.setting.unit, value)
    except ValueError as error:
        expected = {"seconds": "a time such as 4s or 500ms", "bytes": "a size such as 64MiB"}.get(
            field.setting.unit or "", _NAMES.get(kind, str(kind))
        )
        raise SettingError(f"{source}: {field.name} is {value!r}, and {expected} was expected") from error


_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def _convert_to(kind: Any, unit: Unit | None, value: object) -> object:  # noqa: ANN401
    if unit and isinstance(value, str):
        return kind(parse_seconds(value) if unit == "seconds" else parse_bytes(value))
    if typing.get_origin(kind) is tuple:
        member = typing.get_args(kind)[0]
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise ValueError(value)
        return tuple(
            _convert_to(member, None, item.strip() if isinstance(item, str) else item) for item in items
        )
    if kind is bool:
        if isinstance(value, bool):
            return value
        words = {
            "true": True,
            "1": True,
            "yes": True,
            "on": True,
            "false": False,
            "0": False,
            "no": False,
            "off": False,
        }
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise ValueError(value)
    if isinstance(value, bool):
        raise ValueError(value)
    if kind is int and isinstance(value, float) and not value.is_integer():
        raise ValueError(value)
    if kind is str and not isinstance(value, str):
        raise ValueError(value)
    if kind in (int, float) and not isinstance(value, int | float | str):
        raise ValueError(value)
    return kind(value)


_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"B": 1} | {
    prefix + end: base**power
    for end, base in (("iB", 1024), ("B", 1000))
    for power, prefix in enumerate("KMGT", 1)
}


def parse_seconds(text: str) -> float:
    """Seconds from ``4``, ``4s``, ``500ms``, ``2m``, ``1h`` or ``1d``.

    Examples
    --------
    >>> parse_seconds("500ms"), parse_seconds("2m"), parse_seconds("4")
    (0.5, 120.0, 4.0)
    """
    return _parse_unit(text, _SECONDS, 1.0)


def parse_bytes(text: str) -> int:
    """Bytes from ``4096``, ``64MiB`` or ``1GB``.

    Examples
    --------
    >>> parse_bytes("64MiB"), parse_bytes("1GB"), parse_bytes("4096")
    (67108864, 1000000000, 4096)
    """
    return int(_parse_unit(text, _BYTES, 1))


def _parse_unit(text: str, units: Mapping[str, float], default: float) -> float:
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or (match[2] and match[2] not in units):
        raise ValueError(text)
    return float(match[1]) * (units[match[2]] if match[2] else default)


def to_text(value: object, unit: Unit | None = None) -> str:
    """`value` as the user would type it.

    Examples
    --------
    >>> to_text(0.5, "seconds"), to_text(64 << 20, "bytes"), to_text(True), to_text(("a", "b"))
    ('500ms', '64MiB', 'true', 'a,b')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    if unit == "seconds" and isinstance(value, int | float):
        return f"{value * 1000:g}ms" if 0 < abs(value) < 1 else f"{value:g}s"
    if unit == "bytes" and isinstance(value, int):
        for end, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value and value % factor == 0:
                return f"{value // factor}{end}"
        return f"{value}B"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, kw_only=True)
class ResourcesSettings(Settings):
    """What of this machine a stage may use."""

    workers: int = setting(
        0, "Processes or threads that work at once; 0 means one per core.", check=not_negative
    )

    @property
    def num_workers(self) -> int:
        """The number of workers, all cores counted."""
        return self.workers or len(os.sched_getaffinity(0))
