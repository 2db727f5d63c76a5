"""JUnit XML for continuous integration: one test case a gate row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from adjudicate.core.text import visible

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case."""

    name: str
    """What was checked."""
    outcome: Literal["pass", "failure", "error", "skipped"]
    """``error`` is for what could not be decided: red, but no failure."""
    message: str
    """Why, on one line; not shown for a pass."""
    text: str
    """The numbers, in words."""


def junit_text(suite: str, cases: Sequence[Case], properties: Mapping[str, str]) -> str:
    """One test suite as an XML document. Foreign text is escaped, and what XML cannot hold is replaced.

    Args:
        suite: Name of the suite; also the class name of its cases.
        cases: In order.
        properties: Names and values for the head of the suite.
    """
    from xml.etree import ElementTree as ET  # written, never parsed: no hostile XML comes near it

    counts = {kind: str(sum(case.outcome == kind for case in cases)) for kind in ("failure", "error", "skipped")}
    root = ET.Element("testsuites")
    element = ET.SubElement(
        root, "testsuite", name=_clean(suite), tests=str(len(cases)), failures=counts["failure"], errors=counts["error"],
        skipped=counts["skipped"],
    )  # fmt: skip
    head = ET.SubElement(element, "properties")
    for name, value in properties.items():
        ET.SubElement(head, "property", name=_clean(name), value=_clean(value))
    for case in cases:
        entry = ET.SubElement(element, "testcase", classname=_clean(suite), name=_clean(case.name))
        if case.outcome == "pass":
            ET.SubElement(entry, "system-out").text = _clean(case.text)
        else:
            ET.SubElement(entry, case.outcome, message=_clean(case.message)).text = _clean(case.text)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", visible(text))
