"""webstrata completion."""

from __future__ import annotations

import click

from webstrata.cli.verb import verb

VARIABLE = "_WEBSTRATA_COMPLETE"
"""By which the script asks for completions."""


@verb(
    "completion",
    epilog="Example: webstrata completion bash > ~/.local/share/bash-completion/completions/webstrata",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print the completion script of a shell.

    It completes verbs, options, collections, snapshots and parts. Load it when the shell starts:
    `eval "$(webstrata completion bash)"` in ~/.bashrc, the same with zsh in ~/.zshrc, or
    `webstrata completion fish | source` in ~/.config/fish/config.fish.
    """
    from click.shell_completion import get_completion_class

    from webstrata.cli import verbs

    completer = get_completion_class(shell)
    assert completer is not None
    script = completer(verbs, {}, "webstrata", VARIABLE)
    click.echo(script.source_template % script.source_vars())
