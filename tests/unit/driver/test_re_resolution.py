"""Names that are resolved again, with the resolver ``csv_table``: its counters choose addresses."""

import pytest

from aeron_cluster.memory.shared.commands import Command, Event
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.unit.driver.by_hand import ByHand, S

FIRST, SECOND = ("10.0.0.8", 4000), ("10.0.0.9", 4000)
STATUS_TYPE = 2001  # of the resolver's counter: 0 for the first address, 1 the second, -1 none
PUBLICATION = "aeron:udp?endpoint=there:4000"
SUBSCRIPTION = "aeron:udp?control=there:4000|control-mode=dynamic"


@pytest.fixture
def hand(shm_dir):
    by_hand = ByHand(
        shm_dir / "driver",
        name_resolver_supplier="csv_table",
        name_resolver_init_args="there,10.0.0.8,10.0.0.9",
    )
    by_hand.sockets = [by_hand.network.open(bind=each) for each in (FIRST, SECOND)]
    yield by_hand
    by_hand.close()


def choose(hand, number):
    [entry] = [each for each in hand.counters.counters() if each.type_id == STATUS_TYPE]
    hand.counters.set_value(entry.counter_id, number)


def receivers(hand, duration_ns=7 * S):
    """Return which addresses get frames, once silent ones have been resolved again."""
    hand.run(duration_ns)
    for socket in hand.sockets:
        while socket.receive() is not None:
            pass
    hand.run(S)
    return [socket.receive() is not None for socket in hand.sockets]


def changes(hand):
    return hand.counters.value(SystemCounter.SYSTEM_RESOLUTION_CHANGES)


def test_name_that_resolves_to_its_first_address_again_is_followed(hand):
    hand.ready(hand.add_publication(PUBLICATION))
    assert receivers(hand) == [True, False]
    choose(hand, 1)
    assert receivers(hand) == [False, True]
    choose(hand, 0)
    assert receivers(hand) == [True, False]
    assert changes(hand) == 2


def test_tag_refers_to_a_publication_whose_name_was_resolved_again(hand):
    first = hand.ready(hand.add_publication(f"{PUBLICATION}|tags=7", 11))
    choose(hand, 1)
    assert receivers(hand) == [False, True]
    for channel in ("aeron:udp?tags=7", f"{PUBLICATION}|tags=7"):
        assert hand.ready(hand.add_publication(channel, 11))[1:3] == first[1:3]
    choose(hand, 0)  # another address than that of the open channel
    code, text = hand.error(hand.add_publication(f"{PUBLICATION}|tags=7", 11))
    assert "mismatched endpoint or control" in text, code


def test_tag_refers_to_a_subscription_whose_control_name_was_resolved_again(hand):
    hand.add_subscription(f"{SUBSCRIPTION}|tags=7")
    choose(hand, 1)
    assert receivers(hand) == [False, True]
    before = len(hand.all(Event.ON_ERROR))
    for channel in ("aeron:udp?tags=7", f"{SUBSCRIPTION}|tags=7"):
        hand.add_subscription(channel)
    assert len(hand.all(Event.ON_ERROR)) == before


def test_destination_without_an_address_is_added_and_resolved_later(hand):
    publication = hand.add_publication("aeron:udp?control=127.0.0.1:4100|control-mode=manual")
    choose(hand, -1)
    hand.destination(Command.ADD_DESTINATION, publication, PUBLICATION)
    assert hand.all(Event.ON_ERROR) == []
    assert hand.counters.value(SystemCounter.SYSTEM_ERRORS) == 0
    hand.run(2 * S)
    assert [socket.receive() for socket in hand.sockets] == [None, None]
    choose(hand, 0)
    assert receivers(hand) == [True, False]
    assert changes(hand) == 1


def test_failed_lookup_is_reported_with_upstreams_text_and_the_name(hand):
    hand.ready(hand.add_publication(PUBLICATION))
    choose(hand, -1)
    hand.run(7 * S)
    texts = [each.text for each in hand.cnc.error_log().entries()]
    assert any("Unable to resolve host" in each and "endpoint=there" in each for each in texts)
