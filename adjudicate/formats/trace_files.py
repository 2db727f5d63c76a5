"""Traces of a running system, as observability tools export them: calls that hang together, and what was said of them since.

Spans and ratings may stand in one file or in several of a command. An item is the outermost call of a trace, whose input and
output a person can judge; where inner calls were rated, these are the items of the trace instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import Finding
from adjudicate.formats.found_rows import FoundRow
from adjudicate.formats.import_options import ImportOptions, Outcomes, Said
from adjudicate.formats.log_records import LogRecord, Records, laid_out, numbered, part_of, place_json, records, row_of
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.record_values import Record, number_of
from adjudicate.formats.source_run import Part, Rows, SourceRun
from adjudicate.formats.text_file import SourceFile
from adjudicate.formats.unkept import COMMENTS, Unkept

HUMAN = "human"
"""Name of a person whom the export does not name."""


class Rating(NamedTuple):
    """What a judge or a person said of a span."""

    of: str
    """Id of the span."""
    name: str
    """What was rated, as the tool calls it."""
    raw: object
    """A class or a number; None where nothing came out."""
    number: object = None
    """The number beside a class."""
    reason: str = ""
    person: str | None = None
    """Who said it; None for a judge."""


class Span(NamedTuple):
    """One call in a trace."""

    id: str
    parent: str | None
    is_model: bool
    """Whether a model was called, and not a step of the system around it."""
    is_whole: bool
    """Whether it has both an input and an output."""


def _nothing(_record: Record) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """How one tool writes its traces."""

    name: str
    """As the table of readers calls it."""
    noun: str
    """What a span is called there."""
    unpack: Callable[[Any], Iterator[Any]]
    """Spans and ratings, one by one, out of a value of a file."""
    span_of: Callable[[Record], Span | None]
    """The span that a record is, if it is one."""
    ratings_of: Callable[[Record], list[Rating]]
    """The ratings that a record is, or that hang on the span that it is."""
    fields_of: Callable[[Record], dict[str, Any]]
    """A span as `log_records.row_of` takes it: id, asked, response, model."""
    where: Mapping[str, str]
    """As `log_records.part_of` takes it."""
    unkept_of: Callable[[Record], Sequence[str]] = _nothing
    """What a record holds, or what hangs on it, that is knowingly not read: each in words after a number, safe to print."""


@dataclass(slots=True)
class _Known:
    """What a first look through all files found."""

    spans: dict[str, Span] = field(default_factory=dict)
    ratings: dict[str, list[Rating]] = field(default_factory=lambda: defaultdict(list))
    spans_in: dict[SourceFile, int] = field(default_factory=dict)
    ratings_in: dict[SourceFile, int] = field(default_factory=dict)
    """Records of a file that hold ratings, or what is knowingly not read of them."""
    unkept: Unkept = field(default_factory=Unkept)
    others: int = 0
    """Records of files of ratings that are none of a span."""

    def rated_names(self) -> set[str]:
        """What people rated."""
        return {rating.name for ratings in self.ratings.values() for rating in ratings if rating.person is not None}


def plan_traces(tool: TraceFormat, files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run for each file that holds spans; ratings of all files go to their spans.

    Raises:
        InputError: There is no span in any file, or a rating cannot be read.
    """
    outcomes = Outcomes(policy, options.outcomes)
    known = _Known()
    for source in files:
        _look_through(tool, source, known)
    with_spans = [source for source in files if known.spans_in[source] or not known.ratings_in[source]]
    if not with_spans:
        raise files[0].refused(
            f"ratings only, without the {tool.noun}s that they are of: give the file of the {tool.noun}s in the same command"
        )
    chosen = _chosen(known)
    runs = []
    for source in with_spans:
        rows = partial(_rows, tool, source, known, chosen)
        remark = _remark(tool, known, chosen) if source is with_spans[0] else ""
        part = part_of(source, rows, options, outcomes, where=tool.where, unit=tool.noun, remark=remark)
        runs.append(SourceRun(source.stem, source.stem, (part,), labels_from=tool.name))
    described = tuple(Part(each, _no_rows, described=known.ratings_in[each]) for each in files if each not in with_spans)
    first = runs[0]
    runs[0] = replace(first, parts=(*described, *first.parts))
    return runs


def _no_rows() -> Rows:
    """Ratings are no items."""
    yield from ()


def _unpacked(tool: TraceFormat, source: SourceFile) -> Records:
    """Spans and ratings of a file, counted as they come."""
    place = 0
    for record in records(source):
        if isinstance(record, Finding):
            yield record
            continue
        try:
            inner = list(tool.unpack(record.value))
        except RowProblem as problem:
            raise source.refused(f"{visible_line(problem.field)}: {problem.message}") from None
        for each in inner:
            place += 1
            yield LogRecord(place, each)


def _look_through(tool: TraceFormat, source: SourceFile, known: _Known) -> None:
    spans = ratings = others = 0
    broken: Finding | None = None
    for record in _unpacked(tool, source):
        if isinstance(record, Finding):
            broken = broken or record
            continue
        if not isinstance(record.value, Mapping):
            others += 1
            continue
        span = _span(tool, record.value)
        if span is not None:
            known.spans[span.id] = span
            spans += 1
        try:
            found = tool.ratings_of(record.value)
        except RowProblem as problem:
            raise source.refused(f"rating {record.place}, {visible_line(problem.field)}: {problem.message}") from None
        for rating in found:
            known.ratings[rating.of].append(rating)
        unkept = [*tool.unkept_of(record.value), *(COMMENTS for rating in found if rating.person is not None and rating.reason)]
        for what in unkept:
            known.unkept.note(what)
        ratings += bool(found or unkept)
        others += span is None and not (found or unkept)
    if ratings and not spans:
        # No row of such a file is read again, so what is wrong with it has to be said now.
        if broken is not None:
            raise source.refused(str(broken))
        known.others += others
    known.spans_in[source], known.ratings_in[source] = spans, ratings


def _span(tool: TraceFormat, record: Record) -> Span | None:
    try:
        return tool.span_of(record)
    except RowProblem:
        # Told when the record itself is read.
        return None


def _chosen(known: _Known) -> frozenset[str]:
    """Ids of the spans that become items."""
    roots: dict[str, list[Span]] = defaultdict(list)
    for span in known.spans.values():
        roots[_root(span, known.spans)].append(span)
    found: list[Span] = []
    for root, spans in roots.items():
        rated = [span for span in spans if span.id in known.ratings]
        outermost = known.spans[root]
        models = [span for span in spans if span.is_model and span.is_whole]
        found += rated or ([outermost] if outermost.is_whole or not models else models)
    return frozenset(span.id for span in found)


def _root(span: Span, spans: Mapping[str, Span]) -> str:
    seen = {span.id}
    while span.parent is not None and span.parent in spans and span.parent not in seen:
        span = spans[span.parent]
        seen.add(span.id)
    return span.id


def _remark(tool: TraceFormat, known: _Known, chosen: frozenset[str]) -> str:
    inner = len(known.spans) - len(chosen)
    astray = sum(len(ratings) for of, ratings in known.ratings.items() if of not in known.spans)
    told = []
    if inner:
        told.append(f"{inner:,} inner {tool.noun}s are left out: the item of a trace is its outermost, or what was rated in it")
    if known.others:
        told.append(f"{known.others:,} records among the ratings are of no {tool.noun}")
    if astray:
        told.append(f"{astray:,} ratings are of {tool.noun}s that are not in these files")
    return "; ".join(filter(None, [*told, known.unkept.told()]))


def _rows(tool: TraceFormat, source: SourceFile, known: _Known, chosen: frozenset[str]) -> Iterator[FoundRow | Finding]:
    several = len(known.rated_names()) > 1

    def lay_out(record: LogRecord) -> Iterator[FoundRow]:
        span = tool.span_of(record.value)
        if span is None:
            if not (tool.ratings_of(record.value) or tool.unkept_of(record.value)):
                raise RowProblem("", f"neither a {tool.noun} nor a rating of one: it lacks the keys of both")
            return
        if span.id in chosen:
            ratings = known.ratings.get(span.id, [])
            fields = {**tool.fields_of(record.value), "verdicts": _verdicts(ratings), "labels": _labels(ratings, several=several)}
            yield FoundRow(record.place, row_of(record.value, **fields), place_json(id=span.id))

    return laid_out(_unpacked(tool, source), lay_out, tool.noun)


def _verdicts(ratings: Iterable[Rating]) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for rating in ratings:
        if rating.person is None:
            beside = rating.number if rating.number is not None else rating.raw
            found[numbered(found, rating.name)] = Said(rating.raw, rating.reason, number_of(beside))
    return found


def _labels(ratings: Iterable[Rating], *, several: bool) -> dict[str, object]:
    """By person; where people rated several things, by person and thing, since a label is of one question."""
    found: dict[str, object] = {}
    for rating in ratings:
        if rating.person is None or rating.raw is None:
            continue
        name = f"{rating.person}/{rating.name}" if several else rating.person
        if name in found:
            raise RowProblem(f"label.{visible_line(name)}", "two labels of one person: leave one of them out of the export")
        found[name] = rating.raw
    return found
