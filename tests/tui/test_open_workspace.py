"""Another workspace is opened from Home: the screens, the title and the connections are those of the new one from then on."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.errors import AdjudicateError
from adjudicate.settings import WorkspacePaths, make_workspace, shipped_policies, write_private
from adjudicate.storage.connection import _OPEN
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui import recent
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.open_dialog import OpenDialog
from adjudicate.workflow.policy_book import policy_from_file
from tests.tui.driving import driven, press, settled, text_of
from tests.tui.first_time import CLOCK, app_in, go_on, plain, write_table


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two workspaces side by side, one under another policy than the other."""
    for name, policy in (("first", "xstest"), ("second", "refusal-boundary")):
        paths = make_workspace(tmp_path / name, f"the {name}")
        store = SqliteStore.open(paths.database, create=True)
        store.put_policy(policy_from_file(shipped_policies()[policy]), CLOCK.now())
        store.close()
    return tmp_path / "first", tmp_path / "second"


def app_of(root: Path, state: Path | None = None) -> AdjudicateApp:
    return AdjudicateApp(WorkspacePaths(root).database, "the first", "ann", CLOCK, "home", state=state)


def open_files(root: Path) -> int:
    found = WorkspacePaths(root).database.stat()
    return _OPEN[found.st_dev, found.st_ino]


async def test_the_chosen_workspace_takes_the_place_of_this_one(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = two
    sent: list[str] = []
    monkeypatch.setattr(AdjudicateApp, "tell_terminal", lambda _app, codes: sent.append(codes))
    app = app_of(first)
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "t", "q", "o")
        assert isinstance(app.screen, OpenDialog) and "second" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "the second" in text_of(app) and "policy refusal-boundary" in text_of(app)
        assert len(app.screen_stack) == 1 and app.bench.database == WorkspacePaths(second).database
        assert (open_files(first), open_files(second)) == (0, 1)
        assert "the second" in sent[-1] and "[22;2t" not in sent[-1]
        # Whatever was open of the first is gone: every screen is one of the second.
        await press(pilot, "p")
        await settled(app, pilot)
        assert "refusal-boundary" in text_of(app)
        await press(pilot, "q", "q")
    assert app.return_code == 0 and open_files(second) == 0


async def test_a_path_is_typed_and_completed(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = two
    monkeypatch.chdir(first.parent)
    app = app_of(first)
    async with driven(app) as pilot:
        await press(pilot, "o", "s", "e", "tab")
        assert app.screen.query_one("#line").value == "second/"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        await settled(app, pilot)
        assert app.bench.database.resolve() == WorkspacePaths(second).database


async def test_what_is_no_workspace_is_refused_and_this_one_stays(two: tuple[Path, Path]) -> None:
    app = app_of(two[0])
    async with driven(app) as pilot:
        await press(pilot, "o", *"nowhere", "enter")
        assert "is no workspace" in text_of(app)
        await press(pilot, "escape")
        await settled(app, pilot)
        assert "the first" in text_of(app) and open_files(two[0]) == 1


@pytest.mark.parametrize("broken", ["settings", "keys", "database"])
async def test_a_workspace_that_cannot_be_opened_leaves_this_one_open(two: tuple[Path, Path], broken: str) -> None:
    first, second = two
    paths = WorkspacePaths(second)
    if broken == "database":
        paths.database.write_bytes(b"no database")
    else:
        write_private(paths.settings, "colour = 1\n" if broken == "settings" else '[keys]\n"label.skip" = "1"\n')
    app = app_of(first)
    async with driven(app) as pilot:
        await press(pilot, "o", "enter")
        await settled(app, pilot)
        assert "the first" in text_of(app) and open_files(first) == 1
        assert any("not opened" in notice.message for notice in app._notifications)
        await press(pilot, "t")
        assert "Report" in text_of(app) or "Rates" in text_of(app)


async def test_the_list_is_walked_by_arrows_and_narrowed_by_words(two: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = two
    state = tmp_path / "state"
    third = make_workspace(tmp_path / "deep" / "third", "the third").root
    for each in (third, second):
        recent.remember(state, each)
    assert recent.workspaces(state, first) == [second, third]
    app = app_of(first, state)
    async with driven(app) as pilot:
        await press(pilot, "o", "down")
        assert "▸ third" in text_of(app)
        await press(pilot, "up")
        assert "▸ second" in text_of(app)
        await press(pilot, *"deep")
        assert "▸ third" in text_of(app) and "second" not in text_of(app)


async def test_what_was_done_in_each_is_told_at_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    folder.mkdir()
    write_table(folder / "log.csv", plain())
    other = make_workspace(tmp_path / "other", "other")
    store = SqliteStore.open(other.database, create=True)
    store.put_policy(policy_from_file(shipped_policies()["xstest"]), CLOCK.now())
    store.close()
    app = app_in(folder, state=tmp_path / "state")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await go_on(app, pilot, 4)
        await press(pilot, "1", "q", "o", "enter")
        await settled(app, pilot)
        assert "Import a log" in text_of(app)
        await press(pilot, "q")
    assert [summary.labels for summary in app.summaries] == [1, 0]
    # Seen from a folder that has no neighbours: those would be listed too.
    assert recent.workspaces(tmp_path / "state", tmp_path / "nowhere" / "here") == [other.root, folder]


def test_what_is_remembered_and_cannot_be_understood_is_nothing(tmp_path: Path) -> None:
    (tmp_path / recent.FILE).write_text('{"not": "a list"}', encoding="utf-8")
    assert recent.workspaces(tmp_path, tmp_path / "here") == []
    recent.remember(tmp_path, tmp_path / "gone")
    assert (tmp_path / recent.FILE).stat().st_mode & 0o777 == 0o600
    assert recent.workspaces(tmp_path, tmp_path / "here") == []
    recent.remember(None, tmp_path)


def test_nothing_is_remembered_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    recent.remember(tmp_path / "file" / "state", tmp_path)


async def test_without_a_workspace_there_is_no_bench(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "Go to Report" not in {command.title for command in app.get_system_commands(app.screen)}
        await press(pilot, "question_mark")
        assert "Keys on the way to the first label" in text_of(app)
        await press(pilot, "escape", "q")
    assert app.summaries == [] and AdjudicateError is not None
