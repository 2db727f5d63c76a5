"""A calibration set from elsewhere: another workspace whose blind gold labels say how the same judges err there.

Checked here: that it speaks of the same outcomes and of a judge that is here too. What it amounts to is `stats.transported`.
"""

from __future__ import annotations

from dataclasses import dataclass

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.evidence import Elsewhere, Evidence
from adjudicate.storage.store import Store
from adjudicate.workflow.report_evidence import Material, Settings, evidence, gather

SHOWN = 60


@dataclass(frozen=True, slots=True)
class CalibrationSet:
    """Labels from elsewhere that fit this workspace, and what a reader must know of them."""

    elsewhere: Elsewhere
    warnings: tuple[str, ...]


def calibration_set(there: Store, here: Store, *, name: str, judge: str | None = None) -> CalibrationSet:
    """Read a calibration set.

    Args:
        there: The store of the other workspace.
        here: The store of this one.
        name: What the other workspace is called.
        judge: Only this judge; None for all.

    Raises:
        UsageError: The policies have different outcomes, no judge is in both, or there is no blind gold label.
    """
    shown = f"--calibrate-from {shortened(name, SHOWN)}"
    material = gather(there, prompts=False)
    _same_outcomes(material.policy, here.policy(), shown)
    found = evidence(material, Settings(judge=judge))
    _same_judges(there, here, judge, shown)
    if not any(item.blind_gold is not None for item in found.items):
        raise UsageError(f"{shown}: it has no blind gold label, so it cannot say how a judge errs; label items there first")
    return CalibrationSet(
        Elsewhere(name, material.policy.fingerprint, found), tuple(_warnings(found, material, here, visible_line(name)))
    )


def _same_outcomes(there: Policy, here: Policy, shown: str) -> None:
    own, other = ({outcome.id for outcome in policy.outcomes} for policy in (here, there))
    if own != other:
        only = ", ".join(sorted(own ^ other))
        raise UsageError(
            f"{shown}: policy {there.id} {there.version} there and {here.id} {here.version} here differ in the outcomes {only};"
            " a judge's errors carry over only between policies with the same outcomes"
        )


def _same_judges(there: Store, here: Store, judge: str | None, shown: str) -> None:
    own, other = ([each.name for each in store.judges()] for store in (here, there))
    if not {name for name in own if name in other and judge in (None, name)}:
        names = [", ".join(map(visible_line, names)) or "none" for names in (own, other)]
        wanted = "no judge is" if judge is None else f"--judge {shortened(judge, SHOWN)} is not"
        raise UsageError(f"{shown}: {wanted} in both workspaces by name; here: {names[0]}; there: {names[1]}")


def _warnings(found: Evidence, material: Material, here: Store, name: str) -> list[str]:
    told = []
    if material.policy.fingerprint != here.policy().fingerprint:
        told.append(
            f"{name} has another policy ({material.policy.id} {material.policy.version}) with the same outcomes: its labels"
            " follow its own rules, so the judge's errors may not carry over."
        )
    shared = {item.item_id for item in found.items} & {item.item_id for item in here.frame_items()}
    if shared:
        told.append(f"{len(shared)} items are labelled here and in {name}: those labels are not from elsewhere.")
    again = sum(item.gold is None and item.item_id in material.waiting for item in found.items)
    unresolved = sum(item.gold is None for item in found.items) - again
    if again:
        told.append(f"{again} items of {name} wait for labels to be made again and are left out of the calibration set.")
    if unresolved:
        told.append(f"{unresolved} items of {name} wait for a ruling and are left out of the calibration set.")
    if material.foreign_verdicts:
        told.append(f"{material.foreign_verdicts} verdicts of {name} are in the words of another policy and are set aside.")
    return told
