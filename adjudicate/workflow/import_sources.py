"""Which files an import reads, and which format reads each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.found_files import FoundFile, files_of
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.packed_file import open_any
from adjudicate.formats.readers import Reader, reader_named, recognised
from adjudicate.formats.text_file import SourceFile
from adjudicate.workflow.import_report import rejection

NO_LOG = "not a log that is known; name the file itself to have it read"

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

    def without(self, source: SourceFile, reason: str) -> ChosenSources:
        """The same without a file that turned out to hold nothing."""
        kept = {reader: [each for each in files if each is not source] for reader, files in self.by_reader.items()}
        return replace(
            self, by_reader={reader: files for reader, files in kept.items() if files}, left_out=(*self.left_out, reason)
        )


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
    opened, reasons = [], []
    for path in paths:
        try:
            for each in files_of(path):
                found[each.path] = each if each.stated else found.get(each.path, each)
        except InputError as error:
            reasons.append(str(error))
    for each in found.values():
        if progress is not None:
            progress(visible_line(str(each.path)), 0)
        try:
            opened.append((each, open_any(each.path, options.encoding, scratch)))
        except InputError as error:
            reasons.append(str(error))
    if reasons:
        raise rejection(reasons, ())
    try:
        return _sorted([(each, source, _reader(each, source, options)) for each, source in opened])
    except InputError as error:
        raise rejection([str(error)], ()) from None


def _reader(each: FoundFile, source: SourceFile, options: ImportOptions) -> Reader | None:
    """The format that reads a file; None for one that nobody named and nothing recognises."""
    if options.format is not None:
        reader = reader_named(options.format)
        return reader if each.stated or reader.detect(source) else None
    if each.stated:
        return recognised(source)
    try:
        return recognised(source)
    except InputError:
        return None


def _sorted(files: Sequence[tuple[FoundFile, SourceFile, Reader | None]]) -> ChosenSources:
    """Files by reader. Where a folder holds logs of a known kind, tables beside them are most likely something else."""
    known = any(reader is not None and not reader.general for each, _, reader in files if not each.stated)
    by_reader: dict[Reader, list[SourceFile]] = {}
    left_out = []
    for each, source, reader in files:
        if reader is None or (known and not each.stated and reader.general):
            left_out.append(f"{source.shown}: {NO_LOG}")
        else:
            by_reader.setdefault(reader, []).append(source)
    if not by_reader:
        raise InputError("\n".join([*left_out, "no log was found"]))
    return ChosenSources(by_reader, tuple(left_out), frozenset(each.path for each, _, _ in files if not each.stated))
