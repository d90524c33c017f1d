"""The hot half's table of sessions."""

import pytest

from aeron_cluster.cluster.state.session_table import SessionTable

NEVER = 2**63 - 1


def test_session_exists_until_it_is_removed():
    table = SessionTable()
    table.put(5, is_open=True, last_activity_ns=10)
    assert (5 in table, len(table), table.is_open(5)) == (True, 1, True)
    assert (table.last_activity_ns(5), table.ingress_image(5)) == (10, -1)
    assert table.remove(5)
    assert not table.remove(5)
    assert (5 in table, len(table), table.is_open(5)) == (False, 0, False)


def test_putting_a_session_again_replaces_everything():
    table = SessionTable()
    table.put(5, is_open=True, last_activity_ns=10, ingress_image=3)
    table.put(5, is_open=False, last_activity_ns=20)
    assert len(table) == 1
    assert (table.is_open(5), table.last_activity_ns(5), table.ingress_image(5)) == (False, 20, -1)


def test_the_recorded_state_of_a_session_stays():
    table = SessionTable()
    table.put(5, is_open=False, last_activity_ns=10)
    table.set_open(5, True)
    table.touch(5, 30)
    table.link(5, 99)
    assert (table.is_open(5), table.last_activity_ns(5), table.ingress_image(5)) == (True, 30, 99)
    table.touch_all(40)
    assert table.last_activity_ns(5) == 40


def test_an_unknown_session_is_a_key_error():
    table = SessionTable()
    for call in (
        lambda: table.set_open(5, True),
        lambda: table.touch(5, 1),
        lambda: table.link(5, 1),
        lambda: table.last_activity_ns(5),
        lambda: table.ingress_image(5),
    ):
        with pytest.raises(KeyError, match="5"):
            call()


def test_earliest_activity_is_among_open_sessions():
    table = SessionTable()
    assert table.earliest_activity_ns() == NEVER
    table.put(1, is_open=False, last_activity_ns=1)
    assert table.earliest_activity_ns() == NEVER
    table.put(2, is_open=True, last_activity_ns=7)
    table.put(3, is_open=True, last_activity_ns=5)
    assert table.earliest_activity_ns() == 5
    table.clear()
    assert (len(table), table.earliest_activity_ns()) == (0, NEVER)


@pytest.mark.parametrize("order", [list, reversed], ids=["oldest", "newest"])
@pytest.mark.parametrize("distance", [1, 1 << 32, 1 << 40])
def test_thousands_of_sessions_are_found_until_each_is_removed(distance, order):
    """Whether their slots are spread or the same, and however often the table grew."""
    ids = range(1, 2001 * distance, distance)
    table = SessionTable()
    for count, session_id in enumerate(ids, 1):
        table.put(session_id, is_open=True, last_activity_ns=session_id)
        assert len(table) == count
    assert all(table.last_activity_ns(each) == each for each in ids)
    for session_id in order(ids):
        assert table.remove(session_id)
        assert session_id not in table
    assert (len(table), table.earliest_activity_ns()) == (0, NEVER)


def test_the_other_sessions_of_a_slot_stay_when_one_is_removed():
    ids = [each << 40 for each in range(10)] + [1, 2, 3]
    for removed in ids:
        table = SessionTable()
        for session_id in ids:
            table.put(session_id, is_open=True, last_activity_ns=session_id)
        assert table.remove(removed)
        assert [each for each in ids if each in table] == [each for each in ids if each != removed]
