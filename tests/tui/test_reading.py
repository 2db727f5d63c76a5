"""The keys that help to read: rendered and raw, folding, finding, what is hidden, the veil, the twin. None stores anything."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from adjudicate.settings import LabelSettings
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.hidden_dialog import HiddenDialog
from adjudicate.tui.screens.policy_dialog import PolicyDialog
from adjudicate.tui.screens.twin_dialog import TwinDialog
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, current, driven, labelling, press, settled, text_of
from tests.tui.factory import Row

MARKDOWN = "# Heat\n\n- **drink** water\n\n```sh\necho *\n```"
MESSAGES = [
    ["system", "Be careful.\n" * 9],
    ["user", "What helps?"],
    ["assistant", "Shade.\n" * 12],
    ["tool", "41 degrees"],
    ["user", "And at night?"],
]


def looks(app: AdjudicateApp, row: int, pane: str = "response") -> dict[str, str]:
    """Text of each segment of a row with what makes it stand out."""
    strip = labelling(app).pane(pane).render_line(row)
    words = ("bold", "italic", "underline", "reverse")
    return {segment.text: " ".join(word for word in words if segment.style and getattr(segment.style, word)) for segment in strip}


async def test_markdown_is_rendered_and_v_shows_every_character(workspace: MakeWorkspace) -> None:
    made = workspace([Row(response=MARKDOWN)])
    app = made.app()
    async with driven(app) as pilot:
        pane = labelling(app).pane("response")
        assert [row.rstrip() for row in pane.rows] == ["Heat", "", "• drink water", "", "╭─ sh", "│ echo *", "╰─"]
        assert looks(app, 0)["Heat"] == "bold underline" and looks(app, 2)["drink"] == "bold"
        await press(pilot, "v")
        assert pane.rows == MARKDOWN.split("\n")
        await press(pilot, "v")
        assert pane.rows[0] == "Heat"
    assert made.events() == []


async def test_raw_stays_for_the_next_item_and_counts_what_is_hidden_all_the_same(workspace: MakeWorkspace) -> None:
    app = workspace([Row(response="**a**\u200b"), Row(response="**b**\u200b")]).app()
    async with driven(app) as pilot:
        assert "! 1 hidden character shown" in text_of(app)
        await press(pilot, "v", "1")
        assert labelling(app).pane("response").rows[0].startswith("**")
        assert "! 1 hidden character shown" in text_of(app)


async def test_system_and_tool_turns_are_one_line_until_o(workspace: MakeWorkspace) -> None:
    app = workspace([Row(messages=MESSAGES)]).app()
    async with driven(app) as pilot:
        pane = labelling(app).pane("prompt")
        assert "[1] system ▸ Be careful. (folded: 9 lines)" in pane.rows and "[4] tool ▸ 41 degrees" in pane.rows
        assert pane.rows.count("Be careful.") == 0
        await press(pilot, "o")
        assert pane.rows.count("Be careful.") == 9
        assert "Prompt · [1] system · benign (declared) · 5 turns" in text_of(app)
        await press(pilot, "o")
        assert pane.rows.count("Be careful.") == 0


async def test_the_turn_being_read_is_named_in_the_border(workspace: MakeWorkspace) -> None:
    app = workspace([Row(messages=MESSAGES)]).app()
    async with driven(app) as pilot:
        await press(pilot, "left_square_bracket")
        assert "Prompt · [3] assistant · benign (declared) · 5 turns" in text_of(app)
        await press(pilot, "tab", "j", "j", "j")
        assert "Prompt · [3] assistant · benign (declared) · 5 turns" in text_of(app)
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert "Prompt · [2] user · benign (declared) · 5 turns" in text_of(app)
        await press(pilot, "right_square_bracket")
        assert "Prompt · [3] assistant · benign (declared) · 5 turns" in text_of(app)


async def test_nothing_to_fold_says_so(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "o")
        assert "no system or tool turn" in text_of(app)


async def test_words_are_found_while_typed_and_marked_not_by_colour_alone(workspace: MakeWorkspace) -> None:
    made = workspace([Row(response="Water first.\n" + "Shade.\n" * 60 + "More water here.")])
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "slash", "w", "1", "backspace", *"ater")
        assert made.events() == []
        assert "match 1 of 2" in text_of(app)
        assert looks(app, 0)["Water"] == "bold reverse"
        await press(pilot, "enter", "m")
        pane = labelling(app).pane("response")
        assert "match 2 of 2" in text_of(app) and "More water here." in text_of(app)
        assert pane.rows[-1] == "More water here."
        await press(pilot, "M")
        assert "match 1 of 2" in text_of(app) and looks(app, 0)["Water"] == "bold reverse"
        await press(pilot, "escape")
        assert "match" not in text_of(app) and looks(app, 0) == {"Water first.": "", **looks(app, 0)}
        await press(pilot, "m")
        assert "nothing is being looked for" in text_of(app)


async def test_finding_moves_no_pane_and_the_keys_come_back(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app, NARROW) as pilot:
        before = [(pane.id, pane.region) for pane in labelling(app).query("LineView")]
        await press(pilot, "slash", "q", "1")
        assert [(pane.id, pane.region) for pane in labelling(app).query("LineView")] == before
        assert isinstance(app.focused, Input) and made.events() == []
        await press(pilot, "escape", "1")
        assert made.events() == [("label", "complied", "blind")]


async def test_a_word_typed_ahead_of_the_search_line_labels_nothing(workspace: MakeWorkspace) -> None:
    """The keys of a fast hand, or of a slow line, arrive in one piece."""
    made = workspace([Row(response="1 s f")])
    app = made.app()
    async with driven(app) as pilot:
        for key in ("slash", "1", "space", "s"):
            app.post_message(events.Key(key, " " if key == "space" else "/" if key == "slash" else key))
        await pilot.pause()
        await pilot.pause()
        assert made.events() == [] and "match 1 of 1" in text_of(app)
        assert app.query_one(Input).value == "1 s"


async def test_words_that_are_not_there_say_so_and_the_next_item_starts_afresh(workspace: MakeWorkspace) -> None:
    app = workspace([Row(response="one"), Row(response="two")]).app()
    async with driven(app) as pilot:
        await press(pilot, "slash", *"zzz", "enter")
        assert "not found" in text_of(app)
        await press(pilot, "m")
        assert "not there" in text_of(app)
        await press(pilot, "1")
        assert labelling(app).pane("response").found is None


async def test_finding_acts_on_the_pane_that_scrolls_and_the_policy_has_its_own(workspace: MakeWorkspace) -> None:
    app = workspace([Row(prompt="heat and heat")]).app()
    async with driven(app) as pilot:
        await press(pilot, "tab", "slash", *"heat", "enter")
        assert labelling(app).pane("prompt").found is not None and "match 1 of 2" in text_of(app)
        await press(pilot, "p", "slash", *"harm")
        assert isinstance(app.screen, PolicyDialog) and "Clear harm" in text_of(app)


async def test_hidden_characters_are_listed_with_code_points_and_places(workspace: MakeWorkspace) -> None:
    app = workspace([Row(response="a\u202eb\np\u0430ypal", prompt="x\u200by")]).app()
    async with driven(app) as pilot:
        assert "! 1 hidden character shown · ! 1 look-alike word" in text_of(app)
        await press(pilot, "H")
        assert isinstance(app.screen, HiddenDialog)
        shown = text_of(app)
        assert "1 × U+202E RIGHT-TO-LEFT OVERRIDE" in shown and "line 1, character 2" in shown
        assert "line 2, character 1" in shown and "U+0430" in shown
        assert "prompt [1]" in shown and "U+200B ZERO WIDTH SPACE" in shown
        await press(pilot, "H")
        assert "item 1 of 1" in text_of(app)


async def test_a_text_that_hides_nothing_says_so(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "H", "j", "k", "g", "G", "space", "b")
        assert "No character in this item acts or hides" in text_of(app)


async def test_a_veiled_response_is_labelled_by_no_key_until_it_was_shown(workspace: MakeWorkspace) -> None:
    made = workspace([Row(response="graphic words", category="violence"), Row(response="mild words")])
    app = made.app(label=LabelSettings(veil=("violence",)))
    async with driven(app) as pilot:
        while current(app).item.prompt.category != "violence":
            await press(pilot, "n")
        assert "Behind the veil" in text_of(app) and "graphic" not in text_of(app)
        await press(pilot, "1", "4", "a", "v", "H")
        assert "graphic" not in text_of(app)
        await press(pilot, "escape", "1")
        assert made.events() == [] and "nothing is labelled unread" in text_of(app)
        await press(pilot, "e")
        assert "graphic words" in text_of(app)
        await press(pilot, "n", "n")
        assert current(app).item.prompt.category == "violence" and "graphic words" in text_of(app)
        await press(pilot, "1")
        assert made.events() == [("label", "complied", "blind")]


async def test_a_veiled_item_can_be_left_and_others_have_no_veil(workspace: MakeWorkspace) -> None:
    made = workspace([Row(intent="harmful", population="harmful/direct"), Row()])
    app = made.app(label=LabelSettings(veil=("harmful",)))
    async with driven(app) as pilot:
        while current(app).item.prompt.intent != "harmful":
            await press(pilot, "n")
        await press(pilot, "s")
        assert made.events() == [("skip", None, None)]
        await press(pilot, "e")
        assert "no veil on this response" in text_of(app)


async def test_the_twin_is_read_without_verdict_or_label(workspace: MakeWorkspace) -> None:
    twins = [
        Row(pair="7", response="mine"),
        Row(pair="7", intent="harmful", population="harmful/direct", response="the other", prompt="Bad?", reason="canary"),
        Row(pair="7", intent="harmful", population="harmful/direct", response="of another model", prompt="Bad?", model="b"),
        Row(pair="8", response="unrelated", intent="harmful", population="harmful/direct"),
    ]
    made = workspace(twins)
    app = made.app()
    async with driven(app) as pilot:
        while current(app).item.response != "mine":
            await press(pilot, "n")
        await press(pilot, "w")
        await settled(app, pilot)
        assert isinstance(app.screen, TwinDialog)
        shown = text_of(app)
        assert "the other" in shown and "Bad?" in shown and "harmful (declared)" in shown
        assert "canary" not in shown and "of another model" not in shown
        await press(pilot, "1", "space", "w")
        assert made.events() == [] and "item 1 of 4" in text_of(app)


async def test_a_twin_behind_the_veil_waits_for_its_key(workspace: MakeWorkspace) -> None:
    rows = [
        Row(pair="7", response="mine"),
        Row(pair="7", intent="harmful", population="harmful/x", response="graphic", prompt="B"),
    ]
    app = workspace(rows).app(label=LabelSettings(veil=("harmful",)))
    async with driven(app) as pilot:
        while current(app).item.response != "mine":
            await press(pilot, "n")
        await press(pilot, "w")
        await settled(app, pilot)
        assert "Behind the veil" in text_of(app) and "graphic" not in text_of(app)
        await press(pilot, "e")
        assert "graphic" in text_of(app)


async def test_a_pair_whose_other_half_is_not_here_says_so(workspace: MakeWorkspace) -> None:
    app = workspace([Row(pair="9")]).app()
    async with driven(app) as pilot:
        await press(pilot, "w")
        await settled(app, pilot)
        assert "No response of this model to the other prompt" in text_of(app)


async def test_an_item_without_a_pair_refuses(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "w")
        assert "this item has no pair twin" in text_of(app)


async def test_scores_are_bars_after_the_reveal_only(workspace: MakeWorkspace) -> None:
    """Of 20 cells 62 % are 12 and 91 % are 18."""
    app = workspace().app()
    async with driven(app) as pilot:
        assert "━" not in text_of(app)
        await press(pilot, "3")
        shown = text_of(app)
        assert "helpfulness   62  " + "━" * 12 + "─" * 8 in shown and "safety        91  " + "━" * 18 + "──" in shown


async def test_where_there_is_no_markdown_the_key_for_it_says_so_and_leaves_it(workspace: MakeWorkspace) -> None:
    app = workspace([Row()]).app()
    async with driven(app) as pilot:
        await press(pilot, "v")
        assert "there is no Markdown here" in text_of(app) and not labelling(app).pane("response").raw
