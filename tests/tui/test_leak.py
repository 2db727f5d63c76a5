"""Three hundred labels cost no memory."""

from __future__ import annotations

import gc
from pathlib import Path

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, labelling
from tests.tui.factory import Row


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


async def test_three_hundred_labels_grow_by_less_than_three_megabytes(workspace: MakeWorkspace) -> None:
    rows = [Row(response="Shade, water and rest. " * 60, verdict=None) for _ in range(420)]
    app = workspace(rows).app()
    async with driven(app) as pilot:
        screen = labelling(app)
        # Statistics load numpy once, which is no leak.
        screen._measured_at = 10**9

        async def label(times: int) -> None:
            for number in range(times):
                screen.action_digit(str(number % 3 + 1))
                await pilot.pause()

        await label(100)
        gc.collect()
        before = resident()
        await label(300)
        gc.collect()
        assert screen.session.progress.done == 400
        assert resident() - before < 3 * 1024 * 1024
