"""The step that asks for the sample, by itself: it says what cannot be drawn, and goes on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from adjudicate.core.sampling import STEERING
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.sample import SampleStep
from adjudicate.tui.first.workspace import OpenWorkspace
from adjudicate.workflow.draw_sample import FreeCell
from tests.factory import AT, xstest_policy


def test_fewer_items_than_speak_to_the_judge_are_told_and_end_nothing(tmp_path: Path) -> None:
    policy = xstest_policy()
    plan = Plan(tmp_path, "ann", OpenWorkspace(tmp_path / "db", policy, lambda: AT), lambda: AT, policy=policy, n=50)
    plan.cells = Counter(
        {
            FreeCell("harmful | clear", "harmful", "harmful"): 220,
            FreeCell(f"harmful | clear | {STEERING}", "harmful", "harmful"): 80,
        }
    )
    step = SampleStep(plan)
    shown = [row.text for row in step.beside(0)[1]]
    assert "50 items are too few: 80 responses speak to the judge, and people see all of them." in shown
    assert not any("95 % intervals" in text for text in shown)
    step.take(0, "100")
    shown = [row.text for row in step.beside(0)[1]]
    assert any("95 % intervals" in text for text in shown)
    assert not any("too few" in text for text in shown)
