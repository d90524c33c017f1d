"""Session ids: unique, consecutive, never allocated from the reserved range."""

from aeron_cluster.driver.control.session_ids import SessionIds


def test_skips_the_reserved_range():
    ids = SessionIds(-3, -1, 1000)
    assert [ids.next(1, "c") for _ in range(4)] == [-3, -2, 1001, 1002]


def test_wraps_as_a_number_of_32_bits():
    ids = SessionIds(2**31 - 1, -1, 1000)
    assert [ids.next(1, "c") for _ in range(2)] == [2**31 - 1, -(2**31)]


def test_skips_ids_in_use_on_the_stream_and_channel():
    ids = SessionIds(2000, -1, 1000)
    ids.add(2000, 1, "c")
    ids.add(2001, 2, "c")
    assert ids.next(1, "c") == 2001


def test_without_a_channel_skips_ids_in_use_on_any():
    ids = SessionIds(2000, -1, 1000)
    ids.add(2000, 1, "c")
    ids.add(2001, 1, "d")
    assert ids.next(1) == 2002


def test_a_released_id_may_be_reused():
    ids = SessionIds(2000, -1, 1000)
    ids.add(-5, 1, "c")
    assert ids.is_used(-5, 1, "c")
    ids.release(-5, 1, "c")
    assert not ids.is_used(-5, 1, "c")
