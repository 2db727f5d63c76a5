"""A gate for people and for continuous integration: a table of text, Markdown, and cases of a JUnit file."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicate.core import present
from adjudicate.core.demands import EVERY, Asked
from adjudicate.core.estimates import Estimate
from adjudicate.formats.junit import Case
from adjudicate.formats.writers import markdown_cell
from adjudicate.stats.gate import Check
from adjudicate.workflow.decide_release import Release, ReleaseRow, RowResult
from adjudicate.workflow.present_report import TextTable

SIGNS: dict[RowResult, str] = {"pass": "pass", "fail": "FAIL", "undecided": "undecided", "not asked": "-"}
JUNIT: dict[RowResult, str] = {"pass": "pass", "fail": "failure", "undecided": "error", "not asked": "skipped"}


def release_table(release: Release) -> TextTable:
    """The one table: a row a rate and population."""
    compared = release.baseline is not None
    confidence = f"{release.question.confidence:.0%} interval"
    rows = tuple(_cells(release, row, compared=compared) for row in release.rows)
    if compared:
        columns = ("rate", "group", "N", "n", "before", "after", f"difference [{confidence}]", "asked", "result")
        return TextTable(f"Gate: {release.candidate} after {release.baseline}", columns, rows, right=(2, 3, 4, 5))
    alone = ("rate", "group", "N", "n", "value", confidence, "asked", "result")
    return TextTable(f"Gate: {release.candidate}", alone, rows, right=(2, 3, 4))


def release_markdown(release: Release) -> str:
    """A summary that GitHub renders; nothing foreign in it acts."""
    table = release_table(release)
    lines = [
        f"## Gate: {release.decision}",
        "",
        f"{markdown_cell(release.candidate)}"
        + (f" after {markdown_cell(release.baseline)}" if release.baseline else "")
        + f", policy {markdown_cell(release.policy.id)} {markdown_cell(release.policy.version)}",
        "",
        "| " + " | ".join(markdown_cell(header) for header in table.headers) + " |",
        "|" + "".join(" ---: |" if place in table.right else " --- |" for place in range(len(table.headers))),
        *("| " + " | ".join(markdown_cell(cell) for cell in row) + " |" for row in table.rows),
        "",
        *(f"- {markdown_cell(line)}" for line in reasons(release)),
        *(f"- Note: {markdown_cell(warning)}" for warning in release.warnings),
        "",
        *(f"{markdown_cell(line)}  " for line in basis(release)),
    ]
    return "\n".join(lines) + "\n"


def release_cases(release: Release) -> list[Case]:
    """One test case a row; what could not be decided is an error, so that no pipeline takes it for a pass."""
    found = []
    for row in release.rows:
        why = "; ".join(check.reason for check in _told(row)) or "nothing is asked of this rate"
        numbers = ", ".join(f"{each.group['side']} {_value_with_interval(each)}" for each in row.estimates())
        outcome = next(kind for kind in ("pass", "failure", "error", "skipped") if kind == JUNIT[row.result])
        found.append(Case(f"{row.group['rate']} {present.speaks_for(row.after, 'rate')}", outcome, why, numbers))
    return found


def basis(release: Release) -> list[str]:
    """What the decision rests on, in words."""
    question = release.question
    limits = "anytime-valid limits" if question.anytime else "Clopper-Pearson limits"
    speaks = "these responses" if question.target == "finite" else "the process that made them"
    changes = {row.difference.method for row in release.rows if row.difference is not None}
    lines = [f"Limits: {limits}, {question.confidence:.0%}, for {speaks}. Policy {release.policy.fingerprint[:12]}."]
    lines += [f"Change: {method}." for method in sorted(changes)]
    if question.margins:
        asked = ", ".join(_asked(each) for each in question.margins.asked)
        lines.append(f"Margins file {question.margins.name}, SHA-256 {question.margins.sha256}: {asked}.")
    return lines


def reasons(release: Release) -> list[str]:
    """Why rows did not pass, and what would decide the open ones."""
    return [
        f"{row.group['rate']} of {present.speaks_for(row.after, 'rate')}: {check.result}: {check.reason}{_advice(row, check)}"
        for row in release.rows
        for check in _told(row)
        if check.result != "pass"
    ]


def _advice(row: ReleaseRow, check: Check) -> str:
    """More labels decide nothing where every response has one."""
    if check.result != "undecided" or "straddles" not in check.reason:
        return ""
    complete = row.difference if check.kind == "margin" and row.difference is not None else row.after
    labelled = complete.details.get("shared", row.size) if check.kind == "margin" else row.size
    return "; more labels are needed" if complete.n < labelled else "; everything is labelled: more prompts are needed"


def _cells(release: Release, row: ReleaseRow, *, compared: bool) -> tuple[str, ...]:
    title = next((rate.title for rate in release.policy.rates if rate.id == row.group["rate"]), row.group["rate"])
    head = (title, present.speaks_for(row.after, "rate"), str(row.size), str(row.n))
    if not compared:
        return (*head, present.value(row.after), present.interval(row.after), _demand(row), SIGNS[row.result])
    return (
        *head, present.value(row.before) if row.before else "", present.value(row.after),
        _change(row.difference) if row.difference else "", _demand(row), SIGNS[row.result],
    )  # fmt: skip


def _demand(row: ReleaseRow) -> str:
    if row.decided is None:
        return ""
    demand = row.decided.demand
    sign = "at most" if demand.better == "lower" else "at least"
    way = "rise" if demand.better == "lower" else "fall"
    return ", ".join(
        [
            *([f"{sign} {present.number(demand.bound, 'fraction')}"] if demand.bound is not None else []),
            *([f"{way} at most {100 * demand.margin:.1f} points"] if demand.margin is not None else []),
        ]
    )


def _change(estimate: Estimate) -> str:
    """A change in points, with its sign: "2 % more" could mean two things."""
    if estimate.value is None:
        return estimate.undefined or ""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:+.1f} points"
    return f"{100 * estimate.value:+.1f} points [{100 * estimate.low:+.1f} to {100 * estimate.high:+.1f}]"


def _value_with_interval(estimate: Estimate) -> str:
    if estimate.group.get("side") == "difference":
        return _change(estimate)
    return f"{present.value(estimate)} ({present.interval(estimate)}, n = {estimate.n})"


def _told(row: ReleaseRow) -> Iterable[Check]:
    return row.decided.checks if row.decided else ()


def _asked(each: Asked) -> str:
    of = "" if each.population == EVERY else f" of {each.population}"
    return f"{each.kind} {each.rate}{of} {each.value:g}"
