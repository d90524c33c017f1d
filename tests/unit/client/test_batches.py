"""Batches of messages: header fields as columns, payloads in place, no access after the release."""

import struct

import numpy as np
import pytest

from aeron_cluster.errors import BufferUsageError, ClosedError, CorruptError, MessageError
from tests.unit.client.fake_driver import TERM_LENGTH
from tests.unit.client.test_subscription import Stream

ORDER = np.dtype([("number", "<i8"), ("price", "<f8")])


@pytest.fixture
def subscription(aeron):
    return aeron.add_subscription("aeron:ipc", 1001)


@pytest.fixture
def stream(driver, aeron, subscription):
    return Stream(driver, aeron, subscription)


def send_orders(stream, count):
    for number in range(count):
        assert stream.publication.offer(struct.pack("<qd", number, number / 2))


def test_header_columns_match_those_of_a_handler(stream):
    sent = [b"x" * length for length in (1, 31, 32, 33, 100)]
    for message in sent:
        stream.publication.offer(message)
    with stream.subscription.poll_batch() as batch:
        headers = batch.headers
        assert len(batch) == len(headers) == 5
        assert [bytes(batch[place]) for place in range(5)] == sent
        assert bytes(batch[-1]) == sent[-1]
        assert headers["length"].tolist() == [1, 31, 32, 33, 100]
        assert headers["flags"].tolist() == [0xC0] * 5
        assert set(headers["session_id"]) == {stream.publication.session_id}
        assert set(headers["stream_id"]) == {1001}
        assert stream.image.position == 0  # the publisher may not overwrite the data yet
        positions = headers["position"].tolist()
        offsets = headers["term_offset"].tolist()
    assert stream.image.position == stream.publication.position == positions[-1]
    assert offsets == [0, *positions[:-1]]
    assert stream.subscription.poll_batch() is None


def test_payloads_of_one_length_are_read_in_place(stream):
    send_orders(stream, 50)
    with stream.subscription.poll_batch() as batch:
        orders = batch.records(ORDER)
        assert orders["number"].tolist() == list(range(50))
        assert orders["price"].sum() == sum(range(50)) / 2
        assert np.shares_memory(orders, batch.data)
        assert not orders.flags.writeable
        del orders


def test_payloads_of_several_lengths_are_copied(stream):
    for number in range(10):
        stream.publication.offer(struct.pack("<qd", number, 0.5) + b"tail" * (number % 4 * 20))
    with stream.subscription.poll_batch() as batch:
        orders = batch.records(ORDER)
        assert not np.shares_memory(orders, batch.data)
        with pytest.raises(MessageError, match="at least 20 bytes"):
            batch.records("V20")
    assert orders["number"].tolist() == list(range(10))


def test_a_batch_has_no_more_than_was_requested(stream):
    send_orders(stream, 5)
    with stream.subscription.poll_batch(3) as batch:
        assert batch.records(ORDER)["number"].tolist() == [0, 1, 2]
    with stream.subscription.poll_batch(3) as batch:
        assert batch.records(ORDER)["number"].tolist() == [3, 4]
    with pytest.raises(ValueError, match="at least 1"):
        stream.subscription.poll_batch(0)


def test_everything_is_rejected_after_the_release(stream):
    send_orders(stream, 2)
    batch = stream.subscription.poll_batch()
    batch.release()
    batch.release()
    assert batch.is_released
    for use in (
        lambda: batch.headers,
        lambda: batch.data,
        lambda: batch.records(ORDER),
        lambda: batch[0],
        lambda: len(batch),
        lambda: memoryview(batch),
    ):
        with pytest.raises(BufferUsageError, match="after"):
            use()


def test_an_array_retained_after_the_release_is_an_error_and_no_crash(stream):
    send_orders(stream, 2)
    batch = stream.subscription.poll_batch()
    orders = batch.records(ORDER)
    with pytest.raises(BufferUsageError, match="no view of it"):
        batch.release()
    assert stream.image.position == stream.publication.position
    assert orders["number"].tolist() == [0, 1]  # still mapped


def test_the_next_poll_releases_the_batch(stream):
    send_orders(stream, 4)
    first = stream.subscription.poll_batch(1)
    second = stream.subscription.poll_batch(1)
    assert (first.is_released, second.is_released) == (True, False)
    got = []
    stream.subscription.poll(lambda message, _: got.append(struct.unpack("<qd", message)[0]))
    assert second.is_released
    assert got == [2, 3]


def test_a_batch_ends_with_its_term_and_passes_over_padding(driver, stream):
    length = 1024
    driver.counters.set_value(driver.limits[stream.publication.registration_id], 2 * TERM_LENGTH)
    per_term = TERM_LENGTH // (length + 32)
    for _ in range(per_term):
        stream.publication.offer(bytes(length))
    assert stream.publication.offer(bytes(100)) < 0  # it does not fit, padding is written
    assert stream.publication.offer(b"next term") > 0
    with stream.subscription.poll_batch() as batch:
        assert len(batch) == per_term
    assert stream.image.position == TERM_LENGTH
    with stream.subscription.poll_batch() as batch:
        assert bytes(batch[0]) == b"next term"


def test_padding_alone_is_no_batch_and_is_consumed(driver, stream):
    driver.counters.set_value(driver.limits[stream.publication.registration_id], 2 * TERM_LENGTH)
    per_term = TERM_LENGTH // 1056
    for _ in range(per_term):
        stream.publication.offer(bytes(1024))
    assert stream.publication.offer(bytes(100)) < 0
    assert stream.publication.offer(b"next term") > 0
    with stream.subscription.poll_batch(per_term) as batch:
        assert len(batch) == per_term
    assert stream.image.position == per_term * 1056
    assert stream.subscription.poll_batch() is None
    assert stream.image.position == TERM_LENGTH
    with stream.subscription.poll_batch() as batch:
        assert bytes(batch[0]) == b"next term"


def test_one_message_is_read_in_place(stream):
    send_orders(stream, 1)
    with stream.subscription.poll_batch() as batch:
        orders = batch.records(ORDER)
        assert orders.tolist() == [(0, 0.0)]
        assert np.shares_memory(orders, batch.data)
        del orders


def test_a_batch_is_read_only_and_has_no_other_messages(stream):
    send_orders(stream, 2)
    with stream.subscription.poll_batch() as batch:
        with pytest.raises(TypeError, match="read-write"):
            struct.pack_into("<q", batch, 0, 7)
        for index, place in ((2, 2), (-3, -1)):
            with pytest.raises(IndexError, match=f"expected below 2, found {place}"):
                batch[index]
        assert bytes(batch[-2]) == struct.pack("<qd", 0, 0)


def test_images_take_turns(driver, aeron, stream, subscription):
    other = Stream(driver, aeron, subscription)
    for each in (stream, other):
        send_orders(each, 2)
    sessions = []
    while batch := subscription.poll_batch(1):
        sessions.append(int(batch.headers["session_id"][0]))
    assert len(sessions) == 4
    assert sessions[0] != sessions[1]


def test_a_closed_subscription_rejects_and_a_released_batch_moves_nothing(stream):
    send_orders(stream, 1)
    batch = stream.subscription.poll_batch()
    stream.subscription.close()
    batch.release()
    with pytest.raises(ClosedError):
        stream.subscription.poll_batch()


def test_bad_frame_is_an_error_once_it_is_the_first(driver, stream):
    send_orders(stream, 1)
    path = driver.directory / f"{stream.image_id}.logbuffer"
    with path.open("r+b") as log:
        log.seek(64)
        log.write(struct.pack("<i", 7))
    with stream.subscription.poll_batch() as batch:
        assert len(batch) == 1
    with pytest.raises(CorruptError):
        stream.subscription.poll_batch()
    assert stream.image.is_given_up
