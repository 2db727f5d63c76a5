"""Which responses stay behind a veil until a key lifts it: decided by what the data set declares, never by a verdict."""

from __future__ import annotations

from collections.abc import Collection

from adjudicate.core.items import Prompt


def is_veiled(names: Collection[str], prompt: Prompt) -> bool:
    """Whether a response to this prompt is veiled.

    Args:
        names: Categories, intents (``harmful`` for all harmful ones) or populations; ``harmful`` also names
            ``harmful/direct`` and every other population under it.
        prompt: As declared.
    """
    declared = {prompt.category, prompt.intent, prompt.population, prompt.population.partition("/")[0]} - {""}
    return not declared.isdisjoint(names)
