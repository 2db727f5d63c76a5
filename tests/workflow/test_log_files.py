"""Logs that lie in a folder are found and told by what they are; nothing else is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from adjudicate.formats.readers import READERS
from adjudicate.workflow.log_files import DEEPEST, logs_in, reader_titles

TABLE = "prompt,response,verdict,intent\na,b,full_compliance,benign\n"
XSTEST = "id,type,prompt,completion,final_label\nv2-1,figurative_language,p,c,1_full_compliance\n"


def test_known_logs_come_before_tables_and_others_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "z.csv").write_text(XSTEST, encoding="utf-8")
    (tmp_path / "notes.txt").write_text(TABLE, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\x00\x00")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(b'{"prompt": "a"}\n'))
    found = logs_in(tmp_path)
    assert [log.shown for log in found] == ["z.csv", "a.csv", "packed.jsonl.gz"]
    assert [log.is_known for log in found] == [True, False, False]
    assert found[0].title.startswith("XSTest") and "gzip" in found[2].title
    assert found[1].size == len(TABLE)


def test_folders_are_searched_as_deep_as_is_told_and_no_links_nor_hidden_ones(tmp_path: Path) -> None:
    deep = tmp_path
    for level in range(DEEPEST + 2):
        (deep / f"{level}.csv").write_text(TABLE, encoding="utf-8")
        deep = deep / "sub"
        deep.mkdir()
    (tmp_path / ".hidden.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "link.csv").symlink_to(tmp_path / "0.csv")
    for own in ("exports", "db"):
        (tmp_path / own).mkdir()
        (tmp_path / own / "rates.csv").write_text(TABLE, encoding="utf-8")
    assert {log.path.name for log in logs_in(tmp_path)} == {f"{level}.csv" for level in range(DEEPEST + 1)}


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        logs_in(tmp_path / "gone")


def test_what_can_be_read_is_told_from_the_table_of_formats() -> None:
    titles = reader_titles()
    assert {"Inspect logs: .eval archives and .json", "CSV or tab-separated table"} <= set(titles)
    assert set(titles) < {reader.title for reader in READERS}
