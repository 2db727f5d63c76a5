"""A gate for people and for continuous integration: a table of text, Markdown, and cases of a JUnit file."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicate.core import present
from adjudicate.core.demands import EVERY, Asked
from adjudicate.core.estimates import Estimate
from adjudicate.formats.junit import Case
from adjudicate.formats.writers import markdown_cell
from adjudicate.stats.gate import Check
from adjudicate.workflow.present_report import TextTable
from adjudicate.workflow.release import MovedReading, Reading, Release, ReleaseRow, RowResult

SIGNS: dict[RowResult, str] = {"pass": "pass", "fail": "FAIL", "undecided": "undecided", "not asked": "-"}
JUNIT: dict[RowResult, str] = {"pass": "pass", "fail": "failure", "undecided": "error", "not asked": "skipped"}


def release_table(release: Release) -> TextTable:
    """The one table: a row a rate and population."""
    compared = release.baseline is not None
    confidence = f"{present.level_of(release.question.confidence)} interval"
    rows = tuple(line for row in release.rows for line in _lines(release, row, compared=compared))
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
        why = "; ".join(f"{check.reason}{which}" for which, check in _told(row)) or "nothing is asked of this rate"
        numbers = ", ".join(f"{_side(each)} {_value_with_interval(each)}" for each in row.estimates())
        outcome = next(kind for kind in ("pass", "failure", "error", "skipped") if kind == JUNIT[row.result])
        found.append(Case(f"{row.group['rate']} {present.speaks_for(row.after, 'rate')}", outcome, why, numbers))
    return found


def basis(release: Release) -> list[str]:
    """What the decision rests on, in words."""
    question = release.question
    limits = "anytime-valid limits" if question.anytime else "Clopper-Pearson limits"
    speaks = "these responses" if question.target == "finite" else "the process that made them"
    changes = {row.difference.method for row in release.rows if row.difference is not None}
    level = present.level_of(question.confidence)
    lines = [f"Limits: {limits}, {level}, for {speaks}. Policy {release.policy.fingerprint[:12]}."]
    lines += [f"Change: {method}." for method in sorted(changes)]
    if any(row.adjudicated for row in release.rows):
        lines.append(f"Rulings moved items: the {question.intents} intents decide, and no row passes by one reading alone.")
    if question.margins:
        asked = ", ".join(_asked(each) for each in question.margins.asked)
        lines.append(f"Margins file {question.margins.name}, SHA-256 {question.margins.sha256}: {asked}.")
    return lines


def reasons(release: Release) -> list[str]:
    """Why rows did not pass, and what would decide the open ones."""
    return [
        f"{row.group['rate']} of {present.speaks_for(row.after, 'rate')}{which}: {check.result}: {check.reason}"
        f"{_advice(row, reading, check)}"
        for row in release.rows
        for which, reading in _readings(row)
        for check in (reading.decided.checks if reading.decided else ())
        if check.result != "pass"
    ]


def _readings(row: ReleaseRow) -> Iterable[tuple[str, Reading]]:
    if row.adjudicated is None:
        yield "", row.declared
    else:
        yield " under the declared intents", row.declared
        yield " under the adjudicated intents", row.adjudicated.reading


def _advice(row: ReleaseRow, reading: Reading, check: Check) -> str:
    """More labels decide nothing where every response has one."""
    if check.result != "undecided" or "straddles" not in check.reason:
        return ""
    if reading is not row.declared:
        whole = reading.after.details.get("design") == "census"
        return "; everything is labelled: more prompts are needed" if whole else "; more labels are needed"
    complete = row.difference if check.kind == "margin" and row.difference is not None else row.after
    labelled = complete.details.get("shared", row.size) if check.kind == "margin" else row.size
    return "; more labels are needed" if complete.n < labelled else "; everything is labelled: more prompts are needed"


def _lines(release: Release, row: ReleaseRow, *, compared: bool) -> Iterable[tuple[str, ...]]:
    """The row; where rulings moved items, both readings of the intents one under the other."""
    title = next((rate.title for rate in release.policy.rates if rate.id == row.group["rate"]), row.group["rate"])
    place, found = present.speaks_for(row.after, "rate"), row.adjudicated
    asked, result = _demand(row), SIGNS[row.result]
    if found is None:
        yield title, place, str(row.size), str(row.n), *_values(row.declared, compared=compared), asked, result
        return
    head = f"{place}, as declared", str(row.size), str(row.n)
    yield title, *head, *_values(row.declared, compared=compared), asked, _alone(row, row.declared)
    reading = found.reading
    size = reading.after.details.get("estimated_size")
    head = f"{place}, as adjudicated ({_moved(found)})", "" if size is None else f"{size:.0f}", str(reading.after.n)
    yield title, *head, *_values(reading, compared=compared), asked, _alone(row, reading)
    if row.readings_differ:
        yield title, f"{place}, by both readings", *[""] * (5 if compared else 4), asked, result


def _alone(row: ReleaseRow, reading: Reading) -> str:
    """By one reading alone; in brackets where the other has a say too."""
    if reading.decided is None:
        return SIGNS["not asked"]
    return f"({reading.decided.result})" if row.readings_differ else SIGNS[reading.decided.result]


def _moved(found: MovedReading) -> str:
    if found.moved_before is None or found.moved_before == found.moved_after:
        return str(found.moved_after)
    return f"before {found.moved_before}; after {found.moved_after}"


def _values(reading: Reading, *, compared: bool) -> tuple[str, ...]:
    if not compared:
        return present.value(reading.after), present.interval(reading.after)
    before = present.value(reading.before) if reading.before else ""
    return before, present.value(reading.after), _change(reading.difference) if reading.difference else ""


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


def _told(row: ReleaseRow) -> Iterable[tuple[str, Check]]:
    return ((which, check) for which, reading in _readings(row) if reading.decided for check in reading.decided.checks)


def _side(estimate: Estimate) -> str:
    intents = estimate.group.get("intents")
    return estimate.group["side"] + (f", {intents} intents," if intents else "")


def _asked(each: Asked) -> str:
    of = "" if each.population == EVERY else f" of {each.population}"
    return f"{each.kind} {each.rate}{of} {each.value:g}"
