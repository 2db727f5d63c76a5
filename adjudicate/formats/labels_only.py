"""Known tables that hold labels or scores and no text: they are recognised, and sent to where they are of use.

Their rows are joined to items that are here already (`import --join id`, see `joined_rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudicate.core.policy import Policy
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.preset_detect import head_columns
from adjudicate.formats.source_run import SourceRun
from adjudicate.formats.text_file import SourceFile


@dataclass(frozen=True, slots=True)
class LabelsOnly:
    """One such table."""

    name: str
    title: str
    needed: frozenset[str]
    """Columns that it has."""
    allowed: frozenset[str] | None
    """Columns that it may have; None where others do not matter."""
    one_of: frozenset[str] = frozenset()
    """Columns of which it has at least one."""
    starts: str = ""
    """How columns begin that it may have besides, and that count as one of those."""
    flags: str = ""
    """How its rows are joined."""

    def detect(self, source: SourceFile) -> bool:
        """Whether a file is that table."""
        found = set(head_columns(source))
        more = {name for name in found if self.starts and name.startswith(self.starts)}
        fits = self.allowed is None or found <= self.allowed | more
        return self.needed <= found and fits and (not self.one_of or bool(found & self.one_of or more))

    def plan(self, files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:  # noqa: ARG002
        """Refuse the files.

        Raises:
            InputError: Always; says how to join them.
        """
        raise files[0].without_items(
            f"{self.title}: it holds labels only, no prompts and no responses. Import the log that they are about first, then"
            f" add it with --join id {self.flags}"
        )


LABELS_ONLY: tuple[LabelsOnly, ...] = (
    LabelsOnly(
        "scout-validation",
        "Inspect Scout validation set",
        needed=frozenset({"id", "target"}),
        allowed=frozenset({"id", "target", "split", "predicate"}),
        one_of=frozenset({"split", "predicate"}),
        starts="label_",
        flags="--map gold=target --outcome True=OUTCOME --outcome False=OUTCOME",
    ),
    LabelsOnly(
        "pyrit-scores",
        "PyRIT scores made by people",
        needed=frozenset({"score_value", "score_type", "prompt_request_response_id"}),
        allowed=None,
        flags="--map id=prompt_request_response_id --map label.NAME=score_value --outcome True=OUTCOME --outcome False=OUTCOME",
    ),
    LabelsOnly(
        "defensive-refusal-predictions",
        "Defensive-refusal predictions",
        needed=frozenset({"id", "action"}),
        allowed=frozenset({"id", "action"}),
        flags="--map verdict=action --set judge=NAME --outcome answer=OUTCOME --outcome refuse=OUTCOME",
    ),
)
