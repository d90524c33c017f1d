"""A log identifies itself; a buffer that is not a log is rejected with the invalid field."""

import struct

import pytest

from aeron_cluster.driver.streams.log_settings import LogSettings
from aeron_cluster.driver.streams.raw_log import RawLog
from aeron_cluster.errors import ClosedError, CorruptError
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.logbuffer.log_buffers import LogBuffer

TERM_LENGTH = 65536


def test_describes_a_log():
    log = LocalLog(
        "exclusive",
        session_id=-9,
        stream_id=10,
        initial_term_id=2**31 - 1,
        position=TERM_LENGTH + 64,
        page_size=65536,
    )
    log.offer(b"x")
    log.is_connected = True
    with LogBuffer(log, "a log") as found:
        assert found.path == "a log"
        assert (found.term_length, found.mtu_length, found.page_size) == (65536, 1408, 65536)
        assert (found.max_payload_length, found.max_message_length) == (1376, 8192)
        assert found.max_possible_position == 2**47
        assert (found.session_id, found.stream_id, found.initial_term_id) == (-9, 10, 2**31 - 1)
        assert (found.type, found.correlation_id, found.active_term_count) == (1, 1, 1)
        assert found.raw_tails == (
            (2**31 - 1) << 32,
            (-(2**31) << 32) + 128,
            (2**31 - 2) << 32,
        )
        assert found.producer_position == TERM_LENGTH + 128
        assert found.end_of_stream_position == 2**63 - 1
        assert found.is_connected
        assert not found.is_publication_revoked
        assert found.active_transport_count == 0
        term = found.term(1)
        assert term.readonly
        assert struct.unpack_from("<i", term, 64) == (33,)
        for index in (-1, 3):
            with pytest.raises(IndexError):
                found.term(index)
    assert struct.unpack_from("<i", term, 64) == (33,)
    found.close()
    with pytest.raises(ClosedError, match="a log"):
        _ = found.term_length


def test_an_image_has_no_tails():
    found = LogBuffer(LocalLog("image", initial_term_id=5, position=3 * TERM_LENGTH))
    assert (found.raw_tails, found.active_term_count, found.type) == ((0, 0, 0), 0, 2)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        (276, 65535, "term length"),
        (276, 0, "term length"),
        (276, -65536, "term length"),
        (276, 32768, "term length"),
        (276, 131072, "log length"),
        (280, 4095, "page size"),
        (280, 0, "page size"),
        (280, -(2**31), "page size"),
        (280, 1 << 20, "log length"),
        (272, 1407, "MTU length"),
        (272, 32, "MTU length"),
        (272, 65536, "MTU length"),
        (268, 24, "default frame header length"),
    ],
)
def test_rejects_a_length_no_log_has(field, value, what):
    content = bytearray(LocalLog())
    struct.pack_into("<i", content, len(content) - 4096 + field, value)
    with pytest.raises(CorruptError) as caught:
        LogBuffer(content, "bad.logbuffer")
    assert caught.value.what == what
    assert caught.value.path == "bad.logbuffer"
    if what != "log length":
        assert caught.value.found == value
        assert caught.value.offset == len(content) - 4096 + field


@pytest.mark.parametrize("length", [0, 1, 4095, 4096, 8192, 3 * TERM_LENGTH + 4095])
def test_rejects_a_truncated_log(length):
    content = bytes(LocalLog())[:length]
    with pytest.raises(CorruptError):
        LogBuffer(content)


@pytest.mark.parametrize(
    ("term_id", "term_offset"), [(6, 0), (7, -32), (7, 33), (7, TERM_LENGTH + 32)]
)
def test_a_log_starts_at_a_position_of_its_stream(term_id, term_offset):
    settings = LogSettings(
        type=0,
        session_id=1,
        stream_id=1,
        initial_term_id=7,
        term_id=term_id,
        term_offset=term_offset,
        term_length=TERM_LENGTH,
        mtu_length=1408,
        correlation_id=1,
    )
    with pytest.raises(CorruptError, match="start none, expected a term id and an aligned"):
        RawLog(bytearray(RawLog.file_length(TERM_LENGTH, 4096)), "a log", settings)


def test_a_log_may_be_opened_again():
    first, second = bytearray(LocalLog(session_id=1)), bytearray(LocalLog(session_id=2))
    found = LogBuffer(first, "first")
    found.__init__(second, "second")
    assert (found.path, found.session_id) == ("second", 2)
    first.clear()  # no buffer of it is held
    found.close()
    second.clear()


def test_a_log_starts_at_the_given_position():
    for count in range(7):
        found = LogBuffer(LocalLog(initial_term_id=100, position=count * TERM_LENGTH + 320))
        assert found.active_term_count == count
        assert found.producer_position == count * TERM_LENGTH + 320
        expected = {count % 3: (100 + count, 320)}
        for k in (1, 2):
            expected[(count + k) % 3] = (100 + count + k - 3, 0)
        assert found.raw_tails == tuple((expected[i][0] << 32) + expected[i][1] for i in range(3))


def test_cleaning_zeroes_one_term_at_most():
    log = LocalLog("exclusive")
    while log.offer(b"\xff" * 1000) != -3:
        pass
    log.offer(b"\xff" * 1000)
    with memoryview(log) as memory:
        memory[:8] = b"\xff" * 8
    assert log.clean(0, 0) == 0
    assert log.clean(64, 32) == 64
    assert log.clean(0, 96) == 96
    assert bytes(memoryview(log)[:96]) == bytes(96)
    assert memoryview(log)[96] == 0xFF
    assert log.clean(96, 2 * TERM_LENGTH) == TERM_LENGTH
    assert not any(memoryview(log)[:TERM_LENGTH])
    assert memoryview(log)[TERM_LENGTH + 32] == 0xFF
