"""A report: every row of STATISTICS that was asked for, computed from the evidence, with what a reader must know first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy
from adjudicate.core.present import bounds, speaks_for, title, with_few
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.registry import STATISTICS, Statistic
from adjudicate.storage.store import Store
from adjudicate.workflow.calibrate_from import CalibrationSet
from adjudicate.workflow.empty_section import why_empty
from adjudicate.workflow.label_evidence import AHEAD, OUT_OF_TURN
from adjudicate.workflow.report_evidence import SPLITS, Material, Settings, evidence, gather
from adjudicate.workflow.run_names import shown_names

Section = Literal["agreement", "accuracy", "anchoring", "calibration", "rates", "all"]
SECTIONS: tuple[Section, ...] = ("agreement", "accuracy", "anchoring", "calibration", "rates", "all")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What to report, and on which part of the workspace."""

    section: Section = "all"
    by: tuple[str, ...] = ()
    """Fields to split by besides population; models are always split where there are several."""
    model: str | None = None
    run: str | None = None
    judge: str | None = None
    population: str | None = None
    conservative: bool = False
    anytime: bool = False
    """Corrected rates with limits that hold at every moment of the labelling."""
    target: Literal["finite", "process"] = "finite"
    confidence: float = 0.95
    only: tuple[str, ...] = ()
    """Names of rows of STATISTICS; empty for all of the section."""
    calibration: CalibrationSet | None = None
    """Labels from elsewhere, for rates by what they say of the judge."""

    @property
    def rows(self) -> tuple[Statistic, ...]:
        """The rows of the table that are asked for."""
        return tuple(
            row for row in STATISTICS if self.section in ("all", row.family) and (not self.only or row.name in self.only)
        )

    @property
    def settings(self) -> Settings:
        """What the statistics see of it."""
        elsewhere = self.calibration.elsewhere if self.calibration else None
        return Settings(self.judge, self.conservative, self.anytime, self.target, self.confidence, elsewhere)


@dataclass(frozen=True, slots=True)
class Report:
    """Estimates with what a reader must know before using them."""

    policy: Policy
    estimates: tuple[Estimate, ...]
    warnings: tuple[str, ...]
    items: int
    labelled: int
    """Items with a label, settled or not."""
    open_items: int
    waiting: int = 0
    """Items whose labels have to be made again under the policy in force; none of the open disagreements."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Sections that were asked for and in which nothing could be estimated, each with the reason."""
    evidence: Evidence | None = field(default=None, compare=False, repr=False)
    """What it was computed from, for whoever asks for the items behind a number."""

    def as_json(self) -> dict[str, Any]:
        """The object of ``report --json``."""
        return {
            "policy": {"id": self.policy.id, "version": self.policy.version, "fingerprint": self.policy.fingerprint},
            "items": self.items,
            "labelled": self.labelled,
            "open_disagreements": self.open_items,
            "to_label_again": self.waiting,
            "warnings": list(self.warnings),
            "missing": dict(self.missing),
            "estimates": [estimate.as_json() for estimate in self.estimates],
        }


def build_report(store: Store, options: ReportOptions | None = None, *, told: Callable[[int, int], None] | None = None) -> Report:
    """Compute a report.

    Args:
        store: An open store.
        options: What to report; everything by default.
        told: Given how many of how many statistics are computed, before each; what it raises ends the computing.

    Raises:
        UsageError: A filter names what the workspace does not have, a split is unknown, or options exclude each other.
    """
    options = options or ReportOptions()
    material = material_for(store, options)
    whole = evidence(material, options.settings)
    computed = _computed(whole, options, told)
    estimates = [estimate for _, found in computed for estimate in found]
    waiting = _waiting(whole, material)
    for split in (split for split in options.by if split != "model"):
        names = shown_names(store.runs()) if split == "run" else {}
        for value, part in material.split(split).items():
            inside = [each for _, found in _computed(evidence(part, options.settings), options) for each in found]
            estimates += _within(inside, split, names.get(value, value))
    return Report(
        policy=material.policy,
        estimates=tuple(estimates),
        warnings=(
            *warnings(store, whole, material, options),
            *_open_signs(estimates),
            *(options.calibration.warnings if options.calibration else ()),
        ),
        items=sum(cell.size for cell in material.cells if not cell.judge),
        labelled=len(whole.items),
        open_items=sum(item.gold is None for item in whole.items) - waiting,
        waiting=waiting,
        missing={} if options.only else _missing(whole, computed),
        evidence=whole,
    )


def material_for(store: Store, options: ReportOptions) -> Material:
    """The rows that a report of these options is made from.

    Raises:
        UsageError: As for `build_report`.
    """
    asked = {row.name for row in options.rows}
    gathered = gather(store, prompts="attempts_rate" in asked, pairs="judge_agreement" in asked)
    material = gathered.part(model=options.model, run=options.run, population=options.population)
    _check(store, options, material)
    return material


def interval_widths(store: Store) -> dict[str, float | None]:
    """Width of the corrected rate's interval per population, as a fraction: what a blind labeller may see of the rates.

    None where the rate is undefined yet. Where a policy has several rates for a population, the widest counts.
    """
    report = build_report(store, ReportOptions(section="rates", only=("corrected_rate",)))
    widths: dict[str, float | None] = {}
    for estimate in report.estimates:
        if estimate.statistic != "corrected_rate" or "rate" not in estimate.group:
            continue
        population = estimate.group["population"]
        width = None if estimate.low is None or estimate.high is None else estimate.high - estimate.low
        known = widths.get(population)
        widths[population] = width if known is None else max(known, width or 0.0)
    return widths


def _computed(
    given: Evidence, options: ReportOptions, told: Callable[[int, int], None] | None = None
) -> list[tuple[str, list[Estimate]]]:
    """Section and estimates of every row that is asked for."""
    rows = options.rows
    found: list[tuple[str, list[Estimate]]] = []
    for place, row in enumerate(rows):
        if told is not None:
            told(place, len(rows))
        found.append((row.family, [with_few(estimate) for estimate in row.compute(given)]))
    return found


def _missing(given: Evidence, computed: Iterable[tuple[str, list[Estimate]]]) -> dict[str, str]:
    """Sections in which nothing is estimated: a mere count, as of errors, leaves the question open."""
    found: dict[str, bool] = {}
    for section, estimates in computed:
        found[section] = found.get(section, False) or any(estimate.unit != "count" for estimate in estimates)
    return {section: why_empty(given, section) for section, has_any in found.items() if not has_any}


def _within(estimates: Iterable[Estimate], field: str, value: str) -> list[Estimate]:
    return [replace(estimate, group={**estimate.group, field: value}) for estimate in estimates]


def _check(store: Store, options: ReportOptions, material: Material) -> None:
    for split in options.by:
        if split not in SPLITS:
            raise UsageError(f"--by {visible_line(split)}: a report splits by {', '.join(SPLITS)}")
    judges = [] if options.judge is None else [judge.name for judge in store.judges()]
    if options.judge is not None and options.judge not in judges:
        raise UsageError(f"--judge {visible_line(options.judge)}: there is {', '.join(map(visible_line, judges)) or 'no judge'}")
    if options.anytime and options.conservative:
        raise UsageError("--anytime limits are made for claims already: leave out --conservative")
    if options.anytime and options.target == "process":
        raise UsageError("--anytime speaks for these responses only; leave out --target process")
    if not material.cells and (options.model or options.run or options.population):
        raise UsageError("no item fits these filters; 'adjudicate status' lists models, runs and populations")


def warnings(store: Store, given: Evidence, material: Material, options: ReportOptions) -> list[str]:
    """What a reader must know before using the numbers."""
    told = []
    if not store.draws() and given.items:
        told.append("No sample was drawn: corrected rates exist only where every item of a population is labelled.")
    told += _of_labels(store, given, material, options)
    failed = {judge.name: judge.failed for judge in store.judges() if judge.failed}
    told += [
        f"Judge {visible_line(name)} failed on {count} items: counted apart, never as a class." for name, count in failed.items()
    ]
    if steering := store.steering_count():
        undrawn = store.steering_undrawn() if store.draws() else 0
        so_far = f" {undrawn} of them are in no sample so far." if undrawn else ""
        told.append(f"{steering} responses speak to the judge: all of them go to people, whatever its verdict.{so_far}")
    told += _without_verdict(material)
    outside = sum(cell.size for cell in given.cells if not cell.judge and not cell.stratum)
    if store.draws() and outside:
        told.append(f"{outside} items are outside every draw: corrected rates of a sample do not speak for them.")
    if material.foreign_verdicts:
        told.append(f"{material.foreign_verdicts} verdicts name no outcome of the policy in force and are set aside.")
    if any(draw.policy != material.policy.fingerprint for draw in store.draws()):
        told.append("A sample was drawn under another policy: its strata follow what that policy counted.")
    told += _of_versions(store, material, given.judges)
    if left_out := store.triage_labels():
        told.append(f"{left_out:,} triage labels are left out of every number here: somebody picked their items.")
    if given.contests:
        told.append(f"{given.contests} items have a contested intent that nobody has ruled on: they count as declared.")
    return told


def _of_labels(store: Store, given: Evidence, material: Material, options: ReportOptions) -> Iterator[str]:
    """Drawn or labelled items that no rate rests on, each kind with what is done about it."""
    waiting = _waiting(given, material)
    if waiting:
        yield (
            f"{waiting} items wait for labels to be made again, which rest on what the policy in force has changed:"
            " rates leave them out and give bounds for them."
        )
    open_items = sum(item.gold is None for item in given.items) - waiting
    if open_items:
        yield f"{open_items} items wait for a ruling: rates leave them out and give bounds for them."
    skipped = sum(cell.size for cell in given.skipped)
    if skipped:
        yield (
            f"{skipped} drawn items were skipped by everyone who was given them, and never labelled:"
            " rates leave them out and give bounds for them."
        )
    turns = Counter(item.turn for item in material.items if item.picked)
    if turns["waits"]:
        yield f"{turns['waits']} labelled items are set aside: {OUT_OF_TURN}."
    if turns["ahead"] and options.anytime:
        yield f"{turns['ahead']} labelled items are set aside: {AHEAD}."
    if options.run is None and options.model is None:
        missing = sum(max(0, stratum.drawn - labelled) for stratum, labelled in store.strata_progress()) - skipped
        if missing > 0:
            yield f"{missing} drawn items have no label yet: the estimates rest on the others as a random part of the draw."


def _waiting(given: Evidence, material: Material) -> int:
    """Items without gold only because labels have to be made again."""
    return sum(item.gold is None and item.item_id in material.waiting for item in given.items)


def _of_versions(store: Store, material: Material, judges: Collection[str]) -> list[str]:
    """Under which versions of the policy labels and verdicts were made; nothing where it is the one in force."""
    versions = store.policy_versions()
    known = {version.fingerprint: f"version {version.version}" for version in versions if version.id == material.policy.id}
    told = [
        f"Verdicts of {visible_line(name)} were imported under {visible_line(known.get(given, 'another policy'))}:"
        " a judge that was given that text is measured against labels under the one in force."
        for name, given in store.judge_policies().items()
        if given and given != material.policy.fingerprint and name in judges
    ]
    used = [version for version in versions if version.labels]
    if [version.fingerprint for version in used] in ([], [material.policy.fingerprint]):
        return told
    ids = {version.id for version in used} | {material.policy.id}
    listed = ", ".join(
        f"{version.labels:,} under {f'{version.id} ' if len(ids) > 1 else 'version '}{visible_line(version.version)}"
        f" ({version.fingerprint[:12]})"
        for version in used
    )
    counts = "older ones count where what they rest on is unchanged"
    return [*told, f"Labels were made under several versions of the policy ({counts}): {listed}."]


def _open_signs(estimates: Iterable[Estimate]) -> Iterator[str]:
    """Gaps whose direction hangs on items that wait for a ruling."""
    for gap in estimates:
        if gap.statistic == "anchoring_gap" and gap.details.get("sign_open"):
            yield (
                f"{title(gap)} ({speaks_for(gap)}): with the judge wrong or right on the {gap.details['unresolved']} unresolved"
                f" items it is {bounds(gap)}, so even its direction is open."
            )


def _without_verdict(material: Material) -> list[str]:
    return [
        f"Judge {visible_line(name)} has repeats of verdicts that are not here, on {count} items: no rate counts those."
        " The verdict that counts is repeat 0, or has no number."
        for name, count in Counter(row.judge for row in material.readings if not row.counted).items()
    ]
