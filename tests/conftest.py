"""What every test may use: the shared reference folder, and a machine that leaves no trace in the results."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

# A developer's own settings must not change what is tested; Textual reads these at import.
for name in [name for name in os.environ if name == "NO_COLOR" or name.startswith(("TEXTUAL", "ADJUDICATE"))]:
    del os.environ[name]
os.environ.pop("COLORTERM", None)
os.environ["TERM"] = "xterm-256color"
# What the program remembers of a person between runs is not theirs to lose here.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="adjudicate-state-")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference data beside the checkout; a user's clone has none."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared, the reference data that is not part of the project")
    return SHARED
