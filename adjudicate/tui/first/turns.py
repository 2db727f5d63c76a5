"""From step to step: what Enter does in each, and what follows once the work it asks for is done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from adjudicate.core.policy import Policy
from adjudicate.errors import AdjudicateError
from adjudicate.settings import WorkspacePaths
from adjudicate.tui.first.log import LogStep
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.policy import PolicyStep
from adjudicate.tui.first.recognised import RecognisedStep
from adjudicate.tui.first.sample import SampleStep
from adjudicate.tui.first.step import Step
from adjudicate.tui.first.work import Work
from adjudicate.tui.theme import DONE
from adjudicate.workflow.command_lines import written_flags
from adjudicate.workflow.draw_preview import usual_size
from adjudicate.workflow.draw_sample import FreeCell
from adjudicate.workflow.first_look import Look, fitting
from adjudicate.workflow.log_files import LogFile, logs_in

LOG, RECOGNISED, POLICY, SAMPLE = range(4)
TRIED_BYTES = 20_000_000
"""Logs up to this size are read under each shipped policy, to begin with the one that fits."""


class Stage(Protocol):
    """The screen, as far as the steps move it."""

    def go_to(self, step: int) -> None:
        """Show a step."""

    def go_to_row(self, row: int) -> None:
        """Choose a row of the step on screen."""

    def say(self, words: str, *, harm: bool = False) -> None:
        """Say something below the panes."""

    def problem(self, problem: str) -> None:
        """Say what is wrong, all of it."""

    def begun(self, paths: WorkspacePaths) -> None:
        """The sample is drawn: labelling can start."""


class Turns:
    """The four steps, and which of them it is."""

    def __init__(self, plan: Plan, stage: Stage, work: Work) -> None:
        self.plan = plan
        self.at = LOG
        self.logs = LogStep(plan)
        self.recognised = RecognisedStep(plan)
        self.policies = PolicyStep(plan)
        self.sample = SampleStep(plan)
        self.steps: tuple[Step, ...] = (self.logs, self.recognised, self.policies, self.sample)
        self._stage = stage
        self._work = work
        self._looked_with = ""
        """What had been said of the log when it was last looked at."""

    def go_on(self, row: int) -> None:
        """What Enter does."""
        (self._take_log, self._take_answers, self._take_policy, self._draw)[self.at](row)

    def answered(self, row: int) -> None:
        """Something was said of the log: on to the next open row; once nothing is open, the log is read again."""
        still_open = self.recognised.open
        if still_open:
            later = [each for each in still_open if each > row]
            self._stage.go_to_row((later or still_open)[0])
        else:
            self.look_again()

    def look_again(self) -> None:
        """Read the log with all that was said of it."""
        self._look(self.recognised.look.policy)

    # The log

    def find_logs(self) -> None:
        """Look for logs in the folder."""

        def find() -> list[LogFile]:
            try:
                return logs_in(self.plan.folder)
            except OSError as error:
                self.logs.problem = f"  this folder cannot be read ({error.strerror}); e types a path"
                return []

        self._work.begin("looking for logs", find, self._found_logs, can_be_stopped=False)

    def _found_logs(self, logs: list[LogFile]) -> None:
        self.logs.logs = logs

    def _take_log(self, row: int) -> None:
        paths = self.logs.chosen(row)
        if not paths:
            self._stage.say("no log is chosen: e types the path of one", harm=True)
            return
        if paths != self.plan.paths:
            self.plan.paths, self.plan.stated = paths, {}
            self.recognised.asked.clear()
        self._look(self.plan.policy)

    # What was read

    def _take_answers(self, _row: int) -> None:
        open_rows = self.recognised.open
        if open_rows and self.plan.target.policy is None and self.recognised.another_policy_may_know(open_rows):
            self._to_policies()
            self._stage.say(
                f"{_rows(open_rows, 'has', 'have')} no outcome under {self.plan.policy_name}: another policy may have one"
            )
        elif open_rows:
            self._stage.go_to_row(open_rows[0])
            self._stage.say(f"{_rows(open_rows, 'has', 'have')} no answer yet: the digits give one", harm=True)
        elif not self.recognised.look.can_be_imported or self._looked_with != written_flags(self.plan.stated):
            self._look(self.recognised.look.policy, go_on=True)
        else:
            self._after_answers()

    def _after_answers(self) -> None:
        if self.plan.target.policy is not None:
            self._read_in(self.plan.target.policy)
        else:
            self._to_policies()

    def _to_policies(self) -> None:
        self._stage.go_to(POLICY)
        self._stage.go_to_row(self.policies.place_of(self.plan.policy_name))

    def _look(self, policy: Policy | None, *, go_on: bool = False) -> None:
        """Read the log without storing anything; without a policy, under the one that fits best."""
        paths, stated, target = list(self.plan.paths), dict(self.plan.stated), self.plan.target
        flags = written_flags(stated)

        def look() -> Look:
            if policy is None:
                return self._under_each(paths)
            return target.look(paths, stated, policy, self._work.progress)

        def seen(found: Look) -> None:
            self._looked_with = flags
            self._looked(found, go_on=go_on)

        self._work.begin("reading", look, seen)

    def _under_each(self, paths: list[Path]) -> Look:
        names = list(self.policies.names)
        small = sum(path.stat().st_size for path in paths if path.is_file()) <= TRIED_BYTES
        loads = [partial(self.policies.load, name) for name in (names if small else names[:1])]
        return fitting(loads, paths, self.plan.now(), progress=self._work.progress)

    def _looked(self, found: Look, *, go_on: bool) -> None:
        if self.plan.policy is None or self.plan.policy.fingerprint != found.policy.fingerprint:
            self.plan.under(found.policy, self.policies.name_of(found.policy))
        self.recognised.seen(found)
        if go_on and found.can_be_imported:
            if self.at == POLICY:
                self._read_in(found.policy)
            else:
                self._after_answers()
            return
        if self.at != RECOGNISED:
            self._stage.go_to(RECOGNISED)
        self._say_what_was_seen(found, f" under the policy {found.policy.id}" if go_on else "")

    def _say_what_was_seen(self, found: Look, under: str) -> None:
        still_open = self.recognised.open
        if still_open:
            self._stage.go_to_row(still_open[0])
            self._stage.say(f"{_rows(still_open, 'is', 'are')} asked for{under}: the digits answer")
        elif not found.can_be_imported:
            first = found.problem.split("\n")[0]
            self._stage.say(f"it cannot be imported so: {first}", harm=True)
        elif self.recognised.lacks_verdicts:
            self._stage.go_to_row(self.recognised.row_of("verdict"))
            self._stage.say("no verdicts were found: name their column here, or enter to go on without a judge", harm=True)
        else:
            self._stage.say(f"{DONE} it can be imported so · enter goes on")

    # The policy

    def _take_policy(self, row: int) -> None:
        try:
            policy = self.policies.policy_at(row)
        except AdjudicateError as problem:
            self._stage.problem(str(problem))
            return
        look = self.recognised.look
        self.plan.under(policy, self.policies.name(row))
        if policy.fingerprint == look.policy.fingerprint and look.can_be_imported:
            self._read_in(policy)
        else:
            self._look(policy, go_on=True)

    def _read_in(self, policy: Policy) -> None:
        paths, stated = list(self.plan.paths), dict(self.plan.stated)
        target, settings = self.plan.target, self.plan.settings

        def read_and_count() -> Mapping[FreeCell, int]:
            target.read_in(paths, stated, policy, self._work.progress)
            return target.cells(settings)

        self._work.begin("reading the log in", read_and_count, self._read)

    def _read(self, cells: Mapping[FreeCell, int]) -> None:
        self.plan.cells = cells
        self.plan.n = usual_size(self.plan.items)
        self._stage.go_to(SAMPLE)
        if self.plan.items:
            self._stage.say(f"{DONE} {self.plan.items:,} items read · choose how many are labelled, then enter")
        else:
            self._say_nothing_is_free()

    # The sample

    def count(self) -> None:
        """Count the strata as they are made now."""
        target, settings = self.plan.target, self.plan.settings
        self._work.begin("counting strata", lambda: target.cells(settings), self._counted, can_be_stopped=False)

    def _counted(self, cells: Mapping[FreeCell, int]) -> None:
        self.plan.cells = cells
        self.plan.n = min(self.plan.n, self.plan.items) or usual_size(self.plan.items)
        if not self.plan.items:
            self._say_nothing_is_free()

    def _say_nothing_is_free(self) -> None:
        self._stage.say("no item is free to draw: add a log (a at home) or enlarge a sample (draw --n)", harm=True)

    def _draw(self, _row: int) -> None:
        if not self.plan.items:
            self._say_nothing_is_free()
            return
        target, settings = self.plan.target, self.plan.settings
        self._work.begin("drawing", lambda: target.draw(settings), self._stage.begun, can_be_stopped=False)


def _rows(found: list[int], one: str, several: str) -> str:
    return f"1 row {one}" if len(found) == 1 else f"{len(found)} rows {several}"
