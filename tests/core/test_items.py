"""Content ids: one for each content, whatever the texts are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.items import ID_LENGTH, content_id

parts = st.lists(st.text(st.sampled_from("aÿé\x00\udc80\udcff\ud83d\ude00😀"), max_size=4), min_size=1, max_size=3)


@given(first=parts, second=parts)
def test_no_two_contents_share_an_id(first: list[str], second: list[str]) -> None:
    """However they are split, with lone surrogates as with pairs of them."""
    assert (content_id(*first) == content_id(*second)) == (first == second)
    assert len(content_id(*first)) == ID_LENGTH
