"""Writes the pages of docs/reference/ that only repeat what the code says.

::

    python docs/generate.py            write them
    python docs/generate.py --check    write nothing; end with 1 and one sentence if any is out of date

`commands.md` comes from the click commands, `settings.md` from the settings classes, `parts.md` from the
declarations of parts, `presets.md` from the files of presets, `errors.md` from `webstrata.errors`,
`features.md` from the feature sets, `filters.md` from the table of predicates, `http.md` from the OpenAPI
document of each server, `api/<room>.md` from the modules of each room.
`src/webstrata/keywords.py` is written too, by docs/keywords.py.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import runpy
import sys
import tomllib
import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING

import click

import webstrata
from webstrata import cli, errors
from webstrata.classify.features.sets import SETS
from webstrata.collection.declarations import CollectionPart, load_parts
from webstrata.collection.settings import describe, load_tables, to_text
from webstrata.crawl.filters import PLACES, PREDICATES, language
from webstrata.crawl.filters.predicates import describe_predicates
from webstrata.pipeline.presets import describe_preset, preset_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.collection.settings import Field

REFERENCE = Path(__file__).resolve().parent / "reference"
INTROS = tomllib.loads((Path(__file__).resolve().parent / "intros.toml").read_text())
EVERYWHERE = ("help", "quiet", "verbose")
"""Options of every verb, which the intro of commands.md explains."""
NOTE = (
    "<!-- Written by docs/generate.py: change the code it comes from, then run `python docs/generate.py`. -->"
)


# ---- commands


def write_commands() -> str:
    """Every verb: how it is typed, what it does, its options."""
    context = click.Context(cli.verbs, info_name="webstrata", **cli.verbs.context_settings)
    pieces = [
        "# Commands",
        NOTE,
        INTROS["commands"],
        "## webstrata",
        *_write_command(cli.verbs, context),
    ]
    for path, command, inner in _walk(cli.verbs, context):
        pieces += [f"## {path}", *_write_command(command, inner)]
    return "\n\n".join(pieces) + "\n"


def _walk(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield inner.command_path, command, inner
        if isinstance(command, click.Group):
            yield from _walk(command, inner)


def _write_command(command: click.Command, context: click.Context) -> list[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    pieces = [f"```text\n{usage}\n```", inspect.cleandoc(command.help or "").replace("\b\n", "")]
    rows = [
        f"| {_code(_declare(option))} | {_cell(_help(option))} |"
        for option in command.get_params(context)
        if isinstance(option, click.Option) and not option.hidden
        if context.parent is None or option.name not in EVERYWHERE
    ]
    if rows:
        pieces.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    if command.epilog:
        example = command.epilog.removeprefix("Example:").strip()
        pieces.append(f"Example:\n\n```text\n{example}\n```")
    return pieces


def _declare(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.secondary_opts:
        return f"{names} / {', '.join(option.secondary_opts)}"
    metavar = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    return names + metavar


def _help(option: click.Option) -> str:
    text = option.help or ""
    if isinstance(option.type, click.Choice) and not all(choice in text for choice in option.type.choices):
        about, bracket, rest = text.partition(" [")
        text = f"{about} One of {', '.join(option.type.choices)}.{bracket}{rest}"
    default = option.default
    # some say it themselves, in the words of whoever types it
    if not option.is_flag and isinstance(default, str | int | float) and default != "" and text[-1:] != "]":
        text += f" [{default}]"
    return text


# ---- settings


def write_settings() -> str:
    """Every settings class: names, types, defaults, variables."""
    pieces = [
        "# Settings",
        NOTE,
        INTROS["settings"],
    ]
    for table, cls in load_tables().items():
        fields = describe(cls)
        rows = [
            f"| {_code(field.name)} | {_kind(field)} | {_code(_default(field))} | {_cell(_meaning(field))} | "
            f"{_code(field.variable)} |"
            for field in fields
        ]
        pieces += [
            f"## `[{table}]`",
            inspect.cleandoc(cls.__doc__ or ""),
            "\n".join(["| setting | type | default | meaning | variable |", "|---|---|---|---|---|", *rows]),
        ]
    return "\n\n".join(pieces) + "\n"


def _kind(field: Field) -> str:
    kind = field.type
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(member for member in typing.get_args(kind) if member is not types.NoneType)
    if field.setting.unit:
        return {"seconds": "time", "bytes": "size"}[field.setting.unit]
    if typing.get_origin(kind) is tuple:
        return "list"
    return {bool: "true or false", int: "whole number", float: "number", str: "text"}[kind]


def _default(field: Field) -> str:
    return "" if field.default is None else to_text(field.default, field.setting.unit)


def _meaning(field: Field) -> str:
    check = f" Must be {field.setting.check[0]}." if field.setting.check else ""
    live = " Can change while the stage runs." if field.setting.live else ""
    return field.setting.help + check + live


# ---- errors


def write_errors() -> str:
    """Every exception with its exit code."""
    classes = [
        cls
        for _, cls in inspect.getmembers(errors, inspect.isclass)
        if issubclass(cls, BaseException) and cls.__module__ == errors.__name__
    ]
    # in the order of the file, which is the order of its drawing
    order = inspect.getsource(errors)
    classes.sort(key=lambda cls: order.index(f"class {cls.__name__}("))
    rows = [
        f"| {_code(cls.__name__)} | {_code(cls.__bases__[0].__name__)} | {_exit_code(cls)} | "
        f"{_cell(inspect.cleandoc(cls.__doc__ or ''))} |"
        for cls in classes
    ]
    drawing = inspect.cleandoc(errors.__doc__ or "").partition("::\n\n")[2].split("\n\n")[0]
    pieces = [
        "# Errors and exit codes",
        NOTE,
        INTROS["errors"],
        "| exit code | meaning |\n|---|---|\n"
        "| 0 | done |\n"
        "| 1 | it failed: network, disk, or a bug, which also shows a traceback |\n"
        "| 2 | you can fix it: option, setting, input file, missing or locked collection |\n"
        "| 130 | interrupted with Ctrl-C or SIGTERM, or cancelled; what was done is kept |",
        f"```text\n{inspect.cleandoc(drawing)}\n```",
        "\n".join(["| exception | is a | exit code | meaning |", "|---|---|---|---|", *rows]),
        INTROS["mistakes"],
    ]
    return "\n\n".join(pieces) + "\n"


def _exit_code(cls: type[BaseException]) -> int:
    return int(getattr(cls, "exit_code", 130))


# ---- parts


def write_parts() -> str:
    """Every declared part: whose it is, what it is built from, its settings."""
    rows = []
    for part in load_parts().values():
        scope = "collection" if isinstance(part, CollectionPart) else "snapshot"
        table = part.settings.table if part.settings else ""
        settings = f"[`[{table}]`](settings.md#{table})" if table else ""
        rows.append(
            f"| {_code(part.name)} | {scope} | {_cell(part.help)} | {', '.join(map(_code, part.inputs))} | "
            f"{settings} | {part.stage_name}{' (on demand)' if part.on_demand else ''} |"
        )
    head = [
        "| part | of | what building it does | built from | settings | stage |",
        "|---|---|---|---|---|---|",
    ]
    return "\n\n".join(["# Parts", NOTE, INTROS["parts"], "\n".join([*head, *rows])]) + "\n"


# ---- presets


def write_presets() -> str:
    """Every preset: the paper, what it stands for, each value and where the paper has it."""
    pieces = ["# Presets", NOTE, INTROS["presets"]]
    for name in preset_names():
        preset = describe_preset(name)
        rows = []
        for table, values in preset.tables.items():
            fields = {field.name: field for field in describe(load_tables()[table])}
            rows += [
                f"| `[{table}]` {_code(key)} | {_code(to_text(value))} | {_code(_default(fields[key]))} | "
                f"{_cell(preset.notes[table, key])} |"
                for key, value in values.items()
            ]
        head = ["| setting | value | default | in the paper |", "|---|---|---|---|"]
        pieces += [f"## {name}", f"*{preset.title}*. {preset.about}", "\n".join([*head, *rows])]
    return "\n\n".join(pieces) + "\n"


# ---- filters


def write_filters() -> str:
    """The five places, the language, and every predicate."""
    grammar = inspect.cleandoc(language.__doc__ or "").partition("::\n\n")[2].partition("\n\n")
    details = "\n\n".join(grammar[2].split("\n\n")[:-1]).replace("``", "`")
    rows = [
        f"| {_code(signature)} | {places} | {_cell(meaning)} | {_code(definition.example)} | "
        f"{definition.origin} |"
        for (signature, places, meaning), definition in zip(
            describe_predicates(), PREDICATES.values(), strict=True
        )
    ]
    pieces = [
        "# Filters",
        NOTE,
        INTROS["filters"],
        "\n".join(
            [
                "| place | decides |",
                "|---|---|",
                *(f"| {_code(place)} | {PLACES[place]} |" for place in PLACES),
            ]
        ),
        "## The language",
        f"```text\n{inspect.cleandoc(grammar[0])}\n```",
        details,
        "## Predicates",
        INTROS["predicates"],
        "\n".join(["| predicate | places | true if | example | from |", "|---|---|---|---|---|", *rows]),
    ]
    return "\n\n".join(pieces) + "\n"


# ---- features


def write_features() -> str:
    """Every feature set, and its features with their formulas."""
    pieces = ["# Features", NOTE, INTROS["features"]]
    for name, described in SETS.items():
        formulas = described.describe()
        rows = [f"| {_code(column)} | {_cell(formula)} |" for column, formula in formulas.items()]
        pieces += [f"## {name}", described.about]
        if rows:
            pieces += [f"{len(rows)} features.", "\n".join(["| feature | what it is |", "|---|---|", *rows])]
    return "\n\n".join(pieces) + "\n"


# ---- modules


def write_api() -> dict[str, str]:
    """A page per room with its modules, the room's own page first."""
    pages = {}
    modules = list(pkgutil.iter_modules(webstrata.__path__))
    for module in modules:
        if module.name.startswith("_") or module.name == "cli":  # commands.md is the page of cli
            continue
        names = [f"webstrata.{module.name}"]
        if module.ispkg:
            room = importlib.import_module(names[0])
            names += [found.name for found in pkgutil.walk_packages(room.__path__, f"{names[0]}.")]
        pieces = [f"# webstrata.{module.name}", NOTE]
        for name in names:
            heading = [f"## {name}"] if len(names) > 1 else []
            members = ["    options:\n      members: false\n"] if module.ispkg and name == names[0] else []
            pieces += [*heading, "\n".join([f"::: {name}", *members]).rstrip()]
        pages[f"api/{module.name}.md"] = "\n\n".join(pieces) + "\n"
    return pages


# ---- text


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# ---- servers


def _describe_replay() -> list[str]:
    """The routes of the replay origin, and the parameters of its CDX server."""
    from webstrata.serve.replay.application import ROUTES
    from webstrata.serve.replay.query import PARAMETERS
    from webstrata.serve.replay.replies import POLICY

    def table(head: str, rows: dict[str, str]) -> str:
        lines = [f"| `{name.replace(', ', '`, `')}` | {_cell(text)} |" for name, text in rows.items()]
        return "\n".join([f"| {head} | meaning |", "|---|---|", *lines])

    pieces = ["## The replay origin", INTROS["replay"].format(policy=POLICY), table("path", ROUTES)]
    return [*pieces, "### Parameters of the CDX server", INTROS["cdx"], table("parameter", PARAMETERS)]


def write_http() -> str:
    """The limits and statuses of all servers, and every request to the links-server."""
    from webstrata.collection.settings import describe, to_text
    from webstrata.serve.http_api.links import ARROW, LinkLimits, make_links_app
    from webstrata.web.server.answers import BASE_STATUSES, MEANINGS
    from webstrata.web.server.exchange import HEADERS
    from webstrata.web.settings import ServerSettings

    document = make_links_app(None).openapi()  # nothing is asked of it
    limits = [
        f"| `{field.name}` | {_code(to_text(field.default, field.setting.unit))} "
        f"| {_cell(field.setting.help)} |"
        for field in describe(ServerSettings)
    ]
    statuses = [
        f"| {status} | {_cell(text)} | {'every server' if status in BASE_STATUSES else 'the application'} |"
        for status, text in MEANINGS.items()
    ]
    headers = [f"| `{name.decode()}` | `{value.decode()}` |" for name, value in HEADERS.items()]
    pieces = ["# HTTP", NOTE, INTROS["servers"]]
    pieces += ["## Limits", INTROS["limits"]]
    pieces.append("\n".join(["| setting | default | meaning |", "|---|---|---|", *limits]))
    pieces += ["## Statuses", INTROS["statuses"]]
    pieces.append("\n".join(["| status | meaning | sent by |", "|---|---|---|", *statuses]))
    pieces += ["## Headers", "Every response has these unless the application sets them itself."]
    pieces.append("\n".join(["| header | value |", "|---|---|", *headers]))
    pieces += _describe_replay()
    pieces += ["## The connectivity server", ABOUT_HTTP.format(arrow=ARROW)]
    limits = [f"| `{name}` | {value:,} |" for name, value in vars(LinkLimits()).items()]
    pieces.append("\n".join(["| limit of one request | |", "|---|---|", *limits]))
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for method, question in methods.items():
            pieces += [f"### {method.upper()} {path}", f"{question['summary']}."]
            rows = [
                _field(field["name"], field["schema"], field.get("description", ""))
                for field in question.get("parameters", [])
            ]
            body = (
                question.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
            )
            pieces += [f"Body: {_type(body)}."] if body and "$ref" not in body else []
            asked = schemas[body["$ref"].rpartition("/")[2]]["properties"] if "$ref" in body else {}
            rows += [_field(name, field, field.get("description", "")) for name, field in asked.items()]
            if rows:
                pieces.append("\n".join(["| field | type | default | meaning |", "|---|---|---|---|", *rows]))
            schema = question["responses"]["200"]["content"]["application/json"]["schema"]
            pieces.append(f"Response: {_answer(schema, schemas)}")
            codes = [code for code in question["responses"] if int(code) not in (200, *BASE_STATUSES)]
            pieces += (
                [f"Statuses besides 200 and those of every server: {', '.join(codes)}."] if codes else []
            )
    return "\n\n".join(pieces) + "\n"


ABOUT_HTTP = """\
The requests of `webstrata links-server` ([how to run it](../howto/graphs.md)); `/openapi.json` describes
the same. Bodies of requests are JSON. A request that accepts `{arrow}` gets batches as an Arrow stream with
the columns `place` (which page or group of the request), `node` and, with `names`, `url`. With status 404,
`nearest` has the URLs next to the one that is missing."""


def _field(name: str, schema: dict[str, typing.Any], meaning: str) -> str:
    default = schema.get("default")
    shown = (
        "" if default is None else _code(str(default).lower() if isinstance(default, bool) else str(default))
    )
    return f"| {_code(name)} | {_type(schema)} | {shown} | {_cell(meaning)} |"


def _type(schema: dict[str, typing.Any]) -> str:
    if "enum" in schema:
        return " or ".join(_code(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "prefixItems" in schema:
        return "pair of " + ", ".join(_type(one) for one in schema["prefixItems"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return {
        "string": "text",
        "integer": "number",
        "boolean": "true or false",
        "null": "none",
        "object": "table",
    }.get(schema.get("type", ""), schema.get("$ref", "").rpartition("/")[2])


def _answer(schema: dict[str, typing.Any], schemas: dict[str, typing.Any]) -> str:
    if "$ref" not in schema:
        return f"{_type(schema)}."
    found = schemas[schema["$ref"].rpartition("/")[2]]
    fields = ", ".join(f"`{name}` ({_type(field)})" for name, field in found["properties"].items())
    more = [
        f" A {name} has {', '.join(f'`{field}`' for field in inner['properties'])}."
        for name, inner in schemas.items()
        if f"#/components/schemas/{name}" in str(found["properties"])
    ]
    return f"{fields}. {found['description']}{''.join(more)}"


def write_pages() -> dict[str, str]:
    """Every generated page by its path below docs/reference."""
    return {
        "commands.md": write_commands(),
        "settings.md": write_settings(),
        "errors.md": write_errors(),
        "filters.md": write_filters(),
        "features.md": write_features(),
        "http.md": write_http(),
        "parts.md": write_parts(),
        "presets.md": write_presets(),
        **write_api(),
    }


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them, and return the exit code."""
    pages = write_pages()
    there = {
        path.relative_to(REFERENCE).as_posix(): path.read_text()
        for path in [*REFERENCE.glob("api/*.md"), *(REFERENCE / name for name in pages)]
        if path.is_file()
    }
    changed = sorted(name for name in {*pages, *there} if pages.get(name) != there.get(name))
    keywords = runpy.run_path(str(Path(__file__).with_name("keywords.py")))
    text, module = keywords["write_keywords"](), keywords["KEYWORDS"]
    is_old = not module.is_file() or module.read_text() != text
    if "--check" in arguments:
        if changed or is_old:
            names = [f"docs/reference/{name}" for name in changed]
            names += ["src/webstrata/keywords.py"] if is_old else []
            print(f"{', '.join(names)}: out of date; run `python docs/generate.py`", file=sys.stderr)
        return 1 if changed or is_old else 0
    if is_old:
        module.write_text(text)
    for name in changed:
        page = REFERENCE / name
        if name in pages:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(pages[name])
        else:
            page.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
