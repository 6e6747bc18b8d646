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
import json
import math
import os
import re
import shlex
import types
import typing
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from webstrata.collection.discovery import load_modules
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

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
    resource: bool = False
    option: str = ""


def setting(
    default: Any,  # noqa: ANN401 (the field's annotation is its type)
    help: str,
    *,
    check: Check | None = None,
    unit: Unit | None = None,
    live: bool = False,
    resource: bool = False,
    option: str = "",
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
    resource
        Whether it says what the work may use (processes, memory) and leaves the result as it is. Such a
        setting is not remembered, and a part made with another value of it is not stale.
    option
        Name of its option on the command line, where that is not the name of the setting.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class CrawlSettings(Settings):
    ...     '''What a crawl obeys.'''
    ...     host_delay: float = setting(4.0, "Time between two requests to a host.", unit="seconds")
    >>> CrawlSettings.read(options={"host_delay": "500ms"})
    CrawlSettings(host_delay=0.5)
    """
    return dataclasses.field(
        default=default, metadata={"setting": Setting(help, check, unit, live, resource, option)}
    )


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
                values[name] = _convert(fields[name], value, _place(source, fields[name]))
        try:
            return cls(**values)
        except SettingError as error:
            name = str(error).split(" ", 1)[0]
            source = next((source for source, table in sources if name in table), "default")
            raise SettingError(f"{_place(source, fields[name])}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """The values as plain data for a manifest, those that are ``None`` left out."""
        values = dataclasses.asdict(self)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None
        }

    def names_of_result(self) -> list[str]:
        """The settings that a result depends on: all but resources.

        Examples
        --------
        >>> ResourcesSettings().names_of_result()
        []
        """
        return [field.name for field in describe(type(self)) if not field.setting.resource]

    def find_changes(
        self, made: Mapping[str, Any], names: Container[str] | None = None
    ) -> dict[str, tuple[Any, Any]]:
        """Settings with another value than a part was made with: by name the old value and this one.

        Parameters
        ----------
        made
            The settings of the part's record; what it does not name is not compared.
        names
            The settings that matter; all but resources where not given.

        Examples
        --------
        >>> ResourcesSettings(workers=3).find_changes({"workers": 2}, names=("workers",))
        {'workers': (2, 3)}
        >>> ResourcesSettings(workers=3).find_changes({"workers": 2})
        {}
        """
        values = self.to_dict()
        return {
            field.name: (made[field.name], values.get(field.name))
            for field in describe(type(self))
            if field.name in made
            and (not field.setting.resource if names is None else field.name in names)
            and made[field.name] != values.get(field.name)
        }

    def to_options(self, names: Container[str] | None = None) -> str:
        """What is not the default as options of a command, of some settings or all; empty for nothing.

        Braces are doubled, since a command that a part remembers has places to be filled in.

        Examples
        --------
        >>> ResourcesSettings(workers=3).to_options(), ResourcesSettings().to_options()
        (' --workers 3', '')
        """
        words = []
        for field in describe(type(self)):
            value = getattr(self, field.name)
            if value == field.default or (names is not None and field.name not in names):
                continue
            option = (field.setting.option or field.name).replace("_", "-")
            if isinstance(value, bool):
                words.append(f" --{option}" if value else f" --no-{option}")
            else:
                text = shlex.quote(to_text(value, field.setting.unit))
                words.append(f" --{option} {text}".replace("{", "{{").replace("}", "}}"))
        return "".join(words)

    @classmethod
    def to_toml(cls) -> str:
        """The table as a settings file starts out with it: every line explained, none in force."""
        lines = [f"# {(cls.__doc__ or '').splitlines()[0]}", f"[{cls.table}]"]
        for field in describe(cls):
            shown = to_text(field.default, field.setting.unit)
            is_text = field.setting.unit or isinstance(field.default, str | tuple)
            lines += [f"# {field.setting.help}"]
            if field.default is None:
                lines += [f"# {field.name} is not set"]
            else:
                lines += [f"# {field.name} = {json.dumps(shown, ensure_ascii=False) if is_text else shown}"]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Field:
    """One field of a settings class as options, files and docs need it."""

    name: str
    type: Any
    default: Any
    setting: Setting
    variable: str


_DESCRIBED: dict[type[Settings], tuple[Field, ...]] = {}


def describe(cls: type[Settings]) -> tuple[Field, ...]:
    """The fields of a settings class in their order.

    Examples
    --------
    >>> [field.variable for field in describe(ResourcesSettings)]
    ['WEBSTRATA_RESOURCES_WORKERS']
    """
    if cls in _DESCRIBED:
        return _DESCRIBED[cls]
    hints = typing.get_type_hints(cls)
    _DESCRIBED[cls] = tuple(
        Field(
            field.name,
            hints[field.name],
            field.default,
            field.metadata["setting"],
            f"WEBSTRATA_{cls.table}_{field.name}".upper(),
        )
        for field in dataclasses.fields(cls)
    )
    return _DESCRIBED[cls]


@cache
def load_tables() -> Mapping[str, type[Settings]]:
    """Every table of a settings file with its class, sorted: all that rooms declare in a ``settings.py``.

    Examples
    --------
    >>> load_tables()["resources"].__name__
    'ResourcesSettings'
    """
    found = {
        value.table: value
        for module in load_modules("settings")
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Settings) and value.__module__ == module.__name__
    }
    return {table: found[table] for table in sorted(found) if table}


_MANY = 40
"""Known names that are not all listed if one of them is near."""


def unknown_name(where: str, name: str, kind: str, known: Mapping[str, object]) -> str:
    """The sentence for a name that is not known, with the known ones and the nearest.

    Examples
    --------
    >>> unknown_name("uk/collection.toml", "croul", "table", {"crawl": 1, "resources": 2})
    'uk/collection.toml: croul is not a table (did you mean crawl?); known are crawl, resources'
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    noun = f"setting of {kind}" if kind.startswith("[") else kind
    if near and len(known) > _MANY:
        return f"{where}: {name} is not a {noun}{hint}"
    return f"{where}: {name} is not a {noun}{hint}; known are {', '.join(sorted(known))}"


def _from_environment(cls: type[Settings], environment: Mapping[str, str]) -> dict[str, object]:
    known = {field.variable: field.name for field in describe(cls)}
    values: dict[str, object] = {}
    for variable, value in environment.items():
        if variable in known:
            values[known[variable]] = value
        elif _table_of(variable) == cls.table:
            raise SettingError(unknown_name("environment", variable, "variable of a setting", known))
    return values


def _table_of(variable: str) -> str:
    """The table that a variable belongs to by its name; of `crawl` and `crawl_gate` the longer one."""
    if not variable.startswith("WEBSTRATA_"):
        return ""
    name = variable.removeprefix("WEBSTRATA_").lower()
    return max((table for table in load_tables() if name.startswith(f"{table}_")), key=len, default="")


def _place(source: str, field: Field) -> str:
    """Where a value came from, as the user would look for it."""
    return f"environment variable {field.variable}" if source == "environment" else source


def _convert(field: Field, value: object, place: str) -> object:
    """`value` as the field's type, whether it came as text or as a TOML value."""
    kind = field.type
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(member for member in typing.get_args(kind) if member is not types.NoneType)
    try:
        return _convert_to(kind, field.setting.unit, value)
    except (ValueError, ArithmeticError) as error:
        expected = {"seconds": "a time such as 4s or 500ms", "bytes": "a size such as 64MiB"}.get(
            field.setting.unit or "", _NAMES.get(kind, "a list")
        )
        raise SettingError(f"{place}: {field.name} is {value!r}, and {expected} was expected") from error


_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def _convert_to(kind: Any, unit: Unit | None, value: object) -> object:  # noqa: ANN401
    if unit and isinstance(value, str):
        return kind(parse_seconds(value) if unit == "seconds" else parse_bytes(value))
    if typing.get_origin(kind) is tuple:
        member = typing.get_args(kind)[0]
        items = (value.split(",") if value.strip() else []) if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise ValueError(value)
        return tuple(
            _convert_to(member, None, item.strip() if isinstance(item, str) else item) for item in items
        )
    if kind is bool:
        if isinstance(value, str):
            return _WORDS[value.lower()] if value.lower() in _WORDS else _refuse(value)
        return value if isinstance(value, bool) else _refuse(value)
    if kind is str:
        return value if isinstance(value, str) else _refuse(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return _refuse(value)
    if kind is int and isinstance(value, float) and not value.is_integer():
        return _refuse(value)
    number = kind(value)
    return number if math.isfinite(number) else _refuse(value)


def _refuse(value: object) -> typing.NoReturn:
    raise ValueError(value)


_WORDS = {word: True for word in ("true", "yes", "on", "1")} | {
    word: False for word in ("false", "no", "off", "0")
}
_SECONDS = {
    unit: Decimal(number)
    for unit, number in {
        "us": "1e-6",
        "ms": "1e-3",
        "s": "1",
        "m": "60",
        "min": "60",
        "h": "3600",
        "d": "86400",
    }.items()
}
_BYTES = {"B": Decimal(1)} | {
    prefix + end: Decimal(base**power)
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
    return float(_parse_unit(text, _SECONDS))


def parse_bytes(text: str) -> int:
    """Bytes from ``4096``, ``64MiB`` or ``1GB``.

    Examples
    --------
    >>> parse_bytes("64MiB"), parse_bytes("1GB"), parse_bytes("4096")
    (67108864, 1000000000, 4096)
    """
    return int(_parse_unit(text, _BYTES))


def _parse_unit(text: str, units: Mapping[str, Decimal]) -> Decimal:
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text, re.ASCII)
    if match is None or (match[2] and match[2] not in units):
        raise ValueError(text)
    # decimal, so that 0.3ms is 0.0003 and 2 to the 60th plus 1 stays that
    with localcontext(prec=400):
        return Decimal(match[1]) * (units[match[2]] if match[2] else 1)


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
        return f"{_plain(value, 1000)}ms" if 0 < abs(value) < 1 else f"{_plain(value)}s"
    if unit == "bytes" and isinstance(value, int):
        for end, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value and value % factor == 0:
                return f"{value // factor}{end}"
        return f"{value}B"
    return _plain(value) if isinstance(value, float) else str(value)


def _plain(value: float, factor: int = 1) -> str:
    """The shortest decimals that stand for `value` times `factor`, without an exponent."""
    with localcontext(prec=400):
        text = f"{Decimal(repr(value)) * factor:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, kw_only=True)
class ResourcesSettings(Settings):
    """What of this machine a stage may use."""

    workers: int = setting(
        0,
        "Processes or threads that work at once; 0 means one per core.",
        check=not_negative,
        resource=True,
    )

    @property
    def num_workers(self) -> int:
        """The number of workers, all cores counted."""
        return self.workers or len(os.sched_getaffinity(0))
