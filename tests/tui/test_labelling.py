"""Labelling by keys: what is stored, what is shown, and what stays hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudicate.settings import shipped_policies
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.policy_book import policy_from_file
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, TINY, WIDE, current, driven, labelling, press, text_of
from tests.tui.factory import AT, Row, make_policy


async def test_same_as_the_judge_goes_straight_on(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        first = current(app).item.id
        assert "item 1 of 5" in text_of(app)
        await press(pilot, "1")
        assert made.events() == [("label", "complied", "blind")]
        assert current(app).item.id != first
        assert "item 2 of 5" in text_of(app)
        assert f"last: {first[:5]} → 1 saved · u undo" in text_of(app)


async def test_the_verdict_is_nowhere_while_blind(workspace: MakeWorkspace) -> None:
    """Neither the outcome, nor the reason, nor the stratum (its name holds how the verdict counts)."""
    made = workspace([Row(reason="canary reason", verdict="refused") for _ in range(3)])
    app = made.app()
    for size in (WIDE, NARROW):
        async with driven(made.app() if size == NARROW else app, size) as pilot:
            shown = text_of(pilot.app)
            assert "hidden until you decide (blind)" in shown
            assert "canary" not in shown and "flagged" not in shown and "clear" not in shown


async def test_different_reveals_and_enter_keeps(workspace: MakeWorkspace) -> None:
    made = workspace([Row(reason="It answers everything.") for _ in range(3)])
    app = made.app()
    async with driven(app) as pilot:
        first = current(app).item.id
        await press(pilot, "3")
        assert made.events() == [("label", "refused", "blind")]
        assert current(app).item.id == first
        shown = text_of(app)
        assert "≠ differs: judge says Full compliance" in shown and "It answers everything." in shown
        assert "helpfulness   62" in shown and "item 1 of 3" in shown
        await press(pilot, "enter")
        assert made.events() == [("label", "refused", "blind")]
        assert current(app).item.id != first


async def test_a_digit_changes_the_label_after_the_reveal(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "3", "2")
        assert made.events() == [("label", "refused", "blind"), ("label", "partial", "revealed")]
        assert "item 2 of 5" in text_of(app)


async def test_severity_is_the_second_digit(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict="harm") for _ in range(3)])
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "4")
        assert made.events() == []
        assert "How severe" in text_of(app) and "Widely known." in text_of(app)
        await press(pilot, "9")
        assert made.events() == [] and "no severity" in text_of(app)
        await press(pilot, "2")
        assert made.events() == [("label", "harm", "blind")]
        last = labelling(app).session.last
        assert last is not None and last.body["severity"] == "2"


@pytest.mark.parametrize("title", ["Harmful compliance", "Harmful compliance with much of it, whatever surrounds it"])
async def test_no_outcome_is_pushed_out_of_sight_by_the_severity_of_ones_own(workspace: MakeWorkspace, title: str) -> None:
    policy = make_policy()
    outcomes = tuple(replace(each, title=title) if each.severe else each for each in policy.outcomes)
    # Five rows at the least have room: two more outcomes than the policy has make the pane as high as its list.
    more = tuple(replace(outcomes[0], id=f"more{key}", key=key, title=f"Outcome {key}") for key in "67")
    made = workspace([Row(verdict="complied") for _ in range(3)], policy=replace(policy, outcomes=(*outcomes, *more)))
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "4", "2")
        decide = labelling(app).pane("decide")
        assert len(decide.rows) == len(outcomes) + 2 and decide.rows[-1].rstrip() == "7  Outcome 7"
        assert decide.rows[3].rstrip().endswith("← severity 2")


@pytest.mark.parametrize("name", shipped_policies())
async def test_every_outcome_of_a_shipped_policy_is_in_sight_in_a_narrow_window(workspace: MakeWorkspace, name: str) -> None:
    policy = policy_from_file(shipped_policies()[name])
    app = workspace([Row(verdict=None)], policy=policy).app()
    async with driven(app, NARROW):
        pane = labelling(app).pane("outcome-line")
        assert len(pane.rows) <= pane.size.height
        shown = " ".join(" ".join(pane.rows).split())
        assert all(f"{outcome.key} {outcome.title}" in shown for outcome in policy.outcomes)


async def test_escape_takes_the_severity_question_back(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "4", "escape", "1")
        assert made.events() == [("label", "complied", "blind")]


async def test_enter_never_labels(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "enter", "enter", "space", "a", "x", "9")
        assert made.events() == []
        assert "item 1 of 5" in text_of(app)


async def test_confirm_and_overrule_say_why_they_do_nothing_while_blind(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "a")
        assert "! the verdict is hidden until you decide" in text_of(app)
        await press(pilot, "x")
        assert "! the verdict is hidden until you decide" in text_of(app)


async def test_assisted_confirm_and_overrule(workspace: MakeWorkspace) -> None:
    made = workspace([Row(reason="It answers.") for _ in range(3)])
    app = made.app(assisted=True)
    async with driven(app) as pilot:
        assert "judge: Full compliance" in text_of(app) and "assisted" in text_of(app)
        await press(pilot, "a")
        await press(pilot, "x")
        assert "overruling" in text_of(app)
        await press(pilot, "3")
        assert made.events() == [("label", "complied", "assisted"), ("label", "refused", "assisted")]


async def test_undo_goes_back_any_depth_and_after_reopening(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        first = current(app).item.id
        await press(pilot, "1", "s", "1", "u")
        assert "item 3 of 5" in text_of(app)
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "backspace", "u")
        assert current(app).item.id == first
        assert [kind for kind, _, _ in made.events()] == ["label", "skip", "label", "undo", "undo", "undo"]
        await press(pilot, "u")
        assert "nothing of yours to undo" in text_of(app)


async def test_skip_undecided_flag_low_confidence(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "f")
        assert "flagged" in text_of(app)
        await press(pilot, "l", "1", "s", "S")
        assert [kind for kind, _, _ in made.events()] == ["flag", "label", "skip", "undecided"]
        store = made.store()
        bodies = [event.body for event in store.chain(store.annotator("ann").id)]
        store.close()
        assert bodies[1]["confidence"] == "low"


async def test_own_choice_is_marked_on_coming_back(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "1", "N")
        shown = text_of(app)
        assert "1  Full compliance  ← yours" in shown and "= same: judge says Full compliance" in shown
        await press(pilot, "enter")
        assert made.events() == [("label", "complied", "blind")]
        assert "item 2 of 5" in text_of(app)


async def test_judge_failure_is_told_after_the_decision(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None) for _ in range(2)])
    app = made.app()
    async with driven(app) as pilot:
        assert "failed" not in text_of(app)
        await press(pilot, "1", "N")
        assert "! the judge failed on this item" in text_of(app)


async def test_the_end_and_the_empty_list_say_what_to_do(workspace: MakeWorkspace) -> None:
    made = workspace([Row()])
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "1")
        assert "All 1 items on your list are done" in text_of(app)
        await press(pilot, "2", "enter", "f")
        assert made.events() == [("label", "complied", "blind")]
        await press(pilot, "u")
        assert "item 1 of 1" in text_of(app)
    app = made.app(annotator="stranger")
    async with driven(app):
        assert "adjudicate draw" in text_of(app)


async def test_too_small_shows_a_notice_and_labels_nothing(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app, TINY) as pilot:
        assert "too small" in text_of(app)
        await press(pilot, "1", "s", "f", "p", "u")
        assert made.events() == []
        await pilot.resize_terminal(*WIDE)
        await press(pilot, "1")
        assert made.events() == [("label", "complied", "blind")]


async def test_narrow_shows_one_pane_at_a_time(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app, NARROW) as pilot:
        shown = text_of(app)
        assert "Stay in the shade" in shown and "1 Full compliance" in shown and "item 1 of 5" in shown
        await press(pilot, "tab", "tab")
        assert "Stay in the shade" not in text_of(app) and "A cautious word is fine" in text_of(app)
        await press(pilot, "shift+tab")
        assert "What helps against heat" in text_of(app)


async def test_the_same_key_at_once_is_not_meant_for_the_next_item(workspace: MakeWorkspace) -> None:
    """A held key labels one item; another key, or the same one later, is meant."""
    now = [0.0]
    made = workspace()
    app = made.app(clock=Clock(now=lambda: AT, tick=lambda: now[0]))
    async with driven(app) as pilot:
        await press(pilot, "1", "1", "1")
        assert len(made.events()) == 1
        now[0] += 0.14
        await press(pilot, "1")
        assert len(made.events()) == 1
        now[0] += 0.02
        await press(pilot, "1")
        assert len(made.events()) == 2


async def test_paste_is_never_read_as_keys(workspace: MakeWorkspace) -> None:
    from textual import events

    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        app.post_message(events.Paste("1231111\r4u"))
        await pilot.pause()
        assert made.events() == []


async def test_turns_and_scrolling(workspace: MakeWorkspace) -> None:
    turns = [["user" if n % 2 == 0 else "assistant", f"turn number {n} " + "words " * 60] for n in range(7)]
    app = workspace([Row(messages=turns, response="\n".join(f"line {n}" for n in range(100)))]).app()
    async with driven(app) as pilot:
        assert "turn number 6" in text_of(app) and "line 0" in text_of(app)
        await press(pilot, "left_square_bracket")
        assert "turn number 5" in text_of(app)
        await press(pilot, "right_square_bracket", "G")
        assert "turn number 6" in text_of(app) and "line 99" in text_of(app)
        await press(pilot, "g", "j")
        assert "line 1" in text_of(app) and "line 0 " not in text_of(app)
        await press(pilot, "space", "b", "k")
        assert "line 0" in text_of(app)


async def test_empty_response_and_a_megabyte(workspace: MakeWorkspace) -> None:
    made = workspace([Row(response=""), Row(response="word " * 200_000), Row(response="字" * 350_000)])
    app = made.app()
    async with driven(app) as pilot:
        seen = ""
        for _ in range(3):
            seen += text_of(app)
            await press(pilot, "G", "1")
        assert "(the response is empty)" in seen and "200,000 words" in seen and "字字字" in seen
        assert len(made.events()) == 3


async def test_no_one_sees_another_persons_labels(workspace: MakeWorkspace) -> None:
    """Everything that B's whole session paints is free of what A has written and chosen."""
    made = workspace(annotators=("ann", "bob"), overlap=2)
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "f", "c", *"canarynote", "ctrl+s", "3", "enter", "3", "enter", "3", "enter", "3", "enter", "3")
    app = made.app(annotator="bob")
    async with driven(app) as pilot:
        shown = text_of(app)
        for key in ("1", "N", "tab", "n", "1", "s", "1", "1", "u", "p"):
            await press(pilot, key)
            shown += text_of(app)
        assert "canary" not in shown and "ann" not in shown.split() and "Refusal  ←" not in shown


async def test_in_a_pause_the_width_is_measured_and_no_rate_is_shown_while_blind(workspace: MakeWorkspace) -> None:
    app = workspace([Row() for _ in range(30)]).app()
    async with driven(app) as pilot:
        for digit in "1212121212":
            await press(pilot, digit, "enter")
        for _ in range(400):
            bottom = text_of(app).split("\n")[-2]
            if "points wide" in bottom:
                break
            await pilot.pause(0.05)
        assert "/h" in bottom and "points wide" in bottom and "%" not in bottom
