"""What a reader sees in a log and knowingly does not keep: counted, so that the import can say so."""

from __future__ import annotations

from collections import Counter

from adjudicate.formats.import_options import Said

SCORES = "scores are outside 0 to 1 and are not kept beside their verdicts"
COMMENTS = "comments of people are not read"


class Unkept:
    """Counts by what it is, in words that are safe to print after a number."""

    def __init__(self) -> None:
        self._found: Counter[str] = Counter()

    def clear(self) -> None:
        """Begin again, where the file is read again."""
        self._found.clear()

    def note(self, what: str, number: int = 1) -> None:
        """Count something that is not kept."""
        self._found[what] += number

    def checked(self, said: Said) -> Said:
        """The verdict, without a score that it cannot keep; that is counted."""
        if said.score is None or 0 <= said.score <= 1:
            return said
        self.note(SCORES)
        return said._replace(score=None)

    def told(self) -> str:
        """One line for people; empty where all was kept."""
        return "; ".join(f"{number:,} {what}" for what, number in self._found.items() if number)
