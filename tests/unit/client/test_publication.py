"""Publications: what an offer and a claim return, raise and leave in the log."""

import mmap
import struct

import numpy as np
import pytest

from aeron_cluster.client.counter import Counter
from aeron_cluster.client.not_sent import ADMIN_ACTION, BACK_PRESSURED, NOT_CONNECTED
from aeron_cluster.client.publication import BufferClaim, ExclusivePublication, Publication
from aeron_cluster.client.subscription import Subscription
from aeron_cluster.errors import (
    BufferUsageError,
    ClosedError,
    MaxPositionExceededError,
    MessageError,
    StateError,
)
from aeron_cluster.memory.shared.commands import Command
from aeron_cluster.memory.shared.counters import AtomicCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.client.fake_driver import TERM_LENGTH

KINDS = ("publication", "exclusive_publication")


@pytest.fixture(params=KINDS)
def publication(request, aeron):
    return getattr(aeron, f"add_{request.param}")("aeron:ipc", 1001)


def log_of(driver, publication):
    return (driver.directory / f"{publication.registration_id}.logbuffer").read_bytes()


def limit_of(driver, publication):
    return AtomicCounter(driver.counters, driver.limits[publication.registration_id])


@pytest.mark.parametrize(
    "message", [b"hello", bytearray(b"hello"), memoryview(b"hello"), np.frombuffer(b"hello", "u1")]
)
def test_any_buffer_can_be_offered(message, driver, publication):
    assert publication.offer(message) == 64
    assert publication.position == 64
    log = log_of(driver, publication)
    assert struct.unpack_from("<iBBH", log) == (37, 0, 0xC0, 1)
    assert log[32:37] == b"hello"


def test_an_empty_message_is_a_frame(publication):
    assert publication.offer(b"") == 32


def test_an_object_without_a_buffer_is_a_type_error(publication):
    with pytest.raises(TypeError):
        publication.offer("text")
    with pytest.raises(TypeError):
        publication.offer(b"x", "no number")


def test_reserved_value_is_written_to_each_frame(driver, publication):
    publication.offer(b"x" * 3000, 0x1234)
    publication.offer(b"y")
    log = log_of(driver, publication)
    assert [struct.unpack_from("<q", log, at + 24)[0] for at in (0, 1408, 2816)] == [0x1234] * 3
    assert struct.unpack_from("<q", log, publication.position - 64 + 24) == (0,)


def test_callable_supplies_the_reserved_value_of_each_frame(driver, publication):
    frames = []

    def supply(frame):
        frames.append(frame)
        return len(frames)

    publication.offer(b"x" * 3000, supply)
    publication.offer_vectored([b"ab", b"cd"], supply)
    publication.offer_vectored([b"y"], 7)
    log = log_of(driver, publication)
    places = (0, 1408, 2816, 3104, 3168)
    assert [struct.unpack_from("<q", log, at + 24)[0] for at in places] == [1, 2, 3, 4, 7]
    assert [len(each) for each in frames] == [1408, 1408, 3000 - 2 * 1376 + 32, 36]
    assert frames[-1][32:] == b"abcd"
    publication.offer(b"z")
    assert struct.unpack_from("<q", log_of(driver, publication), publication.position - 40) == (0,)


def test_exception_of_a_supplier_is_raised_by_the_offer(driver, publication):
    def supply(_):
        raise LookupError("no value")

    with pytest.raises(LookupError, match="no value"):
        publication.offer(b"x" * 3000, supply)
    assert publication.position == 3104
    with pytest.raises(TypeError):
        publication.offer_vectored([b"x"], lambda _: "text")
    log = log_of(driver, publication)
    assert [struct.unpack_from("<q", log, at + 24)[0] for at in (0, 1408, 2816, 3104)] == [0] * 4


def test_publication_reports_whether_it_is_original(driver, aeron, publication):
    assert publication.is_original
    limit = aeron.counters_reader.value(publication.position_limit_id)
    assert limit == publication.position_limit == limit_of(driver, publication).get()


def test_vectored_offer_gathers(driver, publication):
    assert publication.offer_vectored([b"he", bytearray(b"llo"), b"", memoryview(b"!")]) == 64
    assert log_of(driver, publication)[32:38] == b"hello!"
    assert publication.offer_vectored([]) == 96
    with pytest.raises(TypeError):
        publication.offer_vectored([b"x", 5])


def test_results_are_false_where_a_retry_may_help(driver, publication):
    limit = limit_of(driver, publication)
    limit.set(0)
    assert publication.offer(b"x") is BACK_PRESSURED
    assert not publication.offer(b"x")
    assert publication.try_claim(8, BufferClaim()) is BACK_PRESSURED
    assert publication.available_window == 0
    path = driver.directory / f"{publication.registration_id}.logbuffer"
    with path.open("r+b") as log:
        log.seek(path.stat().st_size - 4096 + 136)
        log.write(bytes(4))
    assert publication.offer(b"x") is NOT_CONNECTED
    assert publication.is_connected is False


def test_the_end_of_a_term_is_an_admin_action(driver, publication):
    limit_of(driver, publication).set(1 << 40)
    results = [publication.offer(bytes(1376)) for _ in range(TERM_LENGTH // 1408 + 1)]
    assert results[-1] is ADMIN_ACTION
    assert publication.offer(b"x") == TERM_LENGTH + 64


def test_the_last_position_raises(driver, aeron):
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    path = driver.directory / f"{publication.registration_id}.logbuffer"
    with path.open("r+b") as log:
        log.seek(path.stat().st_size - 4096)
        log.write(struct.pack("<qqqi", *(0, ((2**31 - 1) << 32) + TERM_LENGTH - 32, 0), 2**31 - 1))
    end = TERM_LENGTH << 31
    last = ExclusivePublication(
        None,
        MappedFile.open(SystemFiles(), path, writable=True),
        aeron.counters_reader,
        channel="aeron:ipc",
        registration_id=1,
        original_registration_id=1,
        limit_counter_id=driver.limits[publication.registration_id],
        channel_status_id=-1,
    )
    limit_of(driver, publication).set(end)
    assert last.position == end - 32
    with pytest.raises(MaxPositionExceededError, match=str(end)):
        last.offer(b"does not fit")


def test_too_long_message_is_rejected(publication):
    assert publication.max_message_length == TERM_LENGTH // 8
    assert publication.offer(bytes(TERM_LENGTH // 8))
    with pytest.raises(MessageError, match=str(TERM_LENGTH // 8)):
        publication.offer(bytes(TERM_LENGTH // 8 + 1))
    with pytest.raises(MessageError, match="1376"):
        publication.try_claim(1377, BufferClaim())
    with pytest.raises(MessageError):
        publication.try_claim(-1, BufferClaim())


@pytest.mark.parametrize(
    "send",
    [
        lambda to, huge: to.offer(huge),
        lambda to, huge: to.offer(huge, 7),
        lambda to, huge: to.offer_block(huge),
    ],
    ids=["offer", "offer with a value", "block"],
)
def test_message_of_2_gib_is_rejected_by_its_length(aeron, send):
    publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
    with mmap.mmap(-1, 2**31) as huge, pytest.raises(MessageError, match=str(2**31)):
        send(publication, huge)
    assert publication.position == 0


def test_publication_has_the_limits_of_its_log(publication):
    assert publication.max_payload_length == 1408 - 32
    assert publication.max_possible_position == TERM_LENGTH << 31
    assert publication.position_bits_to_shift == 16


def test_a_claim_is_written_in_place(driver, publication):
    claim = BufferClaim()
    assert not claim
    assert publication.try_claim(16, claim) == 64
    assert len(claim) == 16
    struct.pack_into("<q", claim, 0, 42)
    claim.put(b"12345678", 8)
    claim.reserved_value = 7
    claim.flags = 0xC0
    assert (claim.reserved_value, claim.flags) == (7, 0xC0)
    assert struct.unpack_from("<i", log_of(driver, publication))[0] < 0
    claim.commit()
    log = log_of(driver, publication)
    assert struct.unpack_from("<i", log) == (48,)
    assert log[24:48] == struct.pack("<qq", 7, 42) + b"12345678"
    assert not claim
    with pytest.raises(StateError):
        claim.commit()
    with pytest.raises(StateError):
        memoryview(claim)
    for field in ("reserved_value", "flags"):
        with pytest.raises(StateError):
            getattr(claim, field)


def test_an_aborted_claim_is_padding(driver, publication):
    claim = BufferClaim()
    publication.try_claim(16, claim)
    claim.abort()
    assert struct.unpack_from("<iBBH", log_of(driver, publication))[3] == 0


def test_a_claim_as_a_context_commits_or_aborts(driver, publication):
    claim = BufferClaim()
    publication.try_claim(16, claim)
    with claim:
        claim.put(b"x")
    publication.try_claim(16, claim)
    with pytest.raises(ValueError, match="mine"), claim:
        raise ValueError("mine")
    log = log_of(driver, publication)
    assert [struct.unpack_from("<H", log, at + 6)[0] for at in (0, 64)] == [1, 0]


@pytest.mark.parametrize("kind", ["commit", "abort"])
def test_a_claim_that_ended_within_its_context_stays_so(driver, publication, kind):
    claim = BufferClaim()
    publication.try_claim(16, claim)
    with claim:
        getattr(claim, kind)()
        assert len(claim) == 0
    log = log_of(driver, publication)
    assert struct.unpack_from("<H", log, 6)[0] == (kind == "commit")
    assert publication.try_claim(16, claim) == 128


def test_a_publication_has_the_local_address_of_its_channel(driver, aeron):
    status_id = driver.counters.allocate("snd-channel", 6, now_ms=0, value=1)
    key = struct.pack("<ii", status_id, 14) + b"127.0.0.1:4567"
    driver.counters.allocate("snd-local-sockaddr", 14, key, now_ms=0, value=1)
    assert aeron.add_publication("aeron:ipc", 1001).local_socket_addresses == []
    driver.answers[Command.ADD_PUBLICATION] = lambda data: driver.publication_ready(
        data, is_exclusive=False, channel_status_id=status_id
    )
    publication = aeron.add_publication("aeron:udp?endpoint=localhost:4568", 1001)
    assert publication.local_socket_addresses == ["127.0.0.1:4567"]
    publication.close()
    assert publication.local_socket_addresses == []


@pytest.mark.parametrize("kind", [Counter, ExclusivePublication, Publication, Subscription])
def test_an_object_that_no_client_made_closes_without_effect(kind):
    bare = kind.__new__(kind)
    bare.close()
    if kind is ExclusivePublication:
        bare.revoke()


def test_discarded_claim_is_aborted(driver, publication):
    claim = BufferClaim()
    publication.try_claim(16, claim)
    del claim
    assert struct.unpack_from("<iBBH", log_of(driver, publication)) == (48, 0, 0xC0, 0)


def test_a_claim_waits_for_its_views(publication):
    claim = BufferClaim()
    publication.try_claim(16, claim)
    view = memoryview(claim)
    with pytest.raises(BufferUsageError, match="found 1"):
        claim.commit()
    view.release()
    with pytest.raises(StateError):
        publication.try_claim(16, claim)
    with pytest.raises(MessageError):
        claim.put(b"x" * 17)
    with pytest.raises(MessageError):
        claim.put(b"x", -1)
    claim.commit()


def test_a_closed_publication_raises(publication):
    claim = BufferClaim()
    publication.try_claim(8, claim)
    publication.close()
    publication.close()
    for call in (
        lambda: publication.offer(b"x"),
        lambda: publication.offer(b"x", 5),
        lambda: publication.offer(bytes(8000)),
        lambda: publication.offer_vectored([b"x"]),
        lambda: publication.try_claim(8, BufferClaim()),
        lambda: publication.position,
        lambda: publication.position_limit,
        lambda: publication.add_destination("aeron:udp?endpoint=localhost:1"),
    ):
        with pytest.raises(ClosedError):
            call()
    assert publication.is_connected is False
    assert publication.session_id > 0
    assert publication.channel_status == -1
    publication.release()  # as the end of its linger does
    for call in (
        lambda: publication.offer(b"x"),
        lambda: publication.offer_vectored([b"x"]),
        lambda: publication.try_claim(8, BufferClaim()),
    ):
        with pytest.raises(ClosedError):
            call()
    claim.put(b"x")  # its range is still mapped
    claim.commit()


def test_padding_and_blocks_can_be_offered(driver, aeron):
    first = aeron.add_exclusive_publication("aeron:ipc", 1001)
    assert first.append_padding(96) == 128
    assert first.offer(b"block") == 192
    assert (first.term_id, first.term_offset) == (0, 192)
    second = aeron.add_exclusive_publication("aeron:ipc", 1001)
    block = bytearray(log_of(driver, first)[128:192])
    with pytest.raises(MessageError, match="complete frames for term 0 from 0"):
        second.offer_block(block)
    struct.pack_into("<ii", block, 8, 0, second.session_id)
    assert second.offer_block(block) == 64


def test_revoke_notifies_the_driver(driver, aeron):
    for by in ("revoke", "revoke_on_close", "close"):
        publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
        if by == "revoke_on_close":
            publication.revoke_on_close = True
        assert publication.revoke_on_close is (by == "revoke_on_close")
        publication.revoke() if by == "revoke" else publication.close()
        driver.do_work()
        flags = struct.unpack_from("<qq", driver.last(Command.REMOVE_PUBLICATION), 16)
        assert flags == (publication.registration_id, by != "close")
