"""Reads a margins file, TOML or YAML: the demands of a gate, versioned beside the code they guard.

Sections ``max``, ``min`` and ``margin``; in each, a rate has one fraction for every population, or a table of fractions by
population (``"*"`` for those that are not named). Unknown sections are errors; which rates exist only the policy knows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from adjudicate.core.demands import KINDS, SHOWN, Asked, Margins, check_once, fraction
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.formats.strict_fields import did_you_mean, kind_of
from adjudicate.formats.strict_yaml import Node, Table, Text, parse_strict

SUFFIXES = (".toml", ".yaml", ".yml")
MOST_BYTES = 100_000


def read_margins(path: Path) -> Margins:
    """The demands in a file, with its hash.

    Raises:
        InputError: The file cannot be read, or something in it is not known; the message names the file and the key.
    """
    shown = visible_line(str(path))
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{shown}: a margins file is TOML or YAML and ends in {', '.join(SUFFIXES)}")
    try:
        content = path.read_bytes()
        if len(content) > MOST_BYTES:
            raise InputError(f"{shown}: {len(content):,} bytes are no margins file")
        text = content.decode("utf-8-sig")
        tree = tomllib.loads(text) if path.suffix.lower() == ".toml" else _yaml(text, shown)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{shown}: {visible_line(str(error))}") from error
    asked = tuple(_asked(tree, shown))
    if not asked:
        raise InputError(f"{shown}: asks for nothing; give a section {', '.join(KINDS)}")
    check_once(asked)
    return Margins(path.name, sha256(content).hexdigest(), asked)


def _asked(tree: Mapping[str, Any], shown: str) -> Iterator[Asked]:
    for section, rates in tree.items():
        kind = next((kind for kind in KINDS if kind == section), None)
        if kind is None:
            known = f"; known are {', '.join(KINDS)}{did_you_mean(section, KINDS)}"
            raise InputError(f"{shown}: unknown key “{shortened(section, SHOWN)}”{known}")
        for rate, value in _table(rates, f"{shown}: {kind}").items():
            where = f"{shown}: {kind}.{shortened(rate, SHOWN)}"
            by_population = value if isinstance(value, dict) else {"*": value}
            for population, number in by_population.items():
                place = where if value is number else f"{where}.{shortened(population, SHOWN)}"
                yield Asked(kind, rate, population, _number(number, place))


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not value:
        raise InputError(f"{where}: expected rates with fractions, such as harmful_compliance = 0.02")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{where}: expected a fraction from 0 to 1")
    return fraction(value if isinstance(value, str) else f"{value:.12g}", where)


def _yaml(text: str, shown: str) -> dict[str, Any]:
    parsed = parse_strict(text.replace("\r\n", "\n"))
    if parsed.findings:
        raise InputError(f"{shown}: {parsed.findings[0]}")
    if not isinstance(parsed.root, Table):
        raise InputError(f"{shown}: expected a mapping with {', '.join(KINDS)}")
    return {entry.key: _plain(entry.value, shown) for entry in parsed.root.entries}


def _plain(node: Node, shown: str) -> Any:
    if isinstance(node, Table):
        return {entry.key: _plain(entry.value, shown) for entry in node.entries}
    if isinstance(node, Text):
        return node.value
    raise InputError(f"{shown}: line {node.line}: expected a fraction or a mapping, found {kind_of(node)}")
