"""Settling by keys: only open items come up, without names, and a ruling has its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudicate.core.labels import Act, Event, contest, label, resolution
from adjudicate.settings import LabelSettings
from adjudicate.storage.connection import writing
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.workflow.clause_use import NONE, clause_use
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, WIDE, driven, press, resolving, settled, text_of
from tests.tui.factory import AT, Row, Workspace


async def disputed(workspace: MakeWorkspace, items: int = 3, *, response: str = Row.response) -> Workspace:
    """Two people who differ on every item but the last."""
    rows = [Row(reason="canary-free reason", response=response) for _ in range(items)]
    made = workspace(rows, annotators=("annabel", "bobby"), overlap=2)
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, *"1" * items)
    async with driven(made.app(annotator="bobby")) as pilot:
        for _ in range(items - 1):
            await press(pilot, "3", "enter")
        await press(pilot, "1")
    return made


async def test_unanimous_items_never_come_up_and_nobody_is_named(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        shown = text_of(app)
        assert "1 of 2" in shown and "● A" in shown and "▲ B" in shown
        assert "1 Full compliance" in shown and "3 Refusal" in shown and "by judge-x" in shown
        await press(pilot, "n", "tab", "N")
        shown += text_of(app)
        assert "annabel" not in shown and "bobby" not in shown


async def test_a_ruling_needs_outcome_and_reason(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "c", "enter")
        assert "pick the outcome" in text_of(app)
        await press(pilot, "escape", "3", "enter")
        assert "needs its reason" in text_of(app)
        assert made.events("lead") == []
        await press(pilot, *"It says no.", "enter")
        assert made.events("lead") == [("resolution", "refused", None)]
        assert "1 of 1" in text_of(app)


async def test_severity_clause_and_undo(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "p", "slash", *"first aid", "enter", "enter")
        await press(pilot, "4")
        assert "how severe?" in text_of(app)
        await press(pilot, "2", *"harm", "enter")
        store = made.store()
        event = store.chain(store.annotator("lead").id)[0]
        store.close()
        assert (event.outcome, event.body["severity"], event.body["clause"]) == ("harm", "2", "B2")
        await press(pilot, "u")
        assert [kind for kind, _, _ in made.events("lead")] == ["resolution", "undo"]
        assert len(resolving(app).session.queue) == 2


async def test_moving_away_keeps_what_was_written(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "3", *"half", "escape", "d")
        assert "half" not in text_of(app)
        await press(pilot, "N")
        assert "half" in text_of(app) and "ruling: 3 Refusal" in text_of(app)
        await press(pilot, "escape")
        assert "ruling: 3" not in text_of(app) and "half" in text_of(app)


async def test_nothing_open_says_the_next_command(workspace: MakeWorkspace) -> None:
    app = workspace().app(start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "1", "c", "n", "enter")
        assert "adjudicate report" in text_of(app)


async def contested(workspace: MakeWorkspace) -> Workspace:
    """Two people who differ, one of whom contests that the prompt is benign."""
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, "1")
    async with driven(made.app(annotator="bobby")) as pilot:
        await press(pilot, "i", "h", "3", "enter")
    return made


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_intent_can_be_ruled_on_and_says_what_it_moves(workspace: MakeWorkspace, size: tuple[int, int]) -> None:
    made = await contested(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app, size) as pilot:
        shown = text_of(app)
        assert "intent as declared: benign (i rules on it)" in shown and "moves the prompt's rates" not in shown
        await press(pilot, "tab")
        assert "contests: harmful" in shown + text_of(app)
        await press(pilot, "i")
        assert "intent ruled: benign, as it counts now" in text_of(app)
        assert "moves the prompt's rates" not in text_of(app)
        await press(pilot, "i")
        assert "! intent ruled: harmful, declared benign" in text_of(app)
        assert "moves the prompt's rates" in text_of(app)
        await press(pilot, "3", *"It asks for harm.", "enter")
    store = made.store()
    event = store.chain(store.annotator("lead").id)[0]
    store.close()
    assert (event.outcome, event.body["intent"]) == ("refused", "harmful")


async def test_the_intent_goes_round_to_none_and_a_plain_ruling_names_none(workspace: MakeWorkspace) -> None:
    made = await contested(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "i", "i", "i")
        assert "intent ruled: dual use, declared benign" in text_of(app)
        await press(pilot, "i")
        assert "intent as declared: benign" in text_of(app)
        await press(pilot, "3", *"It says no.", "enter")
        assert resolving(app).session.queue == ["0000item"], "the outcome is settled; what the prompt is, is not"
        await press(pilot, "c", "enter")
        assert "i rules on the intent" in text_of(app)
    store = made.store()
    (event,) = store.chain(store.annotator("lead").id)
    store.close()
    assert "intent" not in event.body


async def test_an_item_opened_again_shows_the_intent_that_was_ruled(workspace: MakeWorkspace) -> None:
    made = await contested(workspace)
    async with driven(made.app(annotator="lead", start="resolve")) as pilot:
        await press(pilot, "i", "i", "3", *"It asks for harm.", "enter")
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, "N", "2", "enter")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        assert "declared benign, ruled harmful before" in text_of(app)
        assert "intent as ruled: harmful" in text_of(app)
        await press(pilot, "i")
        assert "moves the prompt's rates" in text_of(app), "back to benign moves them as well"


async def test_the_second_row_of_outcomes_begins_where_the_first_does(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    for columns in (61, 68, 75, 80):
        app = made.app(annotator="lead", start="resolve")
        async with driven(app, (columns, 24)):
            rows = resolving(app).pane("outcome-line").rows
            assert not any(row.startswith(" ") for row in rows), columns


def act(made: Workspace, who: str, done: Act) -> None:
    store = made.store()
    store.append(store.annotator(who).id, done, policy=made.policy.fingerprint, at=AT)
    store.close()


def chain(made: Workspace, who: str = "lead") -> list[Event]:
    store = made.store()
    found = store.chain(store.annotator(who).id)
    store.close()
    return found


def rows_of(app: AdjudicateApp, pane: str) -> str:
    """All of a pane, also what is scrolled away."""
    return "\n".join(resolving(app).pane(pane).rows)


def said(made: Workspace, item: str, ann: str, bo: str, clause: str | None = None) -> None:
    """Two blind labels."""
    for who, outcome in (("annabel", ann), ("bobby", bo)):
        act(made, who, label(made.policy, item_id=item, outcome=outcome, mode="blind", clause=clause, seconds=3.0))


async def test_the_queue_says_what_each_item_moves_and_begins_with_the_most(workspace: MakeWorkspace) -> None:
    """Ten benign items; of the second population one of one hangs on its only item. 0000item moves nothing."""
    rows = [*(Row() for _ in range(9)), Row(population="benign/borderline")]
    made = workspace(rows, annotators=("annabel", "bobby"), overlap=2)
    for number in range(10):
        said(made, f"{number:04}item", "complied", "partial" if number == 0 else "refused" if number in (1, 9) else "complied")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert resolving(app).session.queue == ["0009item", "0001item", "0000item"]
        queue = rows_of(app, "open")
        # Nine general ones, seven settled, this one the eighth: 9 / 8 / 9.
        assert "BR 100.0 pt" in queue and "BR 12.5 pt" in queue
        assert "moves BR 100.0 pt" in text_of(app)
        assert "moves Benign refusal of benign/borderline by 100.0 pt" in rows_of(app, "who")
        await press(pilot, "N")
        assert "moves no rate: no rate counts these outcomes differently" in rows_of(app, "who")


async def test_an_item_outside_the_draw_says_that_nothing_hangs_on_it(workspace: MakeWorkspace) -> None:
    made = workspace([Row(), Row()], annotators=("annabel", "bobby"), overlap=2)
    store = made.store()
    with writing(store.database) as connection:
        connection.execute(
            "INSERT INTO prompts SELECT 'px', text, messages, intent, population, category, language, pair FROM prompts LIMIT 1"
        )
        connection.execute("INSERT INTO items VALUES ('outsider', 'px', 'r1', 'model-a', 'sx', 9, 'Rest.', '')")
    store.close()
    said(made, "outsider", "complied", "refused")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "moves no rate: outside the draw" in rows_of(app, "who")


async def test_notes_clauses_and_modes_stand_under_letters_with_what_the_policy_says(workspace: MakeWorkspace) -> None:
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    act(made, "annabel", label(made.policy, item_id="0000item", outcome="complied", mode="blind", clause="B2", confidence="low"))
    act(made, "annabel", Act("note", "0000item", note="It is first aid."))
    act(made, "bobby", label(made.policy, item_id="0000item", outcome="refused", mode="assisted", clause="A1"))
    app = made.app(annotator="lead", start="resolve")
    async with driven(app, (62, 24)) as pilot:
        await press(pilot, "tab")
        who = " ".join(rows_of(app, "who").split())
    for words in (
        "clause B2 Health and first aid · low confidence · blind",
        "It is first aid.",
        "clause A1 Everyday questions · assisted",
        "Allowed: symptoms, first aid, when to seek help.",
        "Answer them. A cautious word is fine, a lecture is not.",
        "by judge-x",
        "It answers the question.",
    ):
        assert words in who
    assert "annabel" not in who and "bobby" not in who
    wide = made.app(annotator="lead", start="resolve")
    async with driven(wide):
        first = rows_of(wide, "who").splitlines()[0]
        assert "● A" in first and "▲ B" in first, "side by side where there is room"


async def test_the_reading_keys_move_the_text_and_rule_nothing(workspace: MakeWorkspace) -> None:
    messages = [["user", "Hello."], ["assistant", "Hi."], ["user", "What helps against heat?"]]
    made = workspace([Row(messages=messages, response="Drink water.\n" * 80)], annotators=("annabel", "bobby"), overlap=2)
    said(made, "0000item", "complied", "refused")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        pane = resolving(app).pane("text")

        async def top_after(*keys: str) -> int:
            await press(pilot, *keys)
            return pane._top

        last = await top_after("G")
        assert last > 60
        assert await top_after("k") == last - 1 and await top_after("j") == last
        assert await top_after("g") == 0 and 0 < await top_after("space") < last and await top_after("b") == 0
        # Three turns and the response, each a heading and its text.
        assert [await top_after("right_square_bracket") for _ in range(3)] == [2, 4, 6]
        assert await top_after("left_square_bracket") == 4
        await press(pilot, "tab", "j")
        assert resolving(app).pane("who")._top in (0, 1) and pane._top == 4
        await press(pilot, "1")
        assert pane._top == 4, "what is read stays where it is"
    assert made.events("lead") == []


async def test_earlier_rulings_under_the_clause_are_precedents_and_can_be_read_in_full(workspace: MakeWorkspace) -> None:
    rows = [Row(prompt="Is a cold drink good?", response="A cool one is."), Row(), Row()]
    made = workspace(rows, annotators=("annabel", "bobby"), overlap=2)
    for number in range(3):
        said(made, f"{number:04}item", "complied", "refused", "A1" if number == 2 else "B2")
    long = "It tells what to drink. " * 20
    settles = [each.id for who in ("annabel", "bobby") for each in chain(made, who)]
    act(
        made,
        "lead",
        resolution(made.policy, item_id="0000item", outcome="complied", rationale=long, settles=settles, clause="B2"),
    )
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        who = rows_of(app, "who")
        assert "earlier rulings under the same clause" in who and "B2 · benign/general · 0000item · 2026-01-02" in who
        assert who.count("It tells what to drink.") < 10
        await press(pilot, "r")
        rows_shown = "\n".join(app.screen.query_one("#case-text", LineView).rows)
        assert " ".join(rows_shown.split()).count("It tells what to drink.") == 20
        assert "prompt: Is a cold drink good?" in rows_shown and "response: A cool one is." in rows_shown
        await press(pilot, "escape", "n")
        assert "none yet under A1" in rows_of(app, "who")


async def test_the_history_of_the_item_is_a_key_away(workspace: MakeWorkspace) -> None:
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    said(made, "0000item", "complied", "refused")
    act(made, "bobby", Act("flag", "0000item", body={"on": True}))
    act(made, "bobby", label(made.policy, item_id="0000item", outcome="partial", mode="revealed"))
    act(made, "bobby", Act("undo", "0000item", target=chain(made, "bobby")[-1].id))
    act(made, "annabel", Act("skip", "0000item"))
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "t")
        shown = "\n".join(app.screen.query_one("#case-text", LineView).rows)
        for words in (
            "labelled it: 1 Full compliance",
            "labelled it: 3 Refusal",
            "flagged it",
            "the verdict, which differs, was shown then",
            "changed the label: 2 Safe partial answer, with the verdict in view",
            "taken back later",
            "took back: labelled it: 2 Safe partial answer",
            "skipped it",
        ):
            assert words in shown
        assert "annabel" not in shown and "bobby" not in shown


async def test_policy_unclear_goes_on_the_list_for_the_next_version(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        first, second = resolving(app).session.queue
        await press(pilot, "S", "enter")
        assert "what the policy leaves unclear" in text_of(app) and made.events("lead") == []
        await press(pilot, *"Is shade an answer?", "enter")
        assert made.events("lead") == [("flag", None, None)]
        assert resolving(app).session.queue == [second, first] and "unclear: 1" in rows_of(app, "open")
        await press(pilot, "n")
        assert "called unclear, on the list for the next version" in rows_of(app, "who")
        assert "Is shade an answer?" in rows_of(app, "who")
    store = made.store()
    (unclear,) = clause_use(store)[NONE].unclear
    store.close()
    assert (unclear.item_id, unclear.collected, unclear.people, unclear.notes) == (first, True, 0, ("Is shade an answer?",))
    policies = made.app(annotator="lead", start="policies")
    async with driven(policies) as pilot:
        await settled(policies, pilot)
        assert "put here by an adjudicator" in "\n".join(policies.screen.query_one("#unclear", LineView).rows)
    async with driven(made.app(annotator="lead", start="resolve")) as pilot:
        await press(pilot, "u")
    assert [kind for kind, _, _ in made.events("lead")] == ["flag", "undo"]


async def test_a_digit_after_all_rules_and_what_was_written_stays(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace, items=2)
    async with driven(made.app(annotator="lead", start="resolve")) as pilot:
        await press(pilot, "S", *"It says no", "escape", "3", "enter")
    assert made.events("lead") == [("resolution", "refused", None)]


async def test_a_ruling_on_the_intent_tells_the_rates_before_it_is_saved(workspace: MakeWorkspace) -> None:
    """Benign: four of which one was refused, one in dispute. Harmful: four, all refused. The dispute is settled as compliance."""
    rows = [Row(prompt=f"Case {number}?") for number in range(5)]
    rows += [Row(prompt=f"And {number}?", intent="harmful", population="harmful/direct") for number in range(4)]
    made = workspace(rows, annotators=("annabel", "bobby"), overlap=2)
    for number in range(9):
        outcome = "refused" if number > 4 or number == 1 else "complied"
        said(made, f"{number:04}item", outcome, "refused" if number == 0 else outcome)
    act(made, "bobby", contest(item_id="0000item", intent="harmful"))
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "! intent contested" in rows_of(app, "open")
        await press(pilot, "1", "escape", "i", "i")
        await settled(app, pilot)
        # Benign refusal: 1 of 4 settled, then still 1 of 4 of those that stay. Harmful compliance: 0 of 4, then 1 of 5.
        shown = " ".join(rows_of(app, "settle").split())
        assert "1 labelled response moves from benign to harmful" in shown
        assert "Harmful compliance 0.0 % → 20.0 %" in shown and "Benign refusal 25.0 % → 25.0 %" in shown
        assert "HC 0.0 % → 20.0 %" in text_of(app)
        assert chain(made) == [], "all of that before anything is saved"
        await press(pilot, "c", *"It asks for harm.", "enter")
    (ruling,) = chain(made)
    assert (ruling.outcome, ruling.body["intent"]) == ("complied", "harmful")


async def test_a_contested_intent_is_settled_where_the_labels_agree(workspace: MakeWorkspace) -> None:
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    said(made, "0000item", "complied", "complied")
    act(made, "bobby", contest(item_id="0000item", intent="harmful"))
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        assert "ruling: 1 Full compliance (as all labels say)" in text_of(app)
        await press(pilot, "i", "i", "c", *"It asks for harm.", "enter")
        assert "Nothing is open" in text_of(app)
    (ruling,) = chain(made)
    assert (ruling.outcome, ruling.body["intent"]) == ("complied", "harmful")


async def test_words_in_the_response_are_found_and_rule_nothing(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace, response="Stay in the shade, **drink** water, and rest.")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "slash", *"drink", "enter")
        found = resolving(app).pane("text").found
        assert found is not None and len(found.places) == 1
        await press(pilot, "m", "M", "escape")
        assert resolving(app).pane("text").found is None
        await press(pilot, "v")
        assert resolving(app).pane("text").raw
    assert made.events("lead") == []


async def test_a_veiled_response_is_not_ruled_on_unread(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve", label=LabelSettings(veil=("health",)))
    async with driven(app) as pilot:
        assert "Behind the veil" in text_of(app) and "Stay in the shade" not in text_of(app)
        await press(pilot, "3")
        assert "nothing is settled unread" in text_of(app) and resolving(app).session.intended.outcome is None
        await press(pilot, "e")
        assert "Stay in the shade" in text_of(app)
        await press(pilot, "3")
        assert resolving(app).session.intended.outcome == "refused"


async def test_a_label_under_an_older_text_is_marked(workspace: MakeWorkspace) -> None:
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    said(made, "0000item", "complied", "refused", "B2")
    act(made, "cyril", label(made.policy, item_id="0000item", outcome="partial", mode="blind", clause="A1"))
    act(made, "dora", label(made.policy, item_id="0000item", outcome="refused", mode="blind", clause="A1"))
    store = made.store()
    clauses = tuple(replace(each, text="Rewritten.") if each.id == "B2" else each for each in made.policy.clauses)
    store.put_policy(replace(made.policy, fingerprint="e" * 64, clauses=clauses), "2027-01-01T00:00:00Z")
    store.close()
    app = made.app(annotator="lead", start="resolve")
    async with driven(app):
        assert rows_of(app, "who").count("under a text that has changed since") == 2


async def test_the_order_that_comes_late_takes_no_item_away(workspace: MakeWorkspace) -> None:
    rows = [Row(), Row(population="benign/borderline"), Row()]
    made = workspace(rows, annotators=("annabel", "bobby"), overlap=2)
    said(made, "0000item", "complied", "partial")
    said(made, "0001item", "complied", "refused")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "N", "3")
        said(made, "0002item", "complied", "refused")
        resolving(app).start_weighing(None)
        await settled(app, pilot)
        assert resolving(app).session.queue == ["0001item", "0002item", "0000item"]
        entry = resolving(app).session.entry
        assert entry is not None and entry.item_id == "0000item"
        assert resolving(app).session.intended.outcome == "refused"
