"""docs/formats.md tells what becomes of every log of the reference data, and describes every reader."""

from __future__ import annotations

from pathlib import Path

from adjudicate.formats.readers import READERS
from tests.formats.support_matrix import matrix_lines

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def test_the_support_matrix_is_what_the_import_does(shared: Path, tmp_path: Path) -> None:
    lines = matrix_lines(shared / "data" / "logs", tmp_path)
    print("\n".join(lines))  # noqa: T201  # the table is what the test is run for
    kept = PAGE.read_text(encoding="utf-8").partition("<!-- matrix -->\n")[2].partition("<!-- end of matrix -->")[0]
    assert kept.splitlines() == lines, "run 'make support-matrix' and look at what changed"


def test_every_reader_is_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [reader.name for reader in READERS if f"| `{reader.name}` |" not in text] == []
