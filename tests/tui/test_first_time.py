"""From an empty folder to the first label, by keys: what is stored is asserted, and that nothing is before the last step."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adjudicate.errors import InputError
from adjudicate.settings import WorkspacePaths, make_workspace, shipped_policies
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.first.workspace import NewWorkspace, _here
from adjudicate.tui.screens.first_time import FirstTimeScreen
from adjudicate.tui.widgets.path_line import PathLine
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.policy_book import policy_from_file
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, clean, driven, press, settled, text_of, until_shown
from tests.tui.first_time import CLOCK, first_screen, go_on, knives, names_in, opened, plain, started, write_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "audit"
    made.mkdir()
    return made


async def test_a_log_in_the_usual_words_needs_nothing_but_enter(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        assert "log.csv" in text_of(app) and "Nothing is stored" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "12 rows, 12 accepted" in text_of(app) and "it can be imported so" in text_of(app)
        assert names_in(folder) == ["log.csv"]
        await press(pilot, "enter")
        await settled(app, pilot)
        # Its verdicts are outcomes of this one of the shipped policies, and of no other.
        assert "▸ ✓ xstest" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "12 of 12" in text_of(app) and "adjudicate draw --n 12 --annotators ann" in text_of(app)
        assert not WorkspacePaths(folder).settings.exists()
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "item 1 of 12" in text_of(app)
        await press(pilot, "1", "q")
        await settled(app, pilot)
        assert "Next step" in text_of(app) and "xstest" in text_of(app)
        await press(pilot, "q")
    assert app.return_code == 0
    assert names_in(folder) == ["adjudicate.toml", "db", "exports", "log.csv", "policies"]
    assert names_in(folder / "policies") == ["xstest.md"]
    store = opened(folder)
    (draw,) = store.draws()
    assert draw.settings["n"] == 12 and draw.settings["annotators"] == ["ann"] and draw.settings["overlap"] == 1
    assert [event.outcome for event in store.chain(store.annotator("ann").id)] == ["full_compliance"]
    store.close()


async def test_a_row_that_cannot_be_read_is_named_before_anything_is_stored(folder: Path) -> None:
    (folder / "log.jsonl").write_text(
        '{"prompt": "How?", "response": "So.", "intent": "benign", "verdict": "full_compliance"}\n{broken\n', encoding="utf-8"
    )
    async with started(folder) as (app, pilot):
        await press(pilot, "enter")
        await settled(app, pilot)
        shown = " ".join(text_of(app).split())
        assert "1 skipped" in shown and "! log.jsonl: line 2: not JSON" in shown


async def test_all_that_a_log_does_not_say_is_answered_by_digits(folder: Path) -> None:
    write_table(folder / "log.csv", knives())
    async with started(folder) as (app, pilot):
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "the response" in text_of(app) and "2 open" in text_of(app)
        # Columns in the order of the file: question, target_response, judged, kind.
        await press(pilot, "2", "1")
        await settled(app, pilot)
        assert "intent of the prompts (12)" in text_of(app)
        # benign, harmful, dual_use, then the columns that nothing was taken from: judged, kind.
        await press(pilot, "5")
        await settled(app, pilot)
        assert "no verdicts were found" in text_of(app)
        await press(pilot, "1")
        await settled(app, pilot)
        assert "'C' · verdicts of judge (9)" in text_of(app) and "'R' · verdicts of judge (3)" in text_of(app)
        # The digits of the outcomes are those of the policy while labelling: full compliance, flat refusal.
        await press(pilot, "1", "5")
        await settled(app, pilot)
        assert "it can be imported so" in text_of(app)
        plan = first_screen(app).plan
        assert plan.stated["map"] == {"response": "target_response", "prompt": "question", "intent": "kind", "verdict": "judged"}
        assert plan.stated["outcome"] == {"C": "full_compliance", "R": "flat_refusal"}
        assert "--map verdict=judged" in " ".join(plan.commands(2))
        await press(pilot, "x")
        assert plan.stated["outcome"] == {"C": "full_compliance"}
        await press(pilot, "0")
        await settled(app, pilot)
        assert plan.stated["outcome"]["R"] == "judge_failed"
        await go_on(app, pilot, 3)
        await press(pilot, "q", "q")
    store = opened(folder)
    assert {(judge.verdicts, judge.failed) for judge in store.judges()} == {(12, 3)}
    store.close()


async def test_another_policy_asks_again_where_it_lacks_an_outcome(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 2)
        await press(pilot, "g", "enter")
        await settled(app, pilot)
        assert "asked for under the policy refusal-boundary" in text_of(app) and "'full_refusal' ·" in text_of(app)
        await press(pilot, "5")
        await settled(app, pilot)
        await go_on(app, pilot, 2)
        assert "4 sample" in text_of(app) and names_in(folder)[0].startswith(".adjudicate-")
        await press(pilot, "enter")
        await settled(app, pilot)
        assert app.bench.policy.id == "refusal-boundary"


async def test_escape_goes_back_step_by_step_and_leaves_nothing(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 3)
        titles = []
        for _ in range(4):
            titles.append(first_screen(app).step.title)
            await press(pilot, "escape")
            await settled(app, pilot)
            assert names_in(folder) == ["log.csv"]
        assert titles == ["sample", "policy", "what was read", "log"]
        assert "this is the first step" in text_of(app)
        await press(pilot, "q")
    assert app.return_code == 0 and names_in(folder) == ["log.csv"]


async def test_who_quits_at_the_last_step_leaves_nothing(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 3)
        assert len(names_in(folder)) == 2
        await press(pilot, "q")
    assert names_in(folder) == ["log.csv"]


async def test_the_sample_is_what_was_chosen_and_typed(folder: Path) -> None:
    write_table(folder / "log.csv", plain(80))
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 3)
        plan = first_screen(app).plan
        await press(pilot, "1")
        assert plan.n == 50
        await press(pilot, "e", *["backspace"] * 2, "9", "9", "enter")
        assert "whole number from 1 to 80" in text_of(app) and plan.n == 50
        await press(pilot, *["backspace"] * 2, "4", "0", "enter")
        assert plan.n == 40
        await press(pilot, "j", "5")
        await settled(app, pilot)
        assert plan.by == ("population",)
        await press(pilot, "j", "3")
        assert (plan.people, plan.overlap) == ((), 2)
        await press(pilot, "e", *"ann", "comma", *"bo", "enter")
        assert (plan.people, plan.overlap) == (("ann", "bo"), 2)
        await press(pilot, "enter")
        await settled(app, pilot)
        await press(pilot, "q", "q")
    store = opened(folder)
    (draw,) = store.draws()
    assert draw.settings["by"] == ["population"] and draw.settings["annotators"] == ["ann", "bo"]
    assert sorted(stratum.name for stratum in draw.strata) == ["benign", "harmful"]
    assert sum(stratum.drawn for stratum in draw.strata) == 40
    store.close()


async def test_several_files_are_one_log_once_they_are_marked(folder: Path) -> None:
    write_table(folder / "a.csv", plain()[:6])
    write_table(folder / "b.csv", plain()[6:])
    async with started(folder) as (app, pilot):
        await press(pilot, "space", "space", "enter")
        await settled(app, pilot)
        assert [path.name for path in first_screen(app).plan.paths] == ["a.csv", "b.csv"]
        assert text_of(app).count("6 accepted") == 2


async def test_a_path_is_typed_and_completed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    log = write_table(tmp_path / "elsewhere" / "knives.csv", plain())
    async with started(folder) as (app, pilot):
        assert "No log was found" in text_of(app) and "adjudicate demo" in text_of(app)
        await press(pilot, "enter")
        assert "no log is chosen" in text_of(app)
        await press(pilot, "e", *"nothing", "enter")
        assert "there is no such file" in text_of(app)
        await press(pilot, *["backspace"] * 7, "full_stop", "full_stop", "slash", "e", "tab", "k", "tab")
        assert app.screen.query_one(PathLine).value == "../elsewhere/knives.csv"
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "knives.csv" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert [path.resolve() for path in first_screen(app).plan.paths] == [log]
        assert "12 accepted" in text_of(app)


async def test_flags_say_all_that_the_command_line_can(folder: Path) -> None:
    write_table(folder / "log.csv", knives())
    async with started(folder) as (app, pilot):
        await press(pilot, "f")
        assert "flags belong to what was read" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        await press(pilot, "f")
        line = app.screen.query_one(PathLine)
        line.value = "--mop a=b"
        await press(pilot, "enter")
        assert "expected one of --map" in text_of(app) and line.display
        line.value = "--map prompt=question --map response=target_response --set intent=benign"
        await press(pilot, "enter")
        await settled(app, pilot)
        assert not line.display and first_screen(app).plan.stated["set"] == {"intent": "benign"}
        assert "12 accepted" in text_of(app)


@pytest.mark.parametrize(("content", "told"), [(b"", "no log here"), (b"\x7fELF\x00\x01", "no log here")])
async def test_what_is_no_log_is_not_offered(folder: Path, content: bytes, told: str) -> None:
    (folder / "odd.csv").write_bytes(content)
    async with started(folder) as (app, pilot):
        assert told in text_of(app)
        await press(pilot, "e", *"odd", "full_stop", *"csv", "enter", "enter")
        await settled(app, pilot)
        assert "it cannot be imported so" in text_of(app) and "odd.csv" in text_of(app)
        assert "f types flags that say how to read it" in " ".join(text_of(app).replace("│", "").split())
        await press(pilot, "enter")
        await settled(app, pilot)
        assert first_screen(app).step.title == "what was read"


async def test_escape_stops_work_that_is_under_way(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        screen = first_screen(app)

        # As a look does at every thousandth row: it is stopped when it tells how far it is.
        def long() -> None:
            while True:
                screen._work.progress("log.csv", 1000)

        screen._work.begin("reading", long, lambda _: None)
        await press(pilot, "enter")
        await until_shown(app, pilot, "esc stops")
        await press(pilot, "escape")
        await settled(app, pilot)
        assert "stopped: nothing was stored" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "12 accepted" in text_of(app)


async def test_a_folder_that_cannot_be_written_is_said_and_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(folder / "log.csv", plain())

    real = tempfile.mkdtemp

    def refuse(*, dir: Path | None = None, **how: Any) -> str:
        if dir == folder:
            raise PermissionError(13, "Permission denied")
        return real(dir=dir, **how)

    # Tests may run as root, whom no permission stops.
    monkeypatch.setattr("adjudicate.tui.first.workspace.tempfile", SimpleNamespace(mkdtemp=refuse))
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 3)
        assert "nothing can be written here" in text_of(app) and first_screen(app).step.title == "policy"
    assert names_in(folder) == ["log.csv"]


async def test_in_a_narrow_window_the_choices_stand_in_the_list(folder: Path) -> None:
    write_table(folder / "log.csv", knives())
    async with started(folder, NARROW) as (app, pilot):
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "1 question  2 target_response  3 judged  4 kind" in text_of(app)
        await press(pilot, "tab")
        assert "What was recognised" in text_of(app)


async def test_in_a_narrow_window_an_empty_folder_says_how_to_go_on(tmp_path: Path) -> None:
    async with started(tmp_path, NARROW) as (app, _):
        assert "no log here" in text_of(app) and "adjudicate demo" in text_of(app)


async def test_hostile_names_and_texts_do_nothing(folder: Path) -> None:
    bad = "\x1b]0;X\x07[red]\u202e"
    rows = [{**row, "prompt": bad, "response": f"{bad}{number}"} for number, row in enumerate(plain())]
    write_table(folder / f"a{bad}.csv".replace("/", ""), rows)
    async with started(folder) as (app, pilot):
        for step in range(4):
            assert clean(text_of(app)) and ("[red]" in text_of(app) or step > 1)
            await go_on(app, pilot)
        assert "item 1 of 12" in text_of(app)


async def test_home_leads_a_workspace_without_a_log_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "audit"
    paths = make_workspace(folder, "audit")
    store = SqliteStore.open(paths.database, create=True)
    store.put_policy(policy_from_file(shipped_policies()["xstest"]), CLOCK.now())
    store.close()
    write_table(folder / "log.csv", plain())
    monkeypatch.chdir(folder)
    app = AdjudicateApp(paths.database, "audit", "ann", CLOCK, "home")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "Import a log" in text_of(app) and "press a" in text_of(app)
        await press(pilot, "a")
        await settled(app, pilot)
        await press(pilot, "enter")
        await settled(app, pilot)
        # The policy is in force already: reading goes straight on to the sample.
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "12 of 12" in text_of(app)
        await press(pilot, "escape")
        await settled(app, pilot)
        assert "Draw the sample" in text_of(app) and "press d" in text_of(app)
        await press(pilot, "d")
        await settled(app, pilot)
        assert "12 of 12" in text_of(app)
        await press(pilot, "enter")
        await settled(app, pilot)
        assert "item 1 of 12" in text_of(app)
        await press(pilot, "q", "d")
        await settled(app, pilot)
        assert "no item is free to draw" in text_of(app)
        await press(pilot, "escape")
        assert "Next step" in text_of(app)


async def test_nothing_of_another_workspace_is_overwritten(folder: Path) -> None:
    log = write_table(folder / "log.csv", plain())
    (folder / "policies").mkdir()
    (folder / "policies" / "xstest.md").write_text("mine", encoding="utf-8")
    target = NewWorkspace(folder, CLOCK.now)
    policy = policy_from_file(shipped_policies()["xstest"])
    target.read_in([log], {}, policy, lambda _file, _rows: None)
    with pytest.raises(InputError, match=r"xstest\.md is there already"):
        target.draw(DrawSettings(n=4, annotators=("ann",)))
    target.give_up()
    assert names_in(folder) == ["log.csv", "policies"]
    assert (folder / "policies" / "xstest.md").read_text(encoding="utf-8") == "mine"


def test_the_screen_gives_up_what_a_thread_still_makes(folder: Path, workspace: MakeWorkspace) -> None:
    """Whoever is gone when the work ends has it take back what it made."""
    del workspace
    log = write_table(folder / "log.csv", plain())
    target = NewWorkspace(folder, CLOCK.now)
    screen = FirstTimeScreen(target, folder, "audit", "ann", CLOCK)
    policy = policy_from_file(shipped_policies()["xstest"])
    screen._work.words = "reading the log in"
    screen._work.leave()
    target.read_in([log], {}, policy, lambda _file, _rows: None)
    screen._work._run(lambda: None, lambda _: None)
    assert names_in(folder) == ["log.csv"]
    shutil.rmtree(folder)


async def test_a_folder_that_cannot_be_read_says_so_and_takes_a_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folder: Path) -> list[Any]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("adjudicate.tui.first.turns.logs_in", refuse)
    log = write_table(tmp_path / "log.csv", plain())
    async with started(folder) as (app, pilot):
        assert "this folder cannot be read (Permission denied)" in text_of(app)
        await press(pilot, "e")
        app.screen.query_one(PathLine).value = str(log)
        await press(pilot, "enter", "enter")
        await settled(app, pilot)
        assert "12 accepted" in text_of(app)


async def test_keys_that_do_nothing_in_a_step_say_so(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        await press(pilot, "1")
        assert "1 stands for nothing in this row" in text_of(app)
        await press(pilot, "x")
        assert "step 2" in text_of(app)
        await go_on(app, pilot)
        await press(pilot, "space")
        assert "step 1" in text_of(app)


async def test_an_outcome_and_a_value_for_all_rows_can_be_typed(folder: Path) -> None:
    rows = [{name: row[name] for name in ("question", "target_response", "judged")} for row in knives()]
    write_table(folder / "log.csv", rows)
    async with started(folder) as (app, pilot):
        await go_on(app, pilot)
        line, plan = app.screen.query_one(PathLine), first_screen(app).plan
        for text in ("target_response", "question", "=benign", "judged"):
            await press(pilot, "e")
            line.value = text
            await press(pilot, "enter")
            await settled(app, pilot)
        assert plan.stated["set"] == {"intent": "benign"} and plan.stated["map"]["verdict"] == "judged"
        await press(pilot, "e")
        line.value = "no such outcome"
        await press(pilot, "enter")
        assert "the policy has" in text_of(app) and plan.stated.get("outcome", {}) == {}
        line.value = "full_compliance"
        await press(pilot, "enter")
        assert plan.stated["outcome"] == {"C": "full_compliance"}


async def test_a_policy_of_ones_own_can_be_typed(folder: Path) -> None:
    write_table(folder / "log.csv", plain())
    text = shipped_policies()["xstest"].read_text(encoding="utf-8")
    (folder / "own.md").write_text(text.replace("id: xstest", "id: ours", 1), encoding="utf-8")
    (folder / "broken.md").write_text("no policy", encoding="utf-8")
    async with started(folder) as (app, pilot):
        await go_on(app, pilot, 2)
        line = app.screen.query_one(PathLine)
        await press(pilot, "e")
        line.value = "broken.md"
        await press(pilot, "enter")
        assert "That cannot be done" in text_of(app)
        line.value = "own.md"
        await press(pilot, "enter", "g")
        assert "own.md" in text_of(app)
        # Read again under it, then read in.
        await go_on(app, pilot)
        assert first_screen(app).step.title == "sample"
        await go_on(app, pilot)
        assert app.bench.policy.id == "ours"
    assert names_in(folder / "policies") == ["ours.md"]


async def test_classes_that_another_policy_knows_lead_to_the_policies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large log is read under one policy only: Enter goes on to the others, and comes back where they do not help."""
    monkeypatch.setattr("adjudicate.tui.first.turns.TRIED_BYTES", 10)
    write_table(folder / "log.csv", plain())
    async with started(folder) as (app, pilot):
        await go_on(app, pilot)
        assert "1 open" in text_of(app)
        await go_on(app, pilot)
        assert first_screen(app).step.title == "policy" and "another policy may have one" in text_of(app)
        await go_on(app, pilot)
        assert first_screen(app).step.title == "what was read" and "1 open" in text_of(app)
        await go_on(app, pilot)
        await press(pilot, "G")
        await go_on(app, pilot)
        assert first_screen(app).step.title == "sample" and first_screen(app).plan.policy_name == "xstest"


def test_what_a_killed_process_had_begun_is_cleared_away_and_nothing_else(folder: Path) -> None:
    log = write_table(folder / "log.csv", plain())
    # A process that has ended, and one that runs: this test itself.
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = [folder / f".adjudicate-{_here(os.getppid())}-abc.part", folder / ".adjudicate-elsewhere-1-abc.part"]
    gone = folder / f".adjudicate-{_here(ended.pid)}-abc.part"
    for path in (*kept, gone):
        path.mkdir()
    target = NewWorkspace(folder, CLOCK.now)
    target.read_in([log], {}, policy_from_file(shipped_policies()["xstest"]), lambda _file, _rows: None)
    target.give_up()
    assert names_in(folder) == sorted([*(path.name for path in kept), "log.csv"])
