"""What the disagreements screen shows of its session: the queue, the item, who said what, the ruling in the making, two lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Input

from adjudicate.core.text import shortened, visible_line
from adjudicate.stats.foreseen import Foreseen
from adjudicate.tui.theme import DONE, HARM
from adjudicate.tui.widgets import dispute_rows, item_text
from adjudicate.tui.widgets.line_view import MEASURE, Paragraph
from adjudicate.tui.widgets.outcome_list import outcome_line
from adjudicate.tui.widgets.positions import intent_row, moves_rates, outcome_words, position_rows, ruling_rows
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.dispute import Dispute
from adjudicate.workflow.resolve_disagreements import ResolvingSession
from adjudicate.workflow.veil import is_veiled
from adjudicate.workflow.weigh_disputes import IntentRuling

if TYPE_CHECKING:
    from adjudicate.tui.screens.disagreements import DisagreementsScreen

BROAD_FROM = 160
"""Columns from which on the text and who said what stand beside each other."""
QUEUE_COLUMNS = 38
"""Width of the queue, where it is shown."""
FRAME = 4
"""Border and padding of a pane, left and right."""
LISTED = 200
"""Rows of the list on either side of the item on screen."""
MOVES = f"{HARM} moves the prompt's rates"
WHY, UNCLEAR = "why this outcome holds under the policy (needed)", "what the policy leaves unclear, for its next version (needed)"


class DisagreementsView:
    """Paints the panes; keeps only what is about painting."""

    def __init__(self, screen: DisagreementsScreen) -> None:
        self._screen = screen
        self._shown: str | None = None
        self._unveiled: str | None = None
        self._who_rows: list[Paragraph] = []
        self.message: tuple[str, str] | None = None
        """What was just said, and its style; it stays until something is done."""
        self.foreseen: tuple[IntentRuling, Foreseen] | None = None
        """What the ruling in the making would move, once it is counted."""

    @property
    def _session(self) -> ResolvingSession:
        return self._screen.session

    def show(self) -> None:
        """Everything, as the session is now."""
        dispute = self._session.dispute
        self.show_lines(dispute)
        self._show_queue()
        if dispute is None:
            self._show_nothing()
            return
        if dispute.item.id != self._shown:
            self._shown = dispute.item.id
            self._show_text(dispute)
            self._screen.new_item()
        self._show_who(dispute)
        self._show_ruling(dispute)

    # The item

    def is_veiled(self, dispute: Dispute) -> bool:
        """Whether its response is behind the veil."""
        return dispute.item.id != self._unveiled and is_veiled(self._screen.bench.settings.veil, dispute.item.prompt)

    def lift_veil(self, dispute: Dispute) -> None:
        """Show the response."""
        self._unveiled = dispute.item.id
        self._show_text(dispute)

    def _show_text(self, dispute: Dispute) -> None:
        item = dispute.item
        response = item_text.veiled(item.prompt) if self.is_veiled(dispute) else item_text.response(item)
        text = item_text.under_headings(item.prompt, item_text.turns(item.prompt), response)
        self._screen.pane("text").show(text, title=f"{item_text.prompt_title(item.prompt)} · and its response")

    def _show_who(self, dispute: Dispute) -> None:
        """Only where it says something else: showing it anew would take the reader back to its beginning."""
        rows = self._who(dispute)
        if rows != self._who_rows:
            self._who_rows = rows
            self._screen.pane("who").show(rows, title="Who said what")

    @property
    def _who_width(self) -> int:
        """Cells of the pane inside its frame, which the first layout has not told yet when the first item is shown."""
        columns = self._screen.app.size.width
        if not self._screen.is_narrow:
            columns -= QUEUE_COLUMNS
        if columns + QUEUE_COLUMNS >= BROAD_FROM:
            columns //= 2
        return min(columns - FRAME, MEASURE)

    def _who(self, dispute: Dispute) -> list[Paragraph]:
        policy = self._session.policy
        return [
            *position_rows(policy, dispute, self._who_width),
            Paragraph(""),
            Paragraph(dispute_rows.influence_words(dispute.influence), "dim"),
            Paragraph(""),
            *dispute_rows.policy_rows(dispute.cited),
            Paragraph(""),
            *dispute_rows.precedents_in_short(policy, dispute),
        ]

    # The ruling

    def _show_ruling(self, dispute: Dispute) -> None:
        session, intended = self._session, self._session.intended
        waiting = session.policy.outcome(intended.outcome or "") if session.needs_severity else None
        if waiting is not None:
            rows = [outcome_line(session.policy, None, waiting), intent_row(dispute, intended)]
        else:
            rows = ruling_rows(session.policy, dispute, intended)
        self._screen.pane("settle").show(
            [*rows, *self._moved(dispute)], title="Settle" if waiting is None else "Settle · severity"
        )
        self._screen.pane("outcome-line").show(rows)
        reason = self._screen.query_one("#reason", Input)
        reason.border_title = "What is unclear" if intended.unclear else "Reason"
        reason.placeholder = UNCLEAR if intended.unclear else WHY
        if reason.value != intended.rationale:
            reason.value = intended.rationale

    def _moved(self, dispute: Dispute) -> list[Paragraph]:
        ruling = self._session.intent_ruling
        if ruling is None:
            return []
        return [dispute_rows.foreseen_row(dispute, ruling.intent, self._counted(ruling))]

    def _counted(self, ruling: IntentRuling | None) -> Foreseen | None:
        return self.foreseen[1] if self.foreseen is not None and self.foreseen[0] == ruling else None

    # The queue

    def _show_queue(self) -> None:
        session = self._session
        start = max(session.index - LISTED, 0)
        window = session.entries[start : session.index + LISTED]
        influence = session.weighed.influence if session.weighed is not None else {}
        now = session.clock.now()
        rows = [
            dispute_rows.queue_row(
                place + 1, entry, influence.get(entry.item_id), now=now, chosen=place == session.index
            )._replace(click=f"move({place - session.index})")
            for place, entry in enumerate(window, start=start)
        ]
        heading = [dispute_rows.queue_heading()] if rows else []
        foot = dispute_rows.queue_foot(session.entries, session.settled, session.collected)
        pane = self._screen.pane("open")
        pane.show([*heading, *rows, *foot], title=f"Open · {len(session.entries)}")
        pane.keep_in_sight(session.index - start + len(heading))

    def _show_nothing(self) -> None:
        self._shown = None
        self._screen.new_item()
        words = [
            Paragraph(f"{DONE} Nothing is open: every item with labels is unanimous or settled.", "done"),
            Paragraph(""),
            Paragraph("{undo} takes your last ruling back. Next:  adjudicate report", told=True),
        ]
        self._screen.pane("text").show(words, title="Disagreements")
        self._who_rows = []
        for name in ("who", "settle", "outcome-line"):
            self._screen.pane(name).show([], title="")
        self._screen.query_one("#reason", Input).value = ""

    # Lines

    def say(self, words: str, style: str) -> None:
        """Something that the person has to know now."""
        self.message = (self._screen.keyed(words), style)
        self.show_lines(self._session.dispute)

    def show_lines(self, dispute: Dispute | None) -> None:
        """The line above and the line below."""
        session = self._session
        where: list[str | tuple[str, str]] = [("Disagreements", "bold")]
        if dispute is not None:
            where += [" · ", (f"{session.index + 1} of {len(session.entries)}", "bold")]
            moves = dispute_rows.moves_in_short(dispute.influence)
            where += [f" · moves {moves}"] if dispute.influence is not None and dispute.influence.swings else []
            where += [f" · {shortened(dispute.item.prompt.population, 28)}", f" · {visible_line(dispute.item.id[:12])}"]
        person = shortened(session.adjudicator.name, 20)
        mark = ("saving …", "$differs bold") if self._screen.saving else (f"saved {DONE}", "$done")
        right = styled(f"{person} · policy v{shortened(session.policy.version, 10)} · ", mark)
        self._screen.query_one("#status", SidedLine).show(styled(*where), right)
        self._screen.query_one("#last", SidedLine).show(*self._last_line(dispute), keeps_left=self.message is not None)

    def _last_line(self, dispute: Dispute | None) -> tuple[Content, Content]:
        """What was just said, else what the ruling does beyond this item; and the last act, which gives way to a warning."""
        if self.message is not None:
            return styled(self.message), self._last()
        if dispute is not None and moves_rates(dispute, self._session.intended):
            counted = self._counted(self._session.intent_ruling)
            rates = dispute_rows.foreseen_in_short(counted) if counted is not None else ""
            words = f"{MOVES}: {rates or 'shown under both intents in the report'}"
            return styled((words, "$differs bold")), styled((self._screen.keyed("{undo} undo"), "$quiet"))
        if self._session.intended.unclear:
            words = "it stays open, at the end of the queue; the labels stay as they are"
        else:
            words = "a ruling settles the gold label; the labels stay as they are" if dispute is not None else ""
        return styled((words, "$quiet")), self._last()

    def _last(self) -> Content:
        last = self._session.last
        if last is None:
            return styled((self._screen.keyed("{undo} undo"), "$quiet"))
        what = {"undo": "taken back", "flag": "policy unclear"}.get(last.kind)
        what = what or outcome_words(self._session.policy, last.outcome or "", "")
        return styled(("last: ", "$quiet"), f"{last.item_id[:5]} → {what}", (self._screen.keyed(" · {undo} undo"), "$quiet"))
