"""Journals of judged services: each effect that differs is named with its place."""

import pytest

from aeron_cluster.errors import CallbackPlace
from aeron_cluster.simulator.members.journal import Entry, Journal

PLACE = CallbackPlace("Orders", "on_timer_event", 64, 1, "/services/orders.py", 17)
WHERE = "at log position 64, member 1 (orders.py:17)"
RULE = "services differ, or did not restore their snapshot"


@pytest.fixture
def journal():
    return Journal(0, is_judged=True)


def place():
    return PLACE


def found(journal):
    return [(each.text, each.place) for each in journal.violations]


def test_equal_effects_are_no_violation(journal):
    for source in ("member 0", "member 1"):
        journal.on_timer_request(64, 0, "timer 5 at 100", source, place)
        journal.on_answer(64, 0, 7, b"answer", source, place)
        journal.on_offer(64, 0, b"message", source, place)
        journal.on_done(64, 3, source, place)
    assert journal.violations == []


def test_another_timer_request_is_named(journal):
    journal.on_timer_request(64, 0, "timer 5 at 100", "member 0", place)
    journal.on_timer_request(64, 0, "no timer 5", "member 1", place)
    text = (
        "on_timer_event of member 1 requested no timer 5 where member 0 requested timer 5 at 100,"
        f" {WHERE}: {RULE}"
    )
    assert found(journal) == [(text, PLACE)]


def test_another_answer_is_named(journal):
    journal.on_answer(64, 0, 7, b"answer", "member 0", place)
    journal.on_answer(64, 0, 8, bytes(40), "member 1", place)
    text = (
        f"on_timer_event of member 1 answered session 8 with {bytes(32)!r}... (40 bytes) where"
        f" member 0 answered session 7 with b'answer', {WHERE}: {RULE}"
    )
    assert found(journal) == [(text, PLACE)]


def test_another_offer_of_an_unknown_place_is_named(journal):
    journal.on_offer(64, 0, b"message", "member 0")
    journal.on_offer(64, 0, b"other", "member 1")
    text = f"member 1 offered b'other' where others offered b'message', at log position 64: {RULE}"
    assert found(journal) == [(text, None)]


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((2, 0), "no effects in member 1 and 2 effects"),
        ((0, 1), "1 effect in member 1 and no effects"),
    ],
)
def test_another_number_of_effects_is_named(journal, counts, text):
    for source, count in zip(("member 0", "member 1"), counts, strict=True):
        journal.on_done(64, count, source, place)
    assert found(journal) == [(f"on_timer_event had {text} in member 0, {WHERE}", PLACE)]


def test_an_event_before_the_end_of_the_journal_is_found(journal):
    assert journal.add(0, Entry(128, "message", 7, 10, b"first"), "member 0")
    assert journal.add(1, Entry(64, "timer", 5, 11, b""), "member 1")
    assert found(journal) == [
        ("member 1 saw timer 5 of 11 before 64: b'' after the end of what was seen, 128", None)
    ]


def test_a_service_of_another_member_is_found(journal):
    journal.on_member_id(2, 2, "member 2")
    journal.on_member_id(-1, 2, "member 2")
    assert found(journal) == [("member 2: its service is that of member -1, expected 2", None)]


def test_another_term_or_session_is_found(journal):
    term = (3, 96, 1000, 0, 2, 5, 0, 1)
    opened = (102, b"aeron:udp?endpoint=a:1", b"")
    for source in ("member 0", "member 1"):
        journal.on_term(term, source)
        journal.on_opened(7, opened, source)
    assert journal.violations == []
    journal.on_term((*term[:4], 1, *term[5:]), "member 1")
    journal.on_opened(7, (*opened[:2], b"me"), "member 1")
    texts = [each.text for each in journal.violations]
    assert texts[0].startswith("member 1 saw the term (3, 96, 1000, 0, 1, 5, 0, 1) where (3, 96,")
    assert texts[1].startswith("member 1 saw session 7 as (102, b'aeron:udp?endpoint=a:1', b'me')")
