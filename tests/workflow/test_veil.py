"""Which responses are veiled: by what the data set declares."""

from __future__ import annotations

import pytest

from adjudicate.core.items import Prompt
from adjudicate.workflow.veil import is_veiled

PROMPT = Prompt("p", (), "harmful", "jailbreak/multi_turn", "violence")


@pytest.mark.parametrize("name", ["violence", "harmful", "jailbreak", "jailbreak/multi_turn"])
def test_category_intent_population_and_its_family_veil(name: str) -> None:
    assert is_veiled(("other", name), PROMPT)


@pytest.mark.parametrize("names", [(), ("benign",), ("multi_turn",), ("",)])
def test_nothing_else_does(names: tuple[str, ...]) -> None:
    assert not is_veiled(names, PROMPT)
    assert not is_veiled(("",), Prompt("p", (), "benign", "benign"))
