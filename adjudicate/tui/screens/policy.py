"""The policy: read and search it, compare versions, see how its clauses do, and take a new version into use.

Everything is read, compared and foreseen in workers; a policy is adopted only after what it brings about was shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from adjudicate.core.policy import Policy
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.policy_reader import PolicyReader
from adjudicate.tui.screens.policy_view import PolicyView
from adjudicate.tui.screens.policy_work import PolicyWork
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DONE
from adjudicate.tui.widgets.asking_field import SEARCH, AskingField, Question
from adjudicate.tui.widgets.diff_view import DiffView
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.status_line import SidedLine

FILE = Question(
    "Adopt", "path of a policy file, or the name of a shipped one", "enter shows what would change · esc back, nothing is adopted"
)


class PolicyScreen(Workplace):
    """Clauses and versions on the left, text and what was unclear on the right."""

    PLACE = "policies"
    PANES = ("clauses", "text", "versions", "unclear")
    PANE_TITLES = ("Clauses", "Text", "Versions", "Unclear")
    BINDINGS = bindings_for("policies")
    DEFAULT_CSS = """
    PolicyScreen {
        #left { width: 1fr; }
        #right { width: 1fr; }
        #clauses, #text { height: 1fr; }
        #versions { height: 7; }
        #unclear { height: 10; }
        &.-narrow {
            #clauses, #text, #versions, #unclear, #left, #right { display: none; }
            #versions, #unclear { height: 1fr; }
            #left, #right { width: 100%; }
        }
        &.-narrow.-at-clauses { #left, #clauses { display: block; } }
        &.-narrow.-at-versions { #left, #versions { display: block; } }
        &.-narrow.-at-text { #right, #text { display: block; } }
        &.-narrow.-at-unclear { #right, #unclear { display: block; } }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.reader = PolicyReader()
        """Where the person is in it."""
        self._view = PolicyView(self, self.reader)
        self._work = PolicyWork(self)
        self._typed_ahead: list[Callable[[], None]] = []
        """What keys asked for before there was anything to choose from, in turn."""
        self._at_work = False
        """Whether a policy is being looked at or adopted: no second one meanwhile."""

    def compose(self) -> ComposeResult:
        """Four panes, a text field that comes when it is needed, and the keys."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            with Vertical(id="left"):
                yield LineView(id="clauses", measure=200, hint="{read.down} {read.up} choose · {read.page} reads on")
                yield LineView(id="versions", measure=200, hint="{policies.compare} compare")
            with Vertical(id="right"):
                yield DiffView(id="text")
                yield LineView(id="unclear", measure=120)
        yield AskingField(id="asked")
        yield SidedLine(id="said")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Read the policy in the background."""
        super().on_mount()
        self._view.show()
        self._work.read()

    def on_resize(self) -> None:
        """Columns follow the width."""
        super().on_resize()
        if self.is_mounted:
            self.call_after_refresh(self._lay_out)

    def _lay_out(self) -> None:
        """Once the panes have their size and the screen its class."""
        self._show_tabs()
        if self.reader.book is not None:
            self._view.show_clauses()

    def come_back(self) -> None:
        """Something may have been labelled."""
        self._work.read()

    # Keys

    def on_key(self, event: events.Key) -> None:
        """What was said of the key before is old."""
        super().on_key(event)
        self._view.forget_refusal()

    def action_line(self, step: int) -> None:
        """Choose the next row of a list, or scroll."""
        if self.active_pane.id == "clauses":
            self._when_read(lambda: self._choose(self.reader.selected + step))
        elif self.active_pane.id == "versions":
            self._when_read(lambda: self._compare_with(self.reader.version + step))
        else:
            super().action_line(step)

    def action_end(self, direction: int) -> None:
        """To the first or last row."""
        if self.active_pane.id == "clauses":
            self._when_read(lambda: self._choose(direction * len(self.reader.entries)))
        elif self.active_pane.id == "versions":
            self._when_read(lambda: self._compare_with(direction * len(self.reader.versions)))
        else:
            super().action_end(direction)

    def action_page(self, direction: int) -> None:
        """Scroll; beside the list, the text of what is chosen there."""
        beside = self.active_pane.id == "clauses" and not self.is_narrow
        (self.pane("text") if beside else self.active_pane).scroll_page(direction)

    def action_compare(self) -> None:
        """Compare with the version before, then with the one before that, then read on without a comparison."""
        self._when_read(self._compare_next)

    def _compare_next(self) -> None:
        versions = self.reader.versions
        if len(versions) < 2:
            self._view.refuse("only one version was ever adopted here: a adopts another")
            return
        self._compare_with((self.reader.version + 1) % len(versions))

    def action_change(self, step: int) -> None:
        """To the next clause that changed; without a comparison, to the next that was unclear to somebody."""
        self._when_read(lambda: self._to_notable(step))

    def _to_notable(self, step: int) -> None:
        if self.reader.to_notable(step):
            self._view.show_choice()
        else:
            what = "changed" if self.reader.against is not None else "was unclear to anybody"
            self._view.say(f"nothing here {what}")

    def action_search(self) -> None:
        """Type words to look for."""
        self._ask(SEARCH, " ".join(self.reader.words))

    def action_adopt(self) -> None:
        """Name the policy to adopt; nothing happens before its consequences were shown."""
        compared = self.reader.compared
        self._ask(FILE, compared.fingerprint[:12] if compared is not None else "")

    def action_refresh(self) -> None:
        """Count again."""
        self._work.read()

    def action_cancel(self) -> None:
        """From the text field back; from a search to all clauses; from a comparison to reading."""
        asked = self._field.question
        if asked is not None:
            self._stop_asking()
        if asked is SEARCH or (asked is None and self.reader.words):
            self._search("")
        elif asked is None and self.reader.version:
            self._compare_with(0)

    def _when_read(self, act: Callable[[], None]) -> None:
        """Do at once what needs the book, or as soon as it is read: no key is lost to a worker that is still at it."""
        if self.reader.book is None:
            self._typed_ahead.append(act)
        else:
            act()

    # The text field

    @property
    def _field(self) -> AskingField:
        return self.query_one("#asked", AskingField)

    def _ask(self, question: Question, text: str) -> None:
        self._field.ask(question, text)
        self.query_one(KeyBar).tell(question.keys)

    def _stop_asking(self) -> None:
        self._field.leave()
        self.query_one(KeyBar).tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        if self._field.question is SEARCH:
            self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The search stays; a file is looked at."""
        event.stop()
        is_file, name = self._field.question is FILE, event.value.strip()
        if is_file and name and self._at_work:
            # The field stays: what was typed into it is not lost, and what is typed next is not read as commands.
            self._view.refuse("still at work with another policy: enter again in a moment")
            return
        self._stop_asking()
        if is_file and name:
            self._at_work = True
            self._view.say("looking at what it would change …")
            self._work.look_ahead(name)

    def _search(self, words: str) -> None:
        self.reader.search(words)
        self._view.show()

    def _choose(self, place: int) -> None:
        self.reader.choose(place)
        self._view.show_choice()

    # What came of the work

    def _compare_with(self, place: int) -> None:
        reader = self.reader
        if reader.book is None:
            return
        reader.compare_with(place)
        self._view.show()
        older = reader.compared
        if older is None:
            self._view.say("")
        else:
            self._view.say(f"comparing with {older.id} {older.version} …")
            self._work.compare(older.fingerprint, reader.book.policies[older.fingerprint], reader.book.in_force)

    def on_policy_work_differ(self, message: PolicyWork.Differ) -> None:
        """Show the differences, if they are still those that are wanted."""
        if not self.reader.differ(message.fingerprint, message.found):
            return
        changes = message.found.changes
        back = sum(change.calls_back for change in changes.changes)
        self._view.show()
        self._view.say(
            f"since {changes.old.id} {changes.old.version}: differences {len(changes.changes)}, labels come back for {back}"
            " · n N to the next · [-gone-] {+new+}"
        )

    def on_policy_work_read(self, message: PolicyWork.Read) -> None:
        """The numbers have come."""
        ahead, self._typed_ahead = self._typed_ahead, []
        if message.book is None:
            self._view.refuse(message.problem)
            return
        self.reader.take(message.book)
        self._view.show()
        for act in ahead:
            act()

    def on_policy_work_foreseen(self, message: PolicyWork.Foreseen) -> None:
        """Show what would happen and wait for a yes."""
        from adjudicate.tui.screens.adopt_dialog import AdoptDialog

        if message.ahead is None:
            self._at_work = False
            self._view.show_problem(message.problem)
            return
        self._view.say("")
        self.app.push_screen(AdoptDialog(message.ahead), partial(self._decided, message.ahead.changes.new))

    def _decided(self, policy: Policy, said_yes: bool | None) -> None:
        if said_yes:
            self._view.say("adopting …")
            self._work.adopt(policy)
        else:
            self._at_work = False
            self._view.say("nothing was changed")

    def on_policy_work_adopted(self, message: PolicyWork.Adopted) -> None:
        """From now on every screen works under it."""
        self._at_work = False
        if message.problem:
            self._view.refuse(f"not adopted: {message.problem}")
            return
        self.reader.compare_with(0)
        self._view.say(f"{DONE} in force: {message.policy.id} {message.policy.version}")
        self._work.read()

    def worker_failed(self, group: str, name: str) -> None:
        """Say so; nothing stays locked."""
        self._at_work = False
        self._view.refuse(f"not read ({name})" if group == "book" else f"that could not be done ({name}); nothing was adopted")
