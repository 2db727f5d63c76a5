"""The rule by which a judge classified, to be published beside what it said: policy, prompt with its hash, parameters."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import StoreError, UsageError
from adjudicate.judge import phrase_matcher
from adjudicate.judge.prompt import INSTRUCTIONS, JudgePrompt
from adjudicate.judge.prompt_file import read_instructions
from adjudicate.storage.judge_runs import JudgeIdentity, judge_named
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.classify import LEARNED_BY

HASHED_AS = "SHA-256 of the words: as JSON with sorted keys, a plain text as it is"
CAME_WITH_A_LOG = "the verdicts came with a log, which does not say how the judge was asked"
NOT_KEPT = "the judge was asked with instructions of your own or by another version: name their file with --prompt"


def judge_rule(store: SqliteStore, judge: str, *, prompt: Path | None = None) -> dict[str, Any]:
    """Who the judge is and by which words it went.

    Args:
        store: An open store.
        judge: Its name.
        prompt: The file of its own instructions, where it was given any.

    Raises:
        UsageError: The file is not what this judge was given.
        InputError: It cannot be read.
    """
    known = judge_named(store.database, judge)
    if known is None:
        raise UsageError(f"--judge {visible_line(judge)}: there is no such judge")
    words, reason = _words(store.policy(), known, prompt)
    return {
        "name": known.name,
        "id": known.id if known.prompt_hash else None,
        "model": known.model or None,
        "served_by": known.served or None,
        "parameters": known.parameters,
        "policy": _policy(store, known.policy),
        "prompt_sha256": known.prompt_hash or None,
        "prompt": words,
        "prompt_hashed_as": HASHED_AS,
        "prompt_missing": reason,
    }


def _policy(store: SqliteStore, fingerprint: str) -> dict[str, str | None] | None:
    """The text that the judge was held to, which need not be the one in force."""
    if not fingerprint:
        return None
    try:
        text = store.policy(fingerprint).text
    except StoreError:
        text = None
    return {"fingerprint": fingerprint, "text": text}


def _words(policy: Policy, judge: JudgeIdentity, prompt: Path | None) -> tuple[Any, str | None]:
    """Every fixed word that the judge was given, or why they cannot be told: found by their hash, never assumed."""
    if not judge.prompt_hash:
        return None, CAME_WITH_A_LOG
    given = [JudgePrompt(policy, read_instructions(prompt) if prompt else INSTRUCTIONS).words, phrase_matcher.words()]
    known: dict[str, Any] = {_hash(json.dumps(words, sort_keys=True)): words for words in given}
    known[_hash(LEARNED_BY)] = LEARNED_BY
    if judge.prompt_hash in known:
        return known[judge.prompt_hash], None
    if prompt is not None:
        raise UsageError(f"--prompt {visible_line(str(prompt))}: these are not the instructions that this judge was given")
    return None, NOT_KEPT


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
