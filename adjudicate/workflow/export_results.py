"""Writes an export: refuses what would overwrite or cannot be narrowed, and leaves whole files or none.

What there is to write is the table in `exports`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats.writers import write_file, write_whole
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_place import refuse_overwrite, refuse_place
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.exports import EXPORTS, Content, Export
from adjudicate.workflow.yes_or_no import questions


def export(
    store: SqliteStore, name: str, folder: Path, options: ExportOptions, *, out: Path | None = None, force: bool = False
) -> list[Path]:
    """Write one export; the files written.

    Args:
        store: An open store.
        name: A name of `EXPORTS`.
        folder: The workspace's exports, where files go under their own names.
        options: What to include.
        out: A file (for a single one) or a folder to write to instead.
        force: Replace files outside the exports, too; never the workspace's own.

    Raises:
        UsageError: The name or model is unknown, several files were asked into one, or a file would be lost.
        InputError: The place cannot be written.
    """
    files = _files(store, name, options)
    if out is not None and out.suffix and not out.is_dir():
        if len(files) > 1:
            raise UsageError(
                f"{name} is {len(files)} files: give a folder with --out; where there is one a model, --model chooses it"
            )
        paths = [out]
    else:
        paths = [(out or folder) / file_name for file_name, _ in files]
    for path in paths:
        _refuse_source(path, options.source)
        refuse_place(path, folder)
        if out is not None:
            refuse_overwrite(path, folder, force=force)
    if out is None or paths != [out]:
        _make(out or folder)
    for path, (_, content) in zip(paths, files, strict=True):
        if callable(content):
            write_file(path, content)
        else:
            write_whole(path, content)
    return paths


def pieces(store: SqliteStore, name: str, options: ExportOptions) -> Iterable[str]:
    """The text of an export that is a single file of text, for standard output.

    Raises:
        UsageError: As for `export`; or it is several files, or no text.
    """
    files = _files(store, name, options)
    content = files[0][1]
    if len(files) > 1 or callable(content):
        raise UsageError(f"--out -: {name} is {f'{len(files)} files' if len(files) > 1 else 'no text'}; name a file or folder")
    return content


def _files(store: SqliteStore, name: str, options: ExportOptions) -> list[tuple[str, Content]]:
    kind = next((each for each in EXPORTS if each.name == name), None)
    if kind is None:
        raise UsageError(f"there is no export {name!r}; there is {', '.join(each.name for each in EXPORTS)}")
    _check(store, kind, options)
    files = list(kind.files(store, options))
    if not files:
        raise UsageError(f"{name}: the workspace has nothing of this kind to export")
    return files


def _refuse_source(path: Path, source: Path | None) -> None:
    """A log is the evidence: not even --force writes over it."""
    if source is not None and path.exists() and path.samefile(source):
        raise UsageError(f"--out {visible_line(str(path))}: that is the log itself, which stays as it is; name a new file")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"--out: the folder cannot be made ({error.strerror})") from error


def _check(store: SqliteStore, kind: Export, options: ExportOptions) -> None:
    """Refuse to narrow what speaks for everything, or to a model that is not there."""
    if kind.whole and (options.model is not None or options.run is not None):
        raise UsageError(f"{kind.name} speaks for the whole workspace: leave out --model and --run")
    models = list(store.models())
    if options.model is not None and options.model not in models:
        known = ", ".join(map(visible_line, models)) or "none"
        raise UsageError(f"--model {visible_line(options.model)}: there is no such model; there is {known}")
    if kind.needs_source and options.source is None:
        raise UsageError(f"{kind.name}: name the log with --source LOG; it stays as it is, and a new one is written")
    if options.source is not None and not (kind.needs_source or kind.takes_source):
        raise UsageError(f"--source: {kind.name} is made from the workspace alone; leave it out")
    if kind.needs_rate != (options.rate is not None):
        raise UsageError(
            f"{kind.name}: say with --rate which rate or outcome counts as yes: {questions(store.policy())}"
            if kind.needs_rate
            else f"--rate: {kind.name} asks no yes or no; leave it out"
        )
