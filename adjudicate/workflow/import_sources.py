"""Which files an import reads, and which format reads each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.found_files import SUFFIXES, FoundFile, files_of, may_be_log
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.packed_file import open_any, plain_suffix
from adjudicate.formats.readers import NotRecognised, Reader, reader_named, recognised
from adjudicate.formats.text_file import SourceFile
from adjudicate.workflow.import_report import no_log, rejection

NO_LOG = "not a log that is known; name the file itself to have it read"
PLAIN_TABLE = "a plain table beside logs of a known kind: name it to have it read"

Progress = Callable[[str, int], None]
"""Called with the file (safe to print) and the rows read of it so far: 0 when it is opened."""


@dataclass(frozen=True, slots=True)
class ChosenSources:
    """The files to read."""

    by_reader: Mapping[Reader, Sequence[SourceFile]]
    left_out: tuple[str, ...] = ()
    """Files that only stood in a folder and are no logs, each with the reason."""
    unstated: frozenset[Path] = frozenset()
    """Files that no command named: those that a folder or pattern stands for."""


def chosen_sources(
    paths: Sequence[Path], options: ImportOptions, scratch: Path, progress: Progress | None = None
) -> ChosenSources:
    """Find, open and recognise the files of a command.

    Args:
        paths: As named: files, folders, patterns, ``-``.
        options: Their encoding and format.
        scratch: A folder of one's own for what has to be unpacked.
        progress: Told of each file that is opened: unpacking it may take long.

    Raises:
        ImportRejected: A file cannot be opened or is of no known format; says so of each.
    """
    found: dict[Path, FoundFile] = {}
    opened, reasons, left_out = [], [], []
    for path in paths:
        try:
            for each in files_of(path):
                found[each.path] = each if each.stated else found.get(each.path, each)
        except InputError as error:
            reasons.append(str(error))
    for each in found.values():
        if progress is not None:
            progress(visible_line(str(each.path)), 0)
        if not each.stated and not may_be_log(each.path):
            left_out.append(f"{visible_line(str(each.path))}: {NO_LOG}")
            continue
        try:
            opened.append((each, open_any(each.path, options.encoding, scratch)))
        except InputError as error:
            (reasons if each.stated else left_out).append(str(error))
    if reasons:
        raise rejection(reasons, ())
    try:
        return _sorted([(each, source, _reader(each, source, options)) for each, source in opened], left_out)
    except InputError as error:
        raise rejection([str(error)], ()) from None


def _reader(each: FoundFile, source: SourceFile, options: ImportOptions) -> Reader | str:
    """The format that reads a file, or why one that nobody named is left out."""
    if options.format is not None:
        reader = reader_named(options.format)
        return reader if each.stated or reader.detect(source) else f"{source.shown}: {NO_LOG}"
    if each.stated:
        return recognised(source)
    try:
        found = recognised(source)
    except NotRecognised:
        return f"{source.shown}: {NO_LOG}"
    except InputError as error:
        return str(error)
    # Any text may look like a table of some sort; one that nobody named has to be called like one.
    return found if not found.general or plain_suffix(each.path) in SUFFIXES else f"{source.shown}: {NO_LOG}"


def _sorted(files: Sequence[tuple[FoundFile, SourceFile, Reader | str]], unopened: Sequence[str]) -> ChosenSources:
    """Files by reader. Where a folder holds logs of a known kind, tables beside them are most likely something else."""
    known = any(isinstance(reader, Reader) and not reader.general for each, _, reader in files if not each.stated)
    by_reader: dict[Reader, list[SourceFile]] = {}
    left_out = list(unopened)
    for each, source, reader in files:
        if isinstance(reader, str):
            left_out.append(reader)
        elif known and not each.stated and reader.general:
            left_out.append(f"{source.shown}: {PLAIN_TABLE}")
        else:
            by_reader.setdefault(reader, []).append(source)
    if not by_reader:
        raise InputError("\n".join(no_log(left_out)))
    return ChosenSources(by_reader, tuple(left_out), frozenset(each.path for each, _, _ in files if not each.stated))
