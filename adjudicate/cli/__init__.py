"""The command line: one small module per command family; wires store, policy and clock, and decides nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from adjudicate import __version__
from adjudicate.cli.context import Workspace
from adjudicate.cli.interrupt import ignore_interrupts
from adjudicate.cli.output import has_terminal
from adjudicate.core.text import visible
from adjudicate.errors import AdjudicateError


class Command(NamedTuple):
    """A row of the command table; the module is imported when the command is used."""

    module: str
    function: str
    help: str


COMMANDS: dict[str, Command] = {
    "demo": Command("demo", "demo", "Open a prepared demo workspace; without a terminal, print its report."),
    "init": Command("workspace", "init", "Make a workspace."),
    "import": Command("import_", "import_", "Read logs: items, verdicts, human labels."),
    "benchmark": Command("benchmark", "benchmark", "Ask a model the prompts of a set, bundled or your own."),
    "judge": Command("judge", "judge", "Ask a model for verdicts on items that lack one."),
    "tune-report": Command("tune_report", "tune_report", "Say which gold items a changed judge gets right or wrong."),
    "classify": Command("classify", "classify", "Give verdicts without a server: by phrases, or learned from your labels."),
    "draw": Command("draw", "draw", "Draw the sample that people label, or extend it."),
    "label": Command("screens", "label", "Label your list in the terminal, blind first."),
    "triage": Command("triage", "triage", "List, fill or empty the triage queue: items that somebody picks, in no rate."),
    "resolve": Command("screens", "resolve", "Settle disagreements in the terminal."),
    "status": Command("workspace", "status", "Say how far the work is and what to do next."),
    "report": Command("report", "report", "Print agreement, judge accuracy and corrected rates."),
    "gate": Command("gate", "gate", "Decide a release: pass, fail or undecided, as an exit code."),
    "plan": Command("plan", "plan", "Say how many labels are needed, and where."),
    "frontier": Command("frontier", "frontier", "Show both rates at every threshold, costs and operating points."),
    "export": Command("export", "export", "Write rates, labels, gold, a receipt, or a log with its labels."),
    "policy": Command("policy", "policy", "Check, show or adopt a written policy."),
    "backup": Command("workspace", "backup", "Copy the database safely, also while people label."),
    "check": Command("workspace", "check", "Verify the database and every person's chain of events."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used: starting must be cheap."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of work."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a row; its short help stands in the table."""
        del ctx
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        function: click.Command = getattr(import_module(f"adjudicate.cli.{row.module}"), row.function)
        return function

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.help) for name, row in COMMANDS.items()])


@click.command(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "-w", "--workspace", "root", type=click.Path(path_type=Path), default=Path(), help="Workspace folder; here by default."
)
@click.version_option(__version__, prog_name="adjudicate")
@click.pass_context
def cli(context: click.Context, root: Path) -> None:
    """Check the judge: confirm or overrule an LLM judge's verdicts against a written policy, and publish corrected rates.

    Without a command, a terminal opens the workspace's home screen; in a folder without a workspace it leads from a log to the
    first label. New here? Try `adjudicate demo`.
    """
    context.obj = Workspace(root)
    context.call_on_close(context.obj.close)
    if context.invoked_subcommand is None:
        if has_terminal():
            from adjudicate.cli.screens import home

            context.invoke(home)
        else:
            click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and exit: 0 done, 1 failed, 2 bad input or usage, 130 interrupted. Never a traceback."""
    sys.exit(_guarded(lambda: cli.main(arguments, prog_name="adjudicate", standalone_mode=False)))


def _guarded(run: Callable[[], Any]) -> int:
    try:
        result = run()
        sys.stdout.flush()
    except AdjudicateError as error:
        return _failed(f"{error.title}: {error}", error.exit_code)
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx is not None:
            _failed(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help'.\n")
        return _failed(f"Error: {error.format_message()}", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        ignore_interrupts()
        return _failed("Stopped; nothing is half done.", 130)
    except BrokenPipeError:
        # The reader of our output has gone: that is its right, and python must not complain at exit.
        _drop(sys.stdout)
        return 1
    except Exception as error:  # noqa: BLE001  # the last line of defence
        return _failed(_told(error))
    return result if isinstance(result, int) else 0


def _failed(message: str, code: int = 1) -> int:
    """Say why on stderr, where that can be said at all; what stdout can no longer take is dropped."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop(sys.stdout)
    try:
        click.echo(visible(message), err=True)
    except OSError:
        _drop(sys.stderr)
    return code


def _drop(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _told(error: Exception) -> str:
    """What the disk or the database did to us is told as such; anything else is a bug, told without locals or texts."""
    if isinstance(error, OSError) and error.errno is not None:
        place = f"{error.filename}: " if isinstance(error.filename, str) else "the output or a file could not be written: "
        return f"Failed: {place}{error.strerror}"
    if (sqlite := sys.modules.get("sqlite3")) is not None and isinstance(error, sqlite.DatabaseError):
        from adjudicate.storage.database_file import told

        if not isinstance(error, sqlite.IntegrityError | sqlite.ProgrammingError):
            store_error = told(error)
            return f"{store_error.title}: {store_error}"
    return f"adjudicate met a bug ({type(error).__name__} in {_place(error)}). Nothing saved is lost."


def _place(error: BaseException) -> str:
    """Module and line of the innermost frame: enough for a report, with no foreign text in it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace is not None else "?"
