"""A crash leaves a file without content, a sentence with its path, and nothing of the workspace on the terminal."""

from __future__ import annotations

import stat

import pytest

from adjudicate.tui.crash import crash_report
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import labelling
from tests.tui.factory import Row


def boom(canary: str) -> None:
    local = canary
    raise ValueError(f"cannot show {local}")


def test_the_report_has_places_and_types_only() -> None:
    try:
        try:
            boom("canary-secret")
        except ValueError as error:
            raise RuntimeError("canary-outer") from error
    except RuntimeError as error:
        report = crash_report(error)
    assert "canary" not in report
    assert "RuntimeError" in report and "ValueError" in report and "in boom" in report


async def test_the_app_stops_with_a_file_of_its_owners(workspace: MakeWorkspace, capsys: pytest.CaptureFixture[str]) -> None:
    made = workspace([Row(response="canary-response")])
    app = made.app()
    with pytest.raises(ValueError, match="canary"):  # noqa: PT012 - the error comes out of the running app
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            labelling(app).call_later(boom, "canary-response")
            await pilot.pause()
    shown = capsys.readouterr()
    assert "canary" not in shown.err + shown.out
    files = list(made.database.parent.glob("crash-*.txt"))
    assert len(files) == 1 and stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert "canary" not in files[0].read_text()
    assert app.return_code == 1
