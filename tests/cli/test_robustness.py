"""What the command line does where something is missing, in the way, full, hostile or not allowed."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from pathlib import Path

import pytest

from adjudicate.cli import demo as demo_module
from adjudicate.cli import main
from adjudicate.cli import workspace as workspace_module
from adjudicate.cli.output import counted, echo_table, has_terminal, talk
from adjudicate.core.person_names import annotator_name
from adjudicate.errors import AdjudicateError, InputError
from tests.cli.running import COMMAND, finished

ROW = {"id": "1", "prompt": "p", "response": "r", "intent": "benign", "verdict": "full_refusal"}
ESCAPE = "\x1b[31m"


def run(*arguments: str | Path, code: int, cwd: Path | None = None) -> str:
    """What a command says on both streams; never a traceback, a bug or a raw control character."""
    done = finished(*arguments, cwd=cwd)
    said = done.out + done.err
    assert done.code == code, said
    assert "\x1b" not in said
    return said


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A workspace with one item, whose judge has a hostile name."""
    (tmp_path / "log.jsonl").write_text(json.dumps({**ROW, "judge": f"j{ESCAPE}"}) + "\n", encoding="utf-8")
    run("init", tmp_path / "w", "--policy", "xstest", code=0)
    run("-w", tmp_path / "w", "import", tmp_path / "log.jsonl", code=0)
    return tmp_path / "w"


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_control_characters_of_a_name_never_reach_the_terminal(made: Path) -> None:
    assert "j␛[31m" in run("-w", made, "draw", "--n", "1", code=0)
    for command in (["status"], ["report"], ["draw", "--n", "1", "--judge", f"x{ESCAPE}", "--new"], [f"x{ESCAPE}"]):
        run("-w", made, *command, code=0 if len(command) == 1 and command[0] in ("status", "report") else 2)
    (made / "adjudicate.toml").write_text('name = "a\\u001b[31mb"', encoding="utf-8")
    assert "a␛[31mb" in run("-w", made, "status", code=0)


def test_messages_and_tables_show_stand_ins_and_keep_lines(capsys: pytest.CaptureFixture[str]) -> None:
    talk(f"one{ESCAPE}\ntwo ␛[31m")
    echo_table(f"t{ESCAPE}", [f"h{ESCAPE}"], [[f"c{ESCAPE}"]])
    said = capsys.readouterr()
    assert said.err == "one␛[31m\ntwo ␛[31m\n"
    assert "\x1b" not in said.out
    assert [each in said.out for each in ("t␛[31m", "h␛[31m", "c␛[31m")] == [True] * 3


def test_an_error_shows_stand_ins(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise AdjudicateError(f"bad{ESCAPE}\nnext")

    monkeypatch.setattr("adjudicate.cli.cli.main", fail)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert (ended.value.code, capsys.readouterr().err) == (1, "Failed: bad␛[31m\nnext\n")


def test_a_database_that_is_gone_is_told_and_not_replaced(made: Path) -> None:
    for path in (made / "db").iterdir():
        path.unlink()
    for command in ("status", "report", "check"):
        assert "is gone" in run("-w", made, command, code=1)
    assert list((made / "db").iterdir()) == []


def test_a_folder_that_is_no_workspace_is_bad_input(tmp_path: Path) -> None:
    assert "not a workspace" in run("-w", tmp_path / "nowhere", "status", code=2)
    assert everything(tmp_path) == []


@pytest.mark.parametrize("folder", ["", " "], ids=repr)
def test_init_needs_a_folder(tmp_path: Path, folder: str) -> None:
    assert "FOLDER is empty" in run("init", folder, code=2, cwd=tmp_path)
    assert everything(tmp_path) == []


def test_init_that_fails_leaves_nothing_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspace_module, "write_private", full)
    with pytest.raises(InputError, match="No space left"):
        workspace_module.create(tmp_path / "a" / "b", policy="xstest", name="b")
    assert everything(tmp_path) == []
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "policies").mkdir()
    (tmp_path / "mine" / "policies" / "own.md").touch()
    before = everything(tmp_path)
    with pytest.raises(InputError, match="No space left"):
        workspace_module.create(tmp_path / "mine", policy="xstest", name="b")
    assert everything(tmp_path) == before


def test_a_second_init_leaves_the_workspace_alone(made: Path) -> None:
    before = everything(made)
    assert "workspace already" in run("init", made, code=2)
    assert everything(made) == before


@pytest.mark.parametrize("command", [["init"], ["demo", "--folder"]], ids=lambda command: command[0])
def test_a_file_as_parent_and_a_folder_that_takes_nothing_are_bad_input(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "x", Path("/proc/nothing/x")):
        assert "cannot be made" in run(*command, folder, code=2)
    assert everything(tmp_path) == [tmp_path / "file"]


def test_settings_and_policy_are_for_their_owner_alone(made: Path) -> None:
    for path in (made / "adjudicate.toml", made / "policies" / "xstest.md"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "settings",
    ["[import]\nx = 5", '[keys]\n"label.skip" = 5', "import = 5", "keys = 5"],
    ids=repr,
)
def test_settings_of_a_wrong_kind_are_bad_input(made: Path, settings: str) -> None:
    (made / "adjudicate.toml").write_text(settings, encoding="utf-8")
    run("-w", made, "status", code=2)


@pytest.mark.parametrize("table", ["format = 5", "encoding = 5", "map = 5"])
def test_a_saved_mapping_of_a_wrong_kind_is_bad_input(made: Path, table: str) -> None:
    (made / "adjudicate.toml").write_text(f"[import.own]\n{table}\n", encoding="utf-8")
    run("-w", made, "import", "--format", "own", made.parent / "log.jsonl", code=2)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_wrong_encoding_is_bad_input(made: Path, encoding: str) -> None:
    assert f"not {encoding}" in run("-w", made, "import", "--encoding", encoding, made.parent / "log.jsonl", code=2)


@pytest.mark.parametrize("arguments", [["status"], ["status", "--json"], ["report"], ["check"]], ids=" ".join)
def test_a_full_disk_behind_the_output_is_told_in_a_line(made: Path, arguments: list[str]) -> None:
    command = [*COMMAND, "-w", str(made), *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("Failed: ") and "No space left" in done.stderr
        assert "bug" not in done.stderr and "Exception" not in done.stderr
        assert subprocess.run(command, stdout=full, stderr=full, timeout=120, check=False).returncode == 1


def test_an_export_onto_what_cannot_be_written_is_bad_input(made: Path) -> None:
    assert "cannot be written" in run("-w", made, "export", "gold.csv", "--out", "/proc/gold.csv", code=2)


@pytest.mark.parametrize("name", ["", "  ", "\t", "a\nb", f"a{ESCAPE}", "a\u202eb", "x" * 101], ids=repr)
def test_a_name_that_cannot_be_told_apart_or_shown_is_refused(made: Path, name: str) -> None:
    with pytest.raises(InputError):
        annotator_name(name)
    if name:
        run("-w", made, "draw", "--n", "1", "--annotators", f"ann,{name}", code=2)


def test_a_name_loses_the_blanks_around_it() -> None:
    assert [annotator_name(name) for name in (" ann ", "Ann Lee", "李雷", "x" * 100)] == ["ann", "Ann Lee", "李雷", "x" * 100]


def test_the_policy_in_force_as_json(made: Path) -> None:
    shown = json.loads(run("-w", made, "policy", "show", "--json", code=0))
    assert shown["id"] == "xstest" and len(shown["fingerprint"]) == 64
    assert [outcome["id"] for outcome in shown["outcomes"]] == ["full_compliance", "full_refusal", "partial_refusal"]


def test_one_is_not_counted_as_many() -> None:
    assert [counted(number, "item") for number in (0, 1, 2)] == ["0 items", "1 item", "2 items"]


def test_screens_need_a_terminal_on_all_three_streams(made: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "-w", str(made), "label"]
    done = subprocess.run(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2 and "needs a terminal" in done.stderr
    assert not has_terminal()


def test_the_demo_refuses_the_folder_you_are_in_and_those_above(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    before = everything(tmp_path)
    for folder in (".", "", inner, "../b"):
        assert "the folder you are in" in run("demo", "--folder", folder, code=2, cwd=inner)
    for folder in ("..", "../..", "/"):
        assert "you are inside" in run("demo", "--folder", folder, "--reset", code=2, cwd=inner)
    assert everything(tmp_path) == before


def test_a_reset_never_removes_the_demo_you_are_in(tmp_path: Path) -> None:
    run("demo", "--folder", tmp_path / "d", code=0)
    before = everything(tmp_path)
    assert "you are inside" in run("demo", "--folder", tmp_path / "d", "--reset", code=2, cwd=tmp_path / "d" / "db")
    assert everything(tmp_path) == before
    (tmp_path / "d" / "exports" / "mine").touch()
    run("demo", "--folder", tmp_path / "d", "--reset", code=0)
    assert everything(tmp_path) == before


def test_the_demo_follows_no_link_and_removes_nothing_of_others(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "work").touch()
    (tmp_path / "link").symlink_to("other")
    (tmp_path / ".d.part").mkdir()
    (tmp_path / ".d.part" / "work").touch()
    before = everything(tmp_path)
    assert "is a link" in run("demo", "--folder", tmp_path / "link", "--reset", code=2)
    assert "not made by the demo" in run("demo", "--folder", tmp_path / "other", "--reset", code=2)
    assert "not made by the demo" in run("demo", "--folder", tmp_path / "other", code=2)
    run("demo", "--folder", tmp_path / "d", code=0)
    assert [path for path in everything(tmp_path) if (tmp_path / "d") not in (path, *path.parents)] == before


def test_a_demo_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(demo_module, "_fill", full)
    with pytest.raises(InputError, match="No space left"):
        demo_module.prepare(tmp_path / "d")
    assert everything(tmp_path) == []
