"""Screens driven by their keys on real stores; what is stored is asserted before what is painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.tui.factory import Row, Workspace, make_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[..., Workspace]:
    """Makes a workspace from rows; by default five benign items that the judge calls full compliance."""

    def make(rows: Sequence[Row] | None = None, **settings: Any) -> Workspace:
        return make_workspace(tmp_path, rows if rows is not None else [Row() for _ in range(5)], **settings)

    return make


MakeWorkspace = Callable[..., Workspace]
