"""Where somebody is in the policy: which clauses are listed, which one is chosen, which version is compared with. No widgets."""

from __future__ import annotations

from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.tui.widgets import policy_rows
from adjudicate.tui.widgets.policy_rows import Entry
from adjudicate.workflow.clause_use import NONE, ClauseUse, Unclear
from adjudicate.workflow.policy_book import Book, Compared


class PolicyReader:
    """A place in the book of policies; before the book is read there is nothing to choose."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.against: Compared | None = None
        """What changed since the version that is compared with; None while it is being found out."""
        self.version = 0
        """Place of the version that is compared with the one in force; 0 for no comparison."""
        self.words: list[str] = []
        """What is looked for, in lower case."""
        self.entries: list[Entry] = []
        """What has all the words."""
        self.selected = 0
        """Index of the chosen entry."""

    @property
    def versions(self) -> tuple[PolicyVersion, ...]:
        """The one in force, then the others, newest first."""
        return self.book.versions if self.book is not None else ()

    @property
    def compared(self) -> PolicyVersion | None:
        """The version that is compared with."""
        return self.versions[self.version] if self.version else None

    @property
    def chosen(self) -> Entry | None:
        """The chosen entry; None where nothing is found."""
        return self.entries[self.selected] if self.entries else None

    def use(self, entry: Entry) -> ClauseUse | None:
        """How a clause does."""
        return self.book.uses.get(entry.id) if self.book is not None and entry.part == "clause" else None

    def unclear(self) -> tuple[str, list[Unclear]]:
        """What was unclear about the chosen entry, and where that is in words."""
        entry, uses = self.chosen, self.book.uses if self.book is not None else {}
        if entry is not None and entry.part == "clause":
            return f"of {entry.id}", list(uses[entry.id].unclear) if entry.id in uses else []
        return "without a clause", list(uses[NONE].unclear)

    # Moving

    def take(self, book: Book) -> None:
        """Another book: the place is kept as far as there still is one."""
        self.book = book
        if self.version >= len(self.versions):
            self.version, self.against = 0, None
        self._list()

    def search(self, words: str) -> None:
        """Keep what has every word."""
        self.words, self.selected = words.casefold().split(), 0
        self._list()

    def choose(self, place: int) -> None:
        """Choose an entry, the nearest one there is."""
        self.selected = max(min(place, len(self.entries) - 1), 0)

    def to_notable(self, step: int) -> bool:
        """To the next entry that changed, or without a comparison was unclear to somebody; from the last one to the first."""
        wanted = [place for place, entry in enumerate(self.entries) if self._is_notable(entry)]
        if wanted:
            ahead = [place for place in wanted if (place - self.selected) * step > 0]
            self.choose(min(ahead or wanted) if step > 0 else max(ahead or wanted))
        return bool(wanted)

    def compare_with(self, place: int) -> None:
        """Compare with the version at a place, the nearest one there is; 0 compares with none."""
        self.version, self.against = max(min(place, len(self.versions) - 1), 0), None
        self._list()

    def differ(self, fingerprint: str, found: Compared) -> bool:
        """Take what changed since a version, where that is still the one that is compared with; whether it is."""
        if self.compared is None or self.compared.fingerprint != fingerprint:
            return False
        self.against = found
        self._list()
        return True

    def _is_notable(self, entry: Entry) -> bool:
        if self.against is not None:
            return bool(policy_rows.changes_of(entry, self.against))
        use = self.use(entry)
        return use is not None and bool(use.unclear)

    def _list(self) -> None:
        if self.book is not None:
            self.entries = [
                entry
                for entry in policy_rows.entries(self.book, self.against)
                if all(word in f"{entry.name} {entry.heading}\n{entry.text}".casefold() for word in self.words)
            ]
        self.choose(self.selected)
