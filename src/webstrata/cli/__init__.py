"""The command line: `webstrata VERB COLLECTION …`, one file per verb, loaded when its verb is used.

Results go to stdout, progress and messages to stderr. Exit codes: 0 done, 1 failed, 2 the user can fix it,
130 interrupted. A user's mistake gives one sentence; a traceback appears for a bug, or with ``--traceback``.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.group import LazyGroup
from webstrata.errors import Cancelled, FormatError, UserError, WebstrataError

if TYPE_CHECKING:
    from types import FrameType

VERBS = {
    "align": "Align the pages of snapshots, and unite their graphs.",
    "build": "Build parts of COLLECTION by name, and what they are built from.",
    "changes": "List what changed about QUERY in a snapshot, and why.",
    "check": "Verify every file of COLLECTION, and name what is damaged.",
    "classify": "Tell hosts apart: measure them, learn from labels, judge the others.",
    "compare-ranks": "Compare our ranks of SNAPSHOT with those its web graph release publishes.",
    "completion": "Print the completion script of a shell.",
    "content": "Find the main content of pages, and measure how well that is done.",
    "crawl": "Crawl a piece of the web into SNAPSHOT, which is made if it is not there.",
    "demo": "Run the whole pipeline on a synthetic web, or on real pages.",
    "diff": "Show what changed in the text of a page between two SNAPSHOTs.",
    "duplicates": "List the pages of SNAPSHOT that are duplicates of each other, exact or near.",
    "export": "Write SNAPSHOT in a format that other programs read.",
    "freshness": "Estimate how up to date COLLECTION is, and what more visits would give.",
    "get": "Print the last capture of URL, or the last one at or before a time.",
    "graph": "Build the graph of SNAPSHOT's pages, and ask it.",
    "history": "Show when a page and each of its links existed.",
    "index": "Build the text index of COLLECTION, or add to it the snapshots that are new.",
    "ingest": "Make the captures in FILEs those of SNAPSHOT.",
    "invitro": "A web that does not exist: serve it, describe it, judge its visitors.",
    "links-server": "Answer questions about the links of SNAPSHOT over HTTP.",
    "ls": "List captures of a URL, host, domain or key, or records of a snapshot.",
    "merge": "Copy snapshots of OTHER, a collection, into COLLECTION.",
    "new": "Create COLLECTION, or add snapshots to it.",
    "panel": "Write one row per host and snapshot of COLLECTION as a Parquet file.",
    "plane": "Show how nodes are spread over their ranks by PageRank and CheiRank.",
    "rank": "Rank the pages or hosts of SNAPSHOT, or follow some through all snapshots.",
    "remove": "Remove SNAPSHOT of COLLECTION, or the whole collection.",
    "rename": "Rename SNAPSHOT of COLLECTION to NEW, another date.",
    "report": "Write the papers' tables and figures of COLLECTION as one HTML file.",
    "run": "Run all stages on COLLECTION: build what is missing or stale.",
    "search": "Find pages by their words, at any time.",
    "serve": "Serve COLLECTIONs in a browser: search, changes, links, ranks, captures.",
    "show": "Show what COLLECTION holds, and what is stale.",
    "similar": "List the pages most similar to URL, the most similar first.",
    "simulate": "Simulate crawls of SNAPSHOT's pages, and compare what they bring in.",
    "spectrum": "Find the eigenvalues of the Google matrix at α = 1.",
    "split": "Create NEW, a collection with some snapshots or hosts of COLLECTION.",
    "store": "Build text, links and anchors of SNAPSHOT where they are missing or stale.",
    "summaries": "Build the archive of SNAPSHOT's summaries, and read it.",
    "table": "Read and write the rows of COLLECTION's table.",
    "takedown": "Hide a URL, host or prefix of COLLECTION from all readers, or erase it.",
    "temporal": "Tell what snapshots have in common, and what limits did to them.",
}
"""The first line of each verb's help, so that the list of verbs needs none of them loaded."""

TASKS = {
    "Collect pages": ("new", "crawl", "ingest", "demo"),
    "Read captures": ("show", "ls", "get", "diff", "history", "table"),
    "Search and compare": ("search", "changes", "similar", "duplicates"),
    "Analyse": (
        "rank",
        "compare-ranks",
        "plane",
        "spectrum",
        "temporal",
        "freshness",
        "classify",
        "simulate",
        "report",
    ),
    "Build parts": ("run", "build", "store", "graph", "summaries", "align", "index"),
    "Share": ("serve", "export", "panel", "links-server"),
    "Manage": ("check", "merge", "split", "rename", "remove", "takedown"),
    "Tools": ("content", "invitro", "completion"),
}
"""The verbs by what people want to do."""

ALIASES = {"import": "ingest"}
"""Words that people try for a verb: what `export` gives away is taken in by `ingest`."""

MODULES = {"run": "pipeline"}
"""Verbs whose module has another name, since a function here has theirs."""


def module_of(verb: str) -> str:
    """The module of a verb, in this folder."""
    return MODULES.get(verb, verb.replace("-", "_"))


def _print_version(ctx: click.Context, _option: click.Parameter, *values: Any) -> None:  # noqa: ANN401
    if values and values[0]:
        from webstrata import __version__

        click.echo(f"webstrata {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=VERBS,
    modules=MODULES,
    sections=TASKS,
    aliases=ALIASES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: webstrata new uk && webstrata show uk",
    subcommand_metavar="VERB COLLECTION …",
)
@click.option("--traceback", is_flag=True, help="Show where in the program an error came from.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def verbs(*, traceback: bool) -> None:
    """Gather, compress, date and study a piece of the web."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    # a name that is no text in this locale is shown as well as it can be, and is no reason to fail
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code; the only place that turns exceptions into sentences.

    Examples
    --------
    >>> run(["show", "/no/such/collection"])
    2
    """
    try:
        return _run_verb(arguments)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        if "--traceback" in arguments:
            raise
        where = (
            f" (`{error.ctx.command_path} --help` shows how)"
            if isinstance(error, click.UsageError) and error.ctx
            else ""
        )
        return _say(f"{_make_sentence(error.format_message())}{where}", 2)
    except WebstrataError as error:
        if "--traceback" in arguments:
            raise
        excerpt = getattr(error, "excerpt", "")
        return _say(f"{error.explain()}\n{excerpt}".rstrip(), error.exit_code)
    except SystemExit:
        # the reader of our output went away (`webstrata show uk | head`), and click has noticed
        return 0
    except BrokenPipeError:
        _give_up_output()
        return 0
    except OSError as error:
        if "--traceback" in arguments:
            raise
        return _say_refusal(error)
    except (KeyboardInterrupt, Cancelled, click.Abort) as error:
        return _say(
            str(error) or "interrupted; what was done is kept, and the same command resumes from there", 130
        )


def _make_sentence(message: str) -> str:
    """A message of click's in one line, with plain words for its types."""
    sentence = " ".join(message.split()).rstrip(".")
    for kind, plain in (("integer", "whole number"), ("float", "number")):
        for spelled in (f"{kind} range", kind):
            sentence = sentence.replace(f"is not a valid {spelled}", f"is not a {plain}")
    return sentence


def _run_verb(arguments: list[str]) -> int:
    """Run a command; an error that a damaged part explains becomes the sentence about that part."""
    try:
        # https://no-color.org: set to anything, output has no colours; otherwise click decides
        plain: dict[str, Any] = {"color": False} if os.environ.get("NO_COLOR") else {}
        outcome = verbs.main(arguments or ["--help"], prog_name="webstrata", standalone_mode=False, **plain)
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except click.Abort as error:
        # click takes the end of a file for the end of a dialogue with the user; nothing of ours asks any
        if not isinstance(error.__cause__, EOFError):
            raise
        _explain_damage(error.__cause__)
        raise error.__cause__ from None
    except (click.ClickException, click.exceptions.Exit, BrokenPipeError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the core is no Exception
        _explain_damage(error)
        raise


def _explain_damage(error: BaseException) -> None:
    """Raise the `FormatError` about the damaged part that caused an error, if there is one."""
    from webstrata.collection.verify import diagnose

    if isinstance(error, UserError) and not isinstance(error, FormatError):
        return
    found = diagnose(error)
    if found is not None:
        raise found from error


def _say_refusal(error: OSError) -> int:
    """What the operating system refused where no room had a better sentence for it."""
    from webstrata.collection.files import explain

    if error.filename is not None:
        explained = explain(error, os.fsdecode(error.filename), "use")
    else:
        # nothing of ours fails without a name: it is the output
        explained = explain(error, "standard output", "print")
        _give_up_output()
    return _say(str(explained), explained.exit_code)


def _give_up_output() -> None:
    """Let what is still in the buffer go, or the interpreter would fail over it once more at its end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(sentence: str, exit_code: int) -> int:
    click.echo(f"webstrata: {sentence}", err=True)
    return exit_code
