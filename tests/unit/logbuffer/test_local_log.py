"""Messages offered to a log are polled from it, in every order a driver allows."""

import pytest

from aeron_cluster.errors import BufferUsageError, ConfigurationError, StateError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.logbuffer.local_log import LocalClaim, LocalLog
from aeron_cluster.logbuffer.term_appender import AppendStatus


@pytest.mark.parametrize("kind", ["concurrent", "exclusive"])
def test_polls_every_message_through_many_terms_and_the_wrap_of_term_ids(kind):
    log = LocalLog(kind, initial_term_id=2**31 - 2, mtu_length=256)
    polled = []
    assembler = FragmentAssembler(lambda m, header: polled.append((bytes(m), header.position)))
    offered = []
    clean_position = 0
    for length in range(1500):
        message = bytes([length % 251]) * length
        position = log.offer(message)
        if position == AppendStatus.ADMIN_ACTION:
            position = log.offer(message)
        offered.append((message, position))
        while log.poll(assembler, 3):
            pass
        while clean_position < log.subscriber_position:
            clean_position = log.clean(clean_position, log.subscriber_position)
    assert polled == offered
    assert assembler.session_count == 0
    assert log.producer_position > 20 * 65536


def test_rejects_invalid_lengths():
    for name, value in (("term_length", 65537), ("page_size", 1000), ("mtu_length", 1409)):
        with pytest.raises(ConfigurationError) as caught:
            LocalLog(**{name: value})
        assert caught.value.name == name
        assert caught.value.found == value
    with pytest.raises(ConfigurationError, match="type"):
        LocalLog("shared")
    for position in (-32, 33, (65536 << 31) + 32):
        with pytest.raises(ConfigurationError, match="position: expected a multiple of 32"):
            LocalLog(position=position)


def test_a_packet_longer_than_a_term_is_not_inserted():
    log = LocalLog()
    before = bytes(memoryview(log))
    for length in (0, 31, 65536 + 32):
        assert log.insert(bytes(length)) == -1
    assert bytes(memoryview(log)) == before


def test_a_log_is_made_once():
    log = LocalLog()
    log.offer(b"there")
    with pytest.raises(StateError, match="found it made"):
        log.__init__()
    with pytest.raises(StateError, match="found it not"):
        memoryview(LocalLog.__new__(LocalLog))
    polled = []
    log.poll(lambda message, _: polled.append(bytes(message)))
    assert polled == [b"there"]


def test_limit_and_connection_are_those_that_were_set():
    log = LocalLog()
    assert (log.position_limit, log.is_connected) == (2**63 - 1, False)
    log.position_limit, log.is_connected = 4096, True
    assert (log.position_limit, log.is_connected) == (4096, True)


def test_claims_are_only_made_by_a_log():
    with pytest.raises(TypeError, match="only created by try_claim"):
        LocalClaim()


@pytest.mark.parametrize(("length", "offset"), [(-1, 0), (32, 65536), (32, -32), (65536, 32)])
def test_a_gap_is_within_its_term(length, offset):
    with pytest.raises(ValueError, match=f"found {length} at {offset}"):
        LocalLog("image").fill_gap(0, offset, length)


@pytest.mark.parametrize(
    ("term_id", "offset", "length"),
    [(5, 0, 0), (5, 0, 48), (5, 16, 32), (4, 0, 32), (7, 0, 32)],
)
def test_padding_fills_whole_frames_that_may_be_inserted(term_id, offset, length):
    """Positions of other processes' subscribers affect the scan for gaps."""
    log = LocalLog("image", initial_term_id=5)
    before = bytes(log)
    assert not log.fill_gap(term_id, offset, length)
    assert bytes(log) == before
    assert log.fill_gap(5, 0, 96)
    assert log.contiguous_position == 96


def test_a_part_of_a_term_before_padding_may_be_sent():
    log = LocalLog("exclusive")
    log.offer(bytes(32))
    log.append_padding(96)
    assert log.scan_for_availability(0, 64) == (64, 0)
    assert log.scan_for_availability(0, 80) == (64, 0)  # no space for the header
    assert log.scan_for_availability(0, 96) == (96, 96)
    assert log.scan_for_availability(64, 16) == (-32, 0)


def test_a_claim_is_filled_in_place_and_rejected_after_its_commit():
    log = LocalLog()
    claim = log.try_claim(5)
    assert isinstance(claim, LocalClaim)
    view = memoryview(claim)
    view[:] = b"hello"
    with pytest.raises(BufferUsageError):
        claim.commit()
    view.release()
    claim.set_header(reserved_value=7)
    polled = []
    assert log.poll(lambda m, _: polled.append(bytes(m))) == 0
    claim.commit()
    with pytest.raises(StateError):
        claim.commit()
    with pytest.raises(BufferUsageError):
        memoryview(claim)
    assert log.poll(lambda m, h: polled.append((bytes(m), h.reserved_value))) == 1
    assert polled == [(b"hello", 7)]
