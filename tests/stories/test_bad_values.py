"""Every command refuses a value of the wrong kind, in one sentence that names the option as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from webstrata import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = (click.Choice, click.types.IntParamType, click.types.FloatParamType, click.DateTime)
"""Ranges of numbers are among the numbers."""


def walk(
    command: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from walk(found, (*words, name))


COMMANDS = dict(walk(cli.verbs))


def options_of(command: click.Command) -> list[str]:
    """The options that take a number, a date or one of some words."""
    return [
        parameter.opts[-1]
        for parameter in command.params
        if isinstance(parameter, click.Option)
        and (isinstance(parameter.type, KINDS) or type(parameter.type).__name__ == "Date")
        and not parameter.count
    ]


def test_commands_with_such_options_are_found() -> None:
    assert sum(len(options_of(command)) for command in COMMANDS.values()) > 60


@pytest.mark.parametrize(
    "words", [words for words, command in COMMANDS.items() if options_of(command)], ids=" ".join
)
def test_a_value_of_the_wrong_kind_is_refused_and_its_option_named(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for option in options_of(COMMANDS[words]):
        assert cli.run([*words, option, "neither"]) == 2, option
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("webstrata: "), option
        assert err.count("\n") == 1, err
        assert f"'{option}'" in err, err
        assert "neither" in err, err


@pytest.mark.parametrize("words", list(COMMANDS), ids=" ".join)
def test_an_option_that_there_is_not_is_refused_with_the_way_to_the_help(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([*words, "--no-such-option"]) == 2
    _, err = capsys.readouterr()
    assert "--no-such-option" in err
    assert err.rstrip().endswith(f"(`webstrata {' '.join(words)} --help` shows how)")
    assert err.count("\n") == 1
