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
