"""What the import makes of every log of the reference data, as the lines of a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from adjudicate.errors import InputError
from adjudicate.formats.import_options import ImportOptions
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files
from adjudicate.workflow.import_report import FileReport
from tests.factory import AT, xstest_policy

WORKED = ("C", "1_full_compliance", "1", "1.0", "true", "pass", "yes", "0.5..")
FAILED = ("I", "2_full_refusal", "3_partial_refusal", "0", "0.0", "false", "fail", "no", "..0.5", "P", "N")
NO_CLASS = ("n", "[1, 0, 1]")
"""What scorers of made-up logs say that no class could be."""
OUTCOMES = {
    **dict.fromkeys(WORKED, "full_compliance"),
    **dict.fromkeys(FAILED, "full_refusal"),
    **dict.fromkeys(NO_CLASS, "judge_failed"),
}
"""So that every class that occurs is some outcome: here it counts what is read, not what it means."""
OPTIONS = ImportOptions(constants={"intent": "harmful"}, outcomes=OUTCOMES)
HEAD = ("| file | format | rows | items | verdicts | labels | left out, or why it is rejected |", "|---|---|--:|--:|--:|--:|---|")
LONGEST = 150


def matrix_lines(logs: Path, scratch: Path) -> list[str]:
    """The table, one line a file.

    Args:
        logs: The folder of logs.
        scratch: An empty folder for the stores.
    """
    files = sorted(path for path in logs.rglob("*") if path.is_file())
    return [*HEAD, *(_line(path, path.relative_to(logs), scratch / f"{number}.db") for number, path in enumerate(files))]


def _line(path: Path, name: Path, place: Path) -> str:
    policy = xstest_policy()
    store = SqliteStore.open(place, create=True)
    store.put_policy(policy, AT)
    try:
        report = import_files(store, policy, [path], OPTIONS, AT)
    except InputError as error:
        told = [line.replace(str(path), "").strip(" :") for line in str(error).splitlines()[:-1]]
        return f"| {_cell(str(name))} | | | | | | rejected: {_cell('; '.join(told[:2]))} |"
    finally:
        store.close()
    (each,) = report.files
    return (
        f"| {_cell(str(name))} | {each.format} | {each.rows:,} | {each.items:,} | {each.verdicts:,} | {each.labels:,}"
        f" | {_cell('; '.join(_remarks(each)))} |"
    )


def _remarks(each: FileReport) -> Iterator[str]:
    if each.skipped:
        yield f"{each.skipped} rows: {each.problems[0].message}"
    if each.remark:
        yield each.remark


def _cell(text: str) -> str:
    shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return shown.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
