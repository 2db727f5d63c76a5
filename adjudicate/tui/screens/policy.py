"""The policy: read and search it, compare versions, see how its clauses do, and take a new version into use.

Everything is read, compared and foreseen in workers; a policy is adopted only after what it brings about was shown.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError, InputError
from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DIFFERS, DONE, HARM
from adjudicate.tui.widgets import policy_rows
from adjudicate.tui.widgets.diff_view import DiffView
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.policy_rows import Entry
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.adopt_policy import Adoption, adopt, look_ahead
from adjudicate.workflow.clause_use import NONE, ClauseUse
from adjudicate.workflow.policy_book import Book, Compared, compared, policy_from_file, read_book

Asked = Literal["words", "file"]
ASKS: dict[Asked, tuple[str, str]] = {
    "words": ("words to look for in the clauses", "type to search · enter back to the list · esc all clauses again"),
    "file": (
        "path of a policy file, or the name of a shipped one",
        "enter shows what would change · esc back, nothing is adopted",
    ),
}
"""What the text field asks for, and what the keys do meanwhile."""
COUNTED = "counting …"


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
        Input { width: 100%; height: 3; border: round $focus; background: $surface; display: none; }
        &.-asking Input { display: block; }
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

    class Read(Message):
        """The book, or why there is none."""

        def __init__(self, book: Book | None, problem: str = "") -> None:
            super().__init__()
            self.book = book
            self.problem = problem

    class Differ(Message):
        """Two versions were compared."""

        def __init__(self, fingerprint: str, found: Compared) -> None:
            super().__init__()
            self.fingerprint = fingerprint
            self.found = found

    class Foreseen(Message):
        """What a policy would bring about, or why it cannot be adopted."""

        def __init__(self, ahead: Adoption | None, problem: str = "") -> None:
            super().__init__()
            self.ahead = ahead
            self.problem = problem

    class Adopted(Message):
        """It is in force, or it is not."""

        def __init__(self, policy: Policy, problem: str = "") -> None:
            super().__init__()
            self.policy = policy
            self.problem = problem

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._book: Book | None = None
        self._against: Compared | None = None
        self._version = 0
        """Place of the version that is compared with the one in force; 0 for no comparison."""
        self._words: list[str] = []
        self._entries: list[Entry] = []
        self._selected = 0
        self._asked: Asked = "words"
        self._at_work = False
        """Whether a policy is being looked at or adopted: no second one meanwhile."""

    def compose(self) -> ComposeResult:
        """Four panes, a text field that comes when it is needed, and the keys."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            with Vertical(id="left"):
                yield LineView(id="clauses", measure=200, hint="j k choose · space reads on")
                yield LineView(id="versions", measure=200, hint="v compare")
            with Vertical(id="right"):
                yield DiffView(id="text")
                yield LineView(id="unclear", measure=120)
        yield Input(id="asked")
        yield SidedLine(id="said")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Read the policy in the background."""
        super().on_mount()
        self._show()
        self._read()

    def on_resize(self) -> None:
        """Columns follow the width."""
        super().on_resize()
        if self.is_mounted:
            self.call_after_refresh(self._lay_out)

    def _lay_out(self) -> None:
        """Once the panes have their size and the screen its class."""
        self._show_tabs()
        if self._book is not None:
            self._show_clauses()

    def come_back(self) -> None:
        """Something may have been labelled."""
        self._read()

    # Keys

    def action_line(self, step: int) -> None:
        """Choose the next row of a list, or scroll."""
        if self.active_pane.id == "clauses":
            self._choose(self._selected + step)
        elif self.active_pane.id == "versions":
            self._compare_with(self._version + step)
        else:
            super().action_line(step)

    def action_end(self, direction: int) -> None:
        """To the first or last row."""
        if self.active_pane.id == "clauses":
            self._choose(direction * len(self._entries))
        elif self.active_pane.id == "versions":
            self._compare_with(direction * len(self._versions))
        else:
            super().action_end(direction)

    def action_page(self, direction: int) -> None:
        """Scroll; beside the list, the text of what is chosen there."""
        beside = self.active_pane.id == "clauses" and not self.is_narrow
        (self.pane("text") if beside else self.active_pane).scroll_page(direction)

    def action_compare(self) -> None:
        """Compare with the version before, then with the one before that, then read on without a comparison."""
        if len(self._versions) < 2:
            self._say(f"{HARM} only one version was ever adopted here: a adopts another", harm=True)
            return
        self._compare_with((self._version + 1) % len(self._versions))

    def action_change(self, step: int) -> None:
        """To the next clause that changed; without a comparison, to the next that was unclear to somebody."""
        wanted = [place for place, entry in enumerate(self._entries) if self._is_notable(entry)]
        if not wanted:
            what = "changed" if self._against is not None else "was unclear to anybody"
            self._say(f"nothing here {what}")
            return
        ahead = [place for place in wanted if (place - self._selected) * step > 0]
        self._choose(min(ahead) if step > 0 and ahead else max(ahead) if ahead else wanted[0 if step > 0 else -1])

    def action_search(self) -> None:
        """Type words to look for."""
        self._ask("words", " ".join(self._words))

    def action_adopt(self) -> None:
        """Name the policy to adopt; nothing happens before its consequences were shown."""
        if self._at_work or self._book is None:
            self._say(f"{HARM} still at work: this key did nothing", harm=True)
            return
        self._ask("file", self._versions[self._version].fingerprint[:12] if self._version else "")

    def action_refresh(self) -> None:
        """Count again."""
        self._read()

    def action_cancel(self) -> None:
        """From the text field back; from a search to all clauses; from a comparison to reading."""
        if self.has_class("-asking"):
            searched = self._asked == "words"
            self._stop_asking()
            if searched:
                self._search("")
        elif self._words:
            self._search("")
        elif self._version:
            self._compare_with(0)

    # The text field

    def _ask(self, what: Asked, text: str) -> None:
        self._asked = what
        placeholder, keys = ASKS[what]
        field = self.query_one(Input)
        with field.prevent(Input.Changed):
            field.value = text
        field.placeholder = placeholder
        self.add_class("-asking")
        field.focus()
        self.query_one(KeyBar).tell(keys)

    def _stop_asking(self) -> None:
        self.remove_class("-asking")
        self.set_focus(None)
        self.query_one(KeyBar).tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        if self._asked == "words" and self.has_class("-asking"):
            self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The search stays; a file is looked at."""
        event.stop()
        self._stop_asking()
        if self._asked == "file" and event.value.strip():
            self._at_work = True
            self._say("looking at what it would change …")
            self._look_ahead(event.value.strip())

    def _search(self, words: str) -> None:
        self._words = words.casefold().split()
        self._selected = 0
        self._show()

    # What is shown

    @property
    def _versions(self) -> tuple[PolicyVersion, ...]:
        return self._book.versions if self._book is not None else ()

    def _use(self, entry: Entry) -> ClauseUse | None:
        return self._book.uses.get(entry.id) if self._book is not None and entry.part == "clause" else None

    def _is_notable(self, entry: Entry) -> bool:
        if self._against is not None:
            return bool(policy_rows.changes_of(entry, self._against))
        use = self._use(entry)
        return use is not None and bool(use.unclear)

    def _choose(self, place: int) -> None:
        self._selected = max(min(place, len(self._entries) - 1), 0)
        self._show_clauses()
        self._show_chosen()

    def _show(self) -> None:
        self._show_status()
        if self._book is None:
            for name in self.PANES:
                self.pane(name).show([Paragraph(COUNTED, "dim")], title=self.PANE_TITLES[self.PANES.index(name)])
            return
        self._entries = [
            entry
            for entry in policy_rows.entries(self._book, self._against)
            if all(word in f"{entry.name} {entry.heading}\n{entry.text}".casefold() for word in self._words)
        ]
        self._selected = max(min(self._selected, len(self._entries) - 1), 0)
        self._show_clauses()
        self._show_chosen()
        self._show_versions()

    def _show_status(self) -> None:
        policy = self.bench.policy
        compared_with = f" {DIFFERS} {self._versions[self._version].version}" if self._version else ""
        self.query_one("#status", SidedLine).show(
            styled(("Policy", "bold"), f" · {shortened(policy.title, 60)}"),
            styled(f"{shortened(policy.id, 24)} v{shortened(policy.version, 10)}{compared_with}"),
        )

    def _show_clauses(self) -> None:
        pane = self.pane("clauses")
        width = max((pane.size.width or self.app.size.width // 2) - 2, 30)
        rows = [
            policy_rows.entry_row(
                entry, self._use(entry), policy_rows.changes_of(entry, self._against), chosen=place == self._selected, width=width
            )
            for place, entry in enumerate(self._entries)
        ]
        searched = f" · {len(rows)} with “{' '.join(self._words)}”" if self._words else ""
        pane.show(
            [policy_rows.heading_row(width), *(rows or [Paragraph("    nothing found", "dim")])], title=f"Clauses{searched}"
        )
        pane.keep_in_sight(self._selected + 1 if self._selected else 0)

    def _show_chosen(self) -> None:
        text, unclear = self.query_one("#text", DiffView), self.pane("unclear")
        if not self._entries:
            text.show([], title="Text")
            unclear.show([], title="Unclear")
            return
        entry = self._entries[self._selected]
        text.marks = self._against is not None
        text.show(
            list(policy_rows.clause_rows(entry, self._use(entry), self._against)), title=f"{entry.name} {entry.heading}".strip()
        )
        uses = self._book.uses if self._book is not None else {}
        listed = uses[entry.id].unclear if entry.part == "clause" and entry.id in uses else uses[NONE].unclear
        where = f"of {entry.id}" if entry.part == "clause" else "where no clause is cited"
        rows = list(policy_rows.unclear_rows(listed))
        unclear.show(rows, title=f"Policy unclear · {len(listed)} {where} · for the next version")

    def _show_versions(self) -> None:
        pane = self.pane("versions")
        pane.show(policy_rows.version_rows(self._versions, chosen=self._version), title=f"Versions · {len(self._versions)}")
        pane.keep_in_sight(self._version + 1 if self._version else 0)

    def _say(self, words: str, *, harm: bool = False) -> None:
        self.query_one("#said", SidedLine).show(styled((words, "$differs bold" if harm else "$quiet")), styled(""))

    # Comparing

    def _compare_with(self, place: int) -> None:
        if self._book is None:
            return
        self._version = max(min(place, len(self._versions) - 1), 0)
        self._against = None
        self._show()
        if self._version:
            older = self._versions[self._version]
            self._say(f"comparing with {older.id} {older.version} …")
            self._compare(older.fingerprint, self._book.policies[older.fingerprint], self._book.in_force)
        else:
            self._say("")

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def _compare(self, fingerprint: str, old: Policy, new: Policy) -> None:
        self.post_message(self.Differ(fingerprint, compared(old, new)))

    def on_policy_screen_differ(self, message: Differ) -> None:
        """Show the differences, if they are still those that are wanted."""
        if not self._version or self._versions[self._version].fingerprint != message.fingerprint:
            return
        self._against = message.found
        changes = message.found.changes
        back = sum(change.calls_back for change in changes.changes)
        self._show()
        self._say(
            f"since {changes.old.id} {changes.old.version}: differences {len(changes.changes)}, labels come back for {back}"
            " · n N to the next · [-gone-] {+new+}"
        )

    # Reading

    @work(thread=True, exclusive=True, group="book", exit_on_error=False)
    def _read(self) -> None:
        reader = self.bench.annotator.id
        try:
            book = with_own_store(self.bench.database, lambda store: read_book(store, reader=reader))
        except AdjudicateError as problem:
            self.post_message(self.Read(None, str(problem)))
        else:
            self.post_message(self.Read(book))

    def on_policy_screen_read(self, message: Read) -> None:
        """The numbers have come."""
        if message.book is None:
            self._say(f"{HARM} {message.problem}", harm=True)
            return
        self._book = message.book
        if self._version >= len(self._versions):
            self._version, self._against = 0, None
        self._show()

    # Adopting

    @work(thread=True, exclusive=True, group="ahead", exit_on_error=False)
    def _look_ahead(self, name: str) -> None:
        def foresee(store: SqliteStore) -> Adoption:
            return look_ahead(store, _named(store, name))

        try:
            ahead = with_own_store(self.bench.database, foresee)
        except AdjudicateError as problem:
            self.post_message(self.Foreseen(None, str(problem)))
        else:
            self.post_message(self.Foreseen(ahead))

    def on_policy_screen_foreseen(self, message: Foreseen) -> None:
        """Show what would happen and wait for a yes."""
        from adjudicate.tui.screens.adopt_dialog import AdoptDialog

        if message.ahead is None:
            self._at_work = False
            self._show_problem(message.problem)
            return
        self._say("")
        self.app.push_screen(AdoptDialog(message.ahead), self._decided(message.ahead.changes.new))

    def _show_problem(self, problem: str) -> None:
        """All that is wrong with a file can be long: the text pane has it until something is chosen again."""
        first, *rest = problem.split("\n")
        self._say(f"{HARM} {first}{' · all of it beside' if rest else ''}", harm=True)
        if rest:
            text = self.query_one("#text", DiffView)
            text.marks = False
            text.show([Paragraph(line, "harm" if line == first else "") for line in (first, *rest)], title="Cannot be adopted")
            self.activate(self.PANES.index("text"))

    def _decided(self, policy: Policy) -> Callable[[bool | None], None]:
        def go_on(said_yes: bool | None) -> None:
            if said_yes:
                self._say("adopting …")
                self._adopt(policy)
            else:
                self._at_work = False
                self._say("nothing was changed")

        return go_on

    @work(thread=True, exclusive=True, group="adopt", exit_on_error=False)
    def _adopt(self, policy: Policy) -> None:
        at = self.bench.clock.now()
        try:
            with_own_store(self.bench.database, lambda store: adopt(store, policy, at=at))
        except AdjudicateError as problem:
            self.post_message(self.Adopted(policy, str(problem)))
        else:
            # To the app itself: this screen may be gone by now, and the others must not go on under the old policy.
            self.app.post_message(self.PolicyAdopted(policy))
            self.post_message(self.Adopted(policy))

    def on_policy_screen_adopted(self, message: Adopted) -> None:
        """From now on every screen works under it."""
        self._at_work = False
        if message.problem:
            self._say(f"{HARM} not adopted: {message.problem}", harm=True)
            return
        self._version, self._against = 0, None
        self._say(f"{DONE} in force: {message.policy.id} {message.policy.version}")
        self._read()

    class PolicyAdopted(Message):
        """For the app: another policy is in force."""

        def __init__(self, policy: Policy) -> None:
            super().__init__()
            self.policy = policy

    def worker_failed(self, group: str, name: str) -> None:
        """Say so; nothing stays locked."""
        self._at_work = False
        self._say(
            f"{HARM} that could not be done ({name}); nothing was adopted" if group != "book" else f"{HARM} not read ({name})",
            harm=True,
        )


def _named(store: SqliteStore, name: str) -> Policy:
    """The policy of a file, of a shipped name, or of a version that was in use before.

    Raises:
        InputError: There is none, or it cannot be used.
    """
    from adjudicate.settings import shipped_policies
    from adjudicate.workflow.find_policy import find_policy

    path = shipped_policies().get(name) or Path(name).expanduser()
    if path.is_file():
        return policy_from_file(path)
    stored = find_policy(store, name)
    if stored is None:
        raise InputError(f"{shortened(name, 60)}: no such file, no shipped policy, and no version that was in use here")
    return stored
