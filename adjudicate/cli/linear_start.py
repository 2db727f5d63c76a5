"""Opening and leaving the linear labelling."""

from __future__ import annotations

import contextlib
import signal

from adjudicate.cli import linear_words as words
from adjudicate.cli.context import Workspace
from adjudicate.cli.linear import LinearLabelling
from adjudicate.cli.linear_lines import PlainLines
from adjudicate.core.text import shortened
from adjudicate.workflow.interval_widths import WidthsAside
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.own_list import OwnList
from adjudicate.workflow.session_summary import summary_of
from adjudicate.workflow.sitting import Sitting
from adjudicate.workflow.triage import TriageList


def label_in_lines(lines: PlainLines, workspace: Workspace, who: str, *, assisted: bool, triage: bool = False) -> None:
    """Label until the person leaves, then say what was done."""
    store, clock, settings = workspace.store(), workspace.clock, workspace.settings
    person, policy = store.annotator(who), store.policy()
    keys: dict[str, str] = {}
    if settings.keys:
        from adjudicate.tui.keymap import keymap

        keys = keymap(settings.keys, workspace.paths.root)
    work = TriageList(store, person.id) if triage else OwnList(store, person.id)
    session = LabellingSession(store, policy=policy, annotator=person, clock=clock, assisted=assisted, work=work)
    sitting = Sitting(clock)
    aside = WidthsAside(workspace.paths.database, person.id)
    listen_for_return(session, lines)
    lines.say(
        f"adjudicate, workspace {shortened(settings.name, 60)}. You are {person.name}."
        f" Policy {policy.id}, version {policy.version}. Type ? and Enter for the commands.",
        f"{session.progress.done} of {session.progress.total} items {words.where(session)} are done.",
    )
    try:
        LinearLabelling(lines, session, sitting, settings.label, keys, measure=aside.measure).run()
    except KeyboardInterrupt:
        aside.stop()
        lines.say("")
    lines.say(*summary_of(store, person, sitting).lines())


def listen_for_return(session: LabellingSession, lines: PlainLines) -> None:
    """After Ctrl-Z and fg: the time away is no time spent on the item, and the question is asked again."""

    def back(_signal: int, _frame: object) -> None:
        session.resumed()
        lines.ask_again()

    with contextlib.suppress(ValueError, AttributeError):
        signal.signal(signal.SIGCONT, back)
