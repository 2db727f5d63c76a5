"""Write the support matrix of docs/formats.md: every log of the reference data through the real import, one line each.

Run by `make support-matrix`; needs the reference data beside the checkout.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.formats.support_matrix import matrix_lines  # noqa: E402  # the folder must be known first

PAGE = ROOT / "docs" / "formats.md"
BLOCK = re.compile(r"(<!-- matrix -->\n).*?(<!-- end of matrix -->)", re.DOTALL)


def main() -> None:
    """Put the matrix between its marks."""
    with tempfile.TemporaryDirectory() as folder:
        lines = matrix_lines(ROOT.parent / "shared" / "data" / "logs", Path(folder))
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
