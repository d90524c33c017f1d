"""Subscriptions and images: how images are added, read and removed."""

import contextlib
import errno
import gc
import resource
import struct
from contextlib import contextmanager

import pytest

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.errors import (
    BufferUsageError,
    ClosedError,
    ConfigurationError,
    CorruptError,
    MessageError,
    OperationError,
)
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.memory.shared.commands import Command, Event
from tests.unit.client.fake_driver import TERM_LENGTH
from tests.unit.client.test_aeron import turn
from tests.waiting import await_true


@contextmanager
def no_more_files():
    """Make the system reject another open file of this process."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def ignore(_message, _header):
    """Poll to advance."""


class Stream:
    """A publication of the client; its log is also the image of the client's subscription."""

    def __init__(self, driver, aeron, subscription):
        self.publication = aeron.add_exclusive_publication("aeron:ipc", 1001)
        self.image_id = self.publication.registration_id
        self.subscription = subscription
        path = driver.directory / f"{self.image_id}.logbuffer"
        self.counter_id = driver.available_image(subscription.registration_id, self.image_id, path)
        turn(driver, aeron)
        self.image = subscription.images[-1]


@pytest.fixture
def subscription(aeron):
    return aeron.add_subscription("aeron:ipc", 1001)


@pytest.fixture
def stream(driver, aeron, subscription):
    return Stream(driver, aeron, subscription)


def test_an_image_has_the_values_of_its_event(driver, stream, subscription):
    image = stream.image
    assert image.correlation_id == stream.image_id
    assert image.session_id == stream.publication.session_id
    assert image.source_identity == "aeron:ipc"
    assert image.subscription is subscription
    assert image.subscriber_position_id == stream.counter_id
    assert (image.join_position, image.position) == (0, 0)
    assert image.log_file == str(driver.directory / f"{stream.image_id}.logbuffer")
    assert subscription.image_by_session_id(image.session_id) is image
    assert subscription.image_by_session_id(1) is None
    assert list(subscription) == [image]
    assert subscription.is_connected


def test_image_with_a_failed_mapping_is_retried(driver, connect):
    errors = []
    made = []
    aeron = connect(error_handler=errors.append)
    subscription = aeron.add_subscription(
        "aeron:ipc", 1001, available_image_handler=lambda image: made.append(image.correlation_id)
    )
    path = driver.log(70, "image", 7, 1001)
    for image_id in (70, 71):
        driver.available_image(subscription.registration_id, image_id, path)
    with no_more_files():
        turn(driver, aeron)
    assert [error.errno for error in errors] == [errno.EMFILE] * 2
    assert "image of session 7" in errors[0].__notes__[0]
    assert not subscription.images
    driver.unavailable_image(subscription.registration_id, 71)  # it no longer waits to be mapped

    def is_mapped():
        turn(driver, aeron)
        return bool(made)

    await_true(is_mapped, "the image is mapped")
    assert made == [70]
    assert [image.correlation_id for image in subscription.images] == [70]
    assert len(errors) == 2


def test_an_image_waiting_to_be_mapped_ends_with_its_subscription(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    path = driver.log(70, "image", 7, 1001)
    driver.available_image(subscription.registration_id, 70, path)
    with no_more_files():
        turn(driver, aeron)
    assert len(errors) == 1
    subscription.close()
    other = aeron.add_subscription("aeron:ipc", 1002)
    driver.available_image(other.registration_id, 71, path)
    with no_more_files():
        turn(driver, aeron)

    def is_mapped():
        turn(driver, aeron)
        return bool(other.images)

    await_true(is_mapped, "the image is mapped")
    assert not subscription.images


def await_mapping(driver, connect, *handlers):
    """Return a client, its errors, its subscriptions, and the paths of their unmapped images."""
    errors = []
    aeron = connect(error_handler=errors.append, keepalive_interval_ns=1)
    subscriptions = [
        aeron.add_subscription("aeron:ipc", 1001, available_image_handler=handler)
        for handler in handlers
    ]
    count = len(handlers)
    paths = [driver.log(70 + each, "image", 7, 1001) for each in range(count)]
    with no_more_files():
        for each, (subscription, path) in enumerate(zip(subscriptions, paths, strict=True)):
            driver.available_image(subscription.registration_id, 70 + each, path)
        turn(driver, aeron)
    assert [error.errno for error in errors] == [errno.EMFILE] * count
    errors.clear()
    return aeron, errors, subscriptions, paths


def test_image_that_cannot_be_mapped_for_long_is_reported_once(driver, connect):
    aeron, errors, (subscription,), _ = await_mapping(driver, connect, None)
    with no_more_files():
        for _ in range(3):
            turn(driver, aeron)
    assert (errors, subscription.images) == ([], ())
    turn(driver, aeron)
    assert [image.correlation_id for image in subscription.images] == [70]
    assert errors == []


@pytest.mark.parametrize("is_damaged", [True, False])
def test_waiting_image_without_a_valid_log_is_dropped(driver, connect, is_damaged):
    aeron, errors, (subscription,), (path,) = await_mapping(driver, connect, None)
    valid = path.read_bytes()
    if is_damaged:
        path.write_bytes(bytes(len(valid)))
    else:
        path.unlink()
    turn(driver, aeron)
    assert [type(error) for error in errors] == [CorruptError] * is_damaged
    path.write_bytes(valid)
    for _ in range(3):
        turn(driver, aeron)
    assert len(errors) == is_damaged
    assert subscription.images == ()


def test_waiting_image_of_a_subscription_closed_by_a_handler_is_dropped(driver, connect):
    later = []
    aeron, errors, (first, second), _ = await_mapping(
        driver, connect, lambda _: second.close(), later.append
    )
    turn(driver, aeron)
    assert len(first.images) == 1
    assert second.is_closed
    assert (second.images, later, errors) == ((), [], [])


def test_offers_are_polled_in_order(driver, stream):
    sent = [b"%d" % n for n in range(25)]
    for message in sent:
        assert stream.publication.offer(message)
    got = []
    counts = []
    while count := stream.subscription.poll(
        lambda message, header: got.append((bytes(message), header.position)), 10
    ):
        counts.append(count)
    assert [message for message, _ in got] == sent
    assert counts == [10, 10, 5]
    assert got[-1][1] == stream.publication.position == stream.image.position
    assert driver.counters.value(stream.counter_id) == stream.publication.position


def test_fragments_become_messages_in_an_assembler(stream):
    message = bytes(range(256)) * 20
    stream.publication.offer(message)
    got = []
    fragments = stream.subscription.poll(lambda part, _: got.append(len(part)), 1)
    assert (fragments, got) == (1, [1376])
    stream.publication.offer(message)
    got.clear()
    assembler = FragmentAssembler(lambda whole, _: got.append(bytes(whole)))
    while stream.subscription.poll(assembler):
        pass
    assert got == [message]


def test_what_was_published_so_far_is_skipped(stream):
    """A claim that was left open is skipped, too."""
    image, publication = stream.image, stream.publication
    for _ in range(3):
        assert publication.offer(b"earlier") > 0
    claim = BufferClaim()
    assert publication.try_claim(100, claim) > 0
    image.skip_to_end()
    assert image.position == publication.position == 3 * 64 + 160
    image.skip_to_end()
    assert publication.offer(b"later") > 0
    got = []
    assert stream.subscription.poll(lambda message, _: got.append(bytes(message))) == 1
    assert got == [b"later"]
    claim.abort()
    stream.subscription.close()
    image.skip_to_end()


def test_a_handlers_exception_is_raised_and_its_message_counts(stream):
    for number in range(3):
        stream.publication.offer(b"%d" % number)
    seen = []

    def handler(message, _):
        seen.append(bytes(message))
        if len(seen) == 2:
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        stream.subscription.poll(handler)
    assert stream.image.position == 128
    assert stream.subscription.poll(handler) == 1
    assert seen == [b"0", b"1", b"2"]


def test_a_controlled_poll_obeys_its_handler(stream):
    for number in range(4):
        stream.publication.offer(b"%d" % number)
    answers = [Action.CONTINUE, Action.ABORT, Action.COMMIT, Action.BREAK]
    seen = []

    def handler(message, _):
        seen.append(bytes(message))
        return answers[len(seen) - 1]

    assert stream.subscription.controlled_poll(handler) == 1
    assert stream.image.position == 64
    assert stream.image.controlled_poll(handler) == 2
    assert seen == [b"0", b"1", b"1", b"2"]
    got = []
    assembler = ControlledFragmentAssembler(
        lambda message, _: got.append(bytes(message)) or Action.CONTINUE
    )
    assert stream.subscription.controlled_poll(assembler) == 1
    assert got == [b"3"]


def test_bounded_polls_stop_at_their_limit(stream):
    for number in range(4):
        stream.publication.offer(b"%d" % number)
    seen = []

    def handler(message, _):
        seen.append(bytes(message))
        return Action.CONTINUE

    assert stream.image.bounded_poll(handler, 64) == 1
    assert stream.image.bounded_poll(handler, 64) == 0
    assert stream.image.bounded_controlled_poll(handler, 192) == 2
    assert seen == [b"0", b"1", b"2"]


def test_a_peek_does_not_move_the_position(stream):
    for number in range(3):
        stream.publication.offer(b"%d" % number)
    seen = []

    def handler(message, _):
        seen.append(bytes(message))
        return Action.CONTINUE

    assert stream.image.controlled_peek(0, handler, 128) == 128
    assert stream.image.controlled_peek(128, handler, 1 << 40) == 192
    assert seen == [b"0", b"1", b"2"]
    assert stream.image.position == 0
    with pytest.raises(MessageError, match="33"):
        stream.image.controlled_peek(33, handler, 64)


def test_the_position_only_advances(stream):
    for number in range(3):
        stream.publication.offer(b"%d" % number)
    stream.image.position = 128
    for rejected in (64, 129, 1 << 20):
        with pytest.raises(MessageError, match=str(rejected)):
            stream.image.position = rejected
    got = []
    stream.subscription.poll(lambda message, _: got.append(bytes(message)))
    assert got == [b"2"]


def test_blocks_are_complete_frames(stream):
    for number in range(3):
        stream.publication.offer(b"%d" % number)
    blocks = []
    read = stream.subscription.block_poll(
        lambda block, session_id, term_id: blocks.append((bytes(block), session_id, term_id)), 150
    )
    assert read == 128
    (block, session_id, term_id) = blocks[0]
    assert (len(block), session_id, term_id) == (128, stream.image.session_id, 0)
    assert struct.unpack_from("<i", block, 64) == (33,)
    raw = []
    assert (
        stream.subscription.raw_poll(lambda *seen: raw.append((seen[0], len(seen[1]))), 999) == 64
    )
    assert raw == [(128, 64)]


@pytest.mark.parametrize("poll", ["block_poll", "raw_poll"])
def test_block_whose_view_is_retained_is_rejected(stream, poll):
    stream.publication.offer(b"x")
    retained = []
    with pytest.raises(BufferUsageError, match="no view of its block to remain, found 1"):
        getattr(stream.image, poll)(
            lambda *arguments: retained.append(memoryview(arguments[poll == "raw_poll"])), 4096
        )
    assert len(retained) == 1


def test_a_view_is_invalid_after_its_callback(stream):
    stream.publication.offer(b"one")
    kept = []
    stream.subscription.poll(lambda message, _: kept.append(message))
    with pytest.raises(BufferUsageError):
        bytes(kept[0])
    stream.publication.offer(b"two")
    with pytest.raises(BufferUsageError):
        stream.subscription.poll(lambda message, _: kept.append(memoryview(message)))
    # Possibly wrong, but never a crash, however long it is retained.
    stream.subscription.close()
    stream.image.release()
    assert bytes(kept[1]) == b"two"


def test_images_are_polled_from_a_different_one_each_time(driver, aeron, subscription):
    streams = [Stream(driver, aeron, subscription) for _ in range(3)]
    for stream in streams:
        for _ in range(4):
            stream.publication.offer(b"x")
    order = []
    for _ in range(3):
        subscription.poll(lambda _, header: order.append(header.session_id), 1)
    assert order == [stream.publication.session_id for stream in streams]
    assert subscription.poll(ignore, 100) == 9


def test_an_unavailable_image_is_closed_and_removed(driver, aeron):
    observed = []
    subscription = aeron.add_subscription(
        "aeron:ipc",
        1001,
        available_image_handler=lambda image: observed.append(("there", image.correlation_id)),
        unavailable_image_handler=lambda image: observed.append(("gone", image.correlation_id)),
    )
    stream = Stream(driver, aeron, subscription)
    stream.publication.offer(b"x")
    subscription.poll(ignore)
    driver.unavailable_image(subscription.registration_id, stream.image_id)
    turn(driver, aeron)
    assert observed == [("there", stream.image_id), ("gone", stream.image_id)]
    assert subscription.images == ()
    assert not subscription.is_connected
    assert stream.image.is_closed
    assert stream.image.position == 64
    assert stream.image.is_end_of_stream is False
    assert stream.image.poll(ignore) == 0
    assert subscription.poll(ignore) == 0
    with pytest.raises(ClosedError):
        stream.image.position = 128
    with pytest.raises(ClosedError):
        stream.image.reject("late")


def test_released_image_is_empty_and_keeps_its_final_state(driver, connect):
    aeron = connect(client_resource_linger_duration_ns=0)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    stream = Stream(driver, aeron, subscription)
    image, called = stream.image, []
    for _ in range(2):
        stream.publication.offer(b"x")
    assert subscription.poll(ignore, 1) == 1
    driver.unavailable_image(subscription.registration_id, stream.image_id)
    for _ in range(2):  # the end of its linger
        turn(driver, aeron)
    assert image.log_file is None
    assert image.poll(called.append) == 0
    assert image.controlled_peek(64, called.append, 1 << 20) == 64
    assert image.block_poll(called.append, 1 << 20) == 0
    assert image.raw_poll(called.append, 1 << 20) == 0
    assert called == []
    assert (image.position, image.end_of_stream_position) == (64, 2**63 - 1)
    assert not image.is_publication_revoked
    assert image.active_transport_count == 0
    driver.counters.set_value(stream.counter_id, 4096)  # of another stream by now
    image.mark_closed()
    assert image.position == 64


@pytest.mark.parametrize("poll", ["poll", "poll_batch"])
def test_closed_image_among_others_is_skipped(driver, aeron, subscription, poll):
    closed, other = [Stream(driver, aeron, subscription) for _ in range(2)]
    for stream in (closed, other):
        stream.publication.offer(b"x")
    closed.image.mark_closed()  # as the conductor does before it removes the image
    if poll == "poll":
        assert subscription.poll(ignore, 10) == 1
    else:
        with subscription.poll_batch() as batch:
            assert len(batch) == 1
        assert subscription.poll_batch() is None
    assert (closed.image.position, other.image.position) == (0, 64)


def test_image_may_be_released_during_its_handler(driver, aeron, subscription):
    stream = Stream(driver, aeron, subscription)
    for _ in range(3):
        stream.publication.offer(b"x" * 100)
    seen = []

    def handler(message, _):
        driver.unavailable_image(subscription.registration_id, stream.image_id)
        aeron.conductor_agent_invoker.invoke()
        stream.image.release()  # as the end of its linger does
        gc.collect()
        seen.append(bytes(message))

    assert subscription.poll(handler) == 1
    assert seen == [b"x" * 100]
    # Its position counter may be reused by now.
    assert driver.counters.value(stream.counter_id) == 0


def test_a_subscription_may_be_closed_while_its_handler_runs(driver, aeron, subscription):
    stream = Stream(driver, aeron, subscription)
    stream.publication.offer(b"x")
    stream.publication.offer(b"y")
    seen = []

    def handler(message, _):
        subscription.close()
        seen.append(bytes(message))

    subscription.poll(handler)
    assert seen == [b"x"]
    with pytest.raises(ClosedError):
        subscription.poll(handler)


def test_closed_subscription_is_removed_at_the_driver(driver, stream):
    subscription = stream.subscription
    subscription.close()
    subscription.close()
    driver.do_work()
    data = driver.last(Command.REMOVE_SUBSCRIPTION)
    assert struct.unpack_from("<q", data, 16) == (subscription.registration_id,)
    assert stream.image.is_closed
    assert len(subscription) == 0
    assert subscription
    assert subscription.channel_status == -1
    assert subscription.local_socket_addresses == []
    with pytest.raises(ClosedError):
        subscription.add_destination("aeron:ipc")


def test_end_of_stream_and_revocation_are_reported(driver, stream):
    stream.publication.offer(b"x")
    assert not stream.image.is_end_of_stream
    path = driver.directory / f"{stream.image_id}.logbuffer"
    with path.open("r+b") as log:
        metadata = path.stat().st_size - 4096
        log.seek(metadata + 496)
        log.write(b"\x01")
        log.seek(metadata + 128)
        log.write(struct.pack("<q", 64))
    assert stream.image.end_of_stream_position == 64
    assert not stream.image.is_end_of_stream
    stream.subscription.poll(ignore)
    assert stream.image.is_end_of_stream
    assert stream.image.is_publication_revoked


def test_a_rejection_has_its_reason(driver, stream):
    stream.image.reject("odd")
    data = driver.last(Command.REJECT_IMAGE)
    assert struct.unpack_from("<qqi", data, 16) == (stream.image_id, 0, 3)
    assert data[36:39] == b"odd"
    assert len(data) == 40  # the minimum length for a C driver
    with pytest.raises(MessageError):
        stream.image.reject("x" * 1024)


def test_image_with_a_damaged_log_is_reported(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    subscription = aeron.add_subscription("aeron:ipc", 1001)
    damaged = driver.directory / "damaged.logbuffer"
    damaged.write_bytes(bytes(3 * 65536 + 4096))
    driver.available_image(subscription.registration_id, 501, damaged)
    driver.available_image(subscription.registration_id, 502, driver.directory / "missing")
    turn(driver, aeron)
    assert [type(error).__name__ for error in errors] == ["CorruptError", "FileNotFoundError"]
    assert "damaged.logbuffer" in str(errors[0])
    assert subscription.images == ()


def test_events_of_other_clients_are_ignored(driver, aeron, subscription):
    driver.available_image(99999, 501, driver.directory / "missing")
    driver.unavailable_image(99999, 501)
    driver.event(Event.ON_OPERATION_SUCCESS, "<q", 99999)
    turn(driver, aeron)
    assert subscription.images == ()


def put_frame_length(driver, stream, position, length):
    """Write a frame length into the log of a stream, past its publisher."""
    path = driver.directory / f"{stream.image_id}.logbuffer"
    with path.open("r+b") as log:
        log.seek(position)
        log.write(struct.pack("<i", length))


def answer_continue(_message, _header):
    return Action.CONTINUE


POLLS = {
    "poll": lambda of: of.poll(ignore),
    "poll of a native handler": lambda of: of.poll(FragmentAssembler(ignore)),
    "controlled_poll": lambda of: of.controlled_poll(answer_continue),
    "controlled_poll of a native handler": lambda of: of.controlled_poll(
        ControlledFragmentAssembler(answer_continue)
    ),
    "block_poll": lambda of: of.block_poll(ignore_block, 4096),
    "raw_poll": lambda of: of.raw_poll(ignore_block, 4096),
}
IMAGE_POLLS = {
    **POLLS,
    "bounded_poll": lambda of: of.bounded_poll(ignore, 1 << 40),
    "bounded_controlled_poll": lambda of: of.bounded_controlled_poll(answer_continue, 1 << 40),
}


def ignore_block(*_):
    """Poll blocks to advance."""


@pytest.mark.parametrize("length", [7, TERM_LENGTH, 2**31 - 1])
@pytest.mark.parametrize("poll", IMAGE_POLLS.values(), ids=IMAGE_POLLS.keys())
def test_an_image_with_a_bad_frame_is_abandoned_once(driver, stream, poll, length):
    stream.publication.offer(b"one")
    put_frame_length(driver, stream, 64, length)
    image = stream.image
    assert poll(image)
    assert not image.is_given_up
    with pytest.raises(CorruptError) as caught:
        poll(image)
    assert str(caught.value) == (
        f"image of session {image.session_id} stream 1001 from aeron:ipc at 64: frame length"
        f" {length}, expected 32 to {TERM_LENGTH - 64}"
    )
    assert image.is_given_up
    assert image.position == 64
    assert "given up" in repr(image)
    put_frame_length(driver, stream, 64, 64)  # arbitrary content from now on
    for other in IMAGE_POLLS.values():
        assert other(image) == 0
    for other in POLLS.values():
        assert other(stream.subscription) == 0
    assert image.controlled_peek(64, answer_continue, 1 << 40) == 64


def test_a_peek_of_a_bad_frame_abandons_the_image(driver, stream):
    stream.publication.offer(b"one")
    put_frame_length(driver, stream, 64, 7)
    assert stream.image.controlled_peek(0, answer_continue, 64) == 64
    with pytest.raises(CorruptError, match="session"):
        stream.image.controlled_peek(0, answer_continue, 1 << 40)
    assert stream.image.is_given_up
    assert stream.image.controlled_peek(0, answer_continue, 1 << 40) == 0


@pytest.mark.parametrize("poll", POLLS.values(), ids=POLLS.keys())
def test_the_other_images_of_a_subscription_continue(driver, aeron, subscription, poll):
    streams = [Stream(driver, aeron, subscription) for _ in range(3)]
    for stream in streams:
        stream.publication.offer(b"one")
    put_frame_length(driver, streams[1], 0, 7)
    errors = 0
    for _ in range(6):
        try:
            poll(subscription)
        except CorruptError:
            errors += 1
    assert errors == 1
    assert [stream.image.position for stream in streams] == [64, 0, 64]
    assert [stream.image.is_given_up for stream in streams] == [False, True, False]
    streams[2].publication.offer(b"two")
    poll(subscription)
    assert streams[2].image.position == 128


def test_rejection_of_an_abandoned_image_is_requested_from_the_driver(driver, aeron, stream):
    put_frame_length(driver, stream, 0, 7)
    with pytest.raises(CorruptError):
        stream.subscription.poll(ignore)
    turn(driver, aeron)
    driver.do_work()
    data = driver.last(Command.REJECT_IMAGE)
    image_id, position, length = struct.unpack_from("<qqi", data, 16)
    assert (image_id, position) == (stream.image_id, 0)
    assert data[36 : 36 + length] == b"frame length 7 at 0, expected 32 to 65536"
    turn(driver, aeron)  # its answer is not needed
    driver.unavailable_image(stream.subscription.registration_id, stream.image_id)
    turn(driver, aeron)
    assert stream.subscription.images == ()


def fill_command_ring(aeron):
    with contextlib.suppress(OperationError):
        for _ in range(100_000):
            aeron.async_add_subscription("aeron:ipc", 1002)
        pytest.fail("the ring of commands is full")


def test_rejection_without_space_is_sent_later(driver, aeron, stream):
    put_frame_length(driver, stream, 0, 7)
    fill_command_ring(aeron)
    with pytest.raises(CorruptError):
        stream.subscription.poll(ignore)
    aeron.conductor_agent_invoker.invoke()
    driver.do_work()
    assert not any(kind == Command.REJECT_IMAGE for kind, _ in driver.commands)

    def is_sent():
        aeron.conductor_agent_invoker.invoke()
        driver.ring.read(lambda kind, data: driver.commands.append((Command(kind), data)))
        return any(kind == Command.REJECT_IMAGE for kind, _ in driver.commands)

    await_true(is_sent, "the rejection is sent")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_filter_decides_before_an_image_is_mapped(driver, connect, is_async):
    errors = []
    requested = []
    made = []
    aeron = connect(error_handler=errors.append)

    def is_wanted(source_identity, session_id):
        requested.append((source_identity, session_id))
        return session_id == 8

    options = {
        "image_filter": is_wanted,
        "available_image_handler": lambda image: made.append(image.correlation_id),
    }
    if is_async:
        registration_id = aeron.async_add_subscription("aeron:ipc", 1001, **options)
        turn(driver, aeron)
        subscription = aeron.get_subscription(registration_id)
    else:
        subscription = aeron.add_subscription("aeron:ipc", 1001, **options)
    registration_id = subscription.registration_id
    driver.available_image(registration_id, 70, driver.directory / "missing", session_id=7)
    driver.available_image(registration_id, 71, driver.log(71, "image", 8, 1001), session_id=8)
    turn(driver, aeron)
    turn(driver, aeron)
    driver.do_work()
    assert requested == [("aeron:ipc", 7), ("aeron:ipc", 8)]
    assert made == [71]
    assert [image.correlation_id for image in subscription.images] == [71]
    assert subscription.filtered_image_count == 1
    data = driver.last(Command.REJECT_IMAGE)
    assert struct.unpack_from("<q", data, 16) == (70,)
    assert b"filter" in data
    driver.unavailable_image(registration_id, 70)
    turn(driver, aeron)
    assert [image.correlation_id for image in subscription.images] == [71]
    assert errors == []  # the missing log was never opened


def test_raising_filter_rejects_the_image(driver, connect):
    errors = []
    aeron = connect(error_handler=errors.append)
    subscription = aeron.add_subscription(
        "aeron:ipc", 1001, image_filter=lambda *_: 1 // 0, available_image_handler=errors.append
    )
    driver.available_image(subscription.registration_id, 70, driver.log(70, "image", 7, 1001))
    turn(driver, aeron)
    assert [type(error) for error in errors] == [ZeroDivisionError]
    assert (subscription.images, subscription.filtered_image_count) == ((), 1)


def test_spies_have_no_filter(aeron):
    """The driver cannot reject a spy's image: its unread position would limit the publisher."""
    with pytest.raises(ConfigurationError, match="image_filter"):
        aeron.add_subscription(
            "aeron-spy:aeron:udp?endpoint=localhost:4000", 1001, image_filter=lambda *_: True
        )
