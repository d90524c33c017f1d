"""A handler's message may be read during the callback, retained as a copy, and never crashes."""

import functools
import gc
import struct
import weakref

import pytest

from aeron_cluster.errors import BufferUsageError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.logbuffer.message_view import Header, MessageView, NativeHandler


@pytest.fixture
def log():
    log = LocalLog("exclusive", session_id=-3, stream_id=9, initial_term_id=11)
    for n in range(5):
        log.offer(bytes([n]) * 40)
    return log


def test_a_message_reads_like_bytes(log):
    def handler(message, _):
        n = message[0]
        assert len(message) == 40
        assert bytes(message) == bytes([n]) * 40
        assert message[-1] == message[39] == n
        assert message[2:5] == bytes([n] * 3)
        assert message[5:2] == b""
        assert message[::13] == bytes([n] * 4)
        assert struct.unpack_from("<H", message, 1) == (n * 257,)
        with memoryview(message) as view:
            assert view.readonly
            assert view == bytes(message)
        for index in (40, -41):
            with pytest.raises(IndexError):
                message[index]
        assert repr(message) == "<MessageView of 40 bytes>"

    assert log.poll(handler) == 5


def test_a_header_has_the_position_of_the_message(log):
    seen = []

    def handler(_, header):
        seen.append(header)
        assert header.context is log

    log.poll(handler, 2)
    first, second = seen
    assert (first.position, second.position) == (96, 192)
    assert (second.term_offset, second.next_term_offset, second.frame_length) == (96, 192, 72)
    assert (second.session_id, second.stream_id, second.term_id) == (-3, 9, 11)
    assert (second.flags, second.type, second.reserved_value) == (0xC0, 1, 0)
    assert (second.initial_term_id, second.position_bits_to_shift) == (11, 16)
    assert repr(second) == "<Header session -3 stream 9 position 192 flags 0xc0>"


def test_one_object_serves_all_messages_unless_retained(log):
    seen = set()
    log.poll(lambda message, header: seen.add((id(message), id(header))))
    assert len(seen) == 1


def test_a_retained_message_is_rejected_after_its_callback(log):
    kept = []
    log.poll(lambda message, _: kept.append(message), 2)
    assert kept[0] is not kept[1]
    for use in (bytes, len, memoryview, lambda message: message[0], lambda m: m[0:1]):
        with pytest.raises(BufferUsageError, match="within its callback"):
            use(kept[0])
    assert repr(kept[0]) == "<MessageView expired>"


def test_a_message_can_be_forwarded_but_not_after_its_callback(log):
    other = LocalLog("exclusive")
    kept = []

    def handler(message, _):
        assert other.offer(message) > 0
        kept.append(message)

    assert log.poll(handler) == 5
    with pytest.raises(BufferUsageError, match="within its callback"):
        other.offer(kept[0])
    seen = []
    other.poll(lambda message, _: seen.append(bytes(message)))
    assert seen == [bytes([n]) * 40 for n in range(5)]


def keeps_a_view(views, message, _):
    views.append(memoryview(message))


def test_error_about_a_retained_export_names_the_callback(log):
    views = []

    def keeper(message, header):
        keeps_a_view(views, message, header)

    with pytest.raises(BufferUsageError, match=r"keeper.*1 still held at position 96"):
        log.poll(keeper)
    assert log.subscriber_position == 96  # consumed, as if it had raised
    seen = []
    assert log.poll(lambda message, _: seen.append(message[0])) == 4
    assert seen == [1, 2, 3, 4]
    assert bytes(views[0]) == bytes(40)


def test_a_view_retains_its_memory():
    log = LocalLog("exclusive")
    log.offer(b"still here")
    views = []
    with pytest.raises(BufferUsageError):
        log.poll(lambda message, _: views.append(memoryview(message)))
    del log
    gc.collect()
    assert bytes(views[0]) == b"still here"
    del views[0]


def test_a_log_is_released_with_its_last_view():
    class Watched:
        pass

    watched = Watched()
    log = LocalLog("exclusive", reserved_value_supplier=lambda *_, w=watched: 0 if w else 1)
    alive = weakref.ref(watched)
    del watched
    log.offer(b"x")
    kept = []
    log.poll(lambda message, header: kept.append((message, header)))
    kept[0] = kept[0][0]  # the header refers to its image, an expired message to nothing
    del log
    gc.collect()
    assert alive() is None
    assert kept


def test_a_writable_view_is_rejected(log):
    def handler(message, _):
        with pytest.raises(TypeError, match="read-write"):
            struct.pack_into("<i", message, 0, 1)

    assert log.poll(handler) == 5


def test_a_handler_may_poll_within_itself(log):
    seen = []

    def handler(message, header):
        first = message[0]
        seen.append(first)
        if first == 0:
            # The outer message is not consumed yet: it is delivered again.
            log.poll(lambda inner, _: seen.append(inner[0]), 2)
        assert message[0] == first
        assert header.term_offset == first * 96

    log.poll(handler, 1)
    assert seen[0] == 0
    assert seen[1:3] == [0, 1]


def test_a_nested_handler_has_its_own_message(log):
    depth = []

    def handler(message, _):
        depth.append(message[0])
        with memoryview(message) as view:
            if len(depth) < 3:
                log.poll(handler, 1)
            assert view[0] == message[0] == 0

    log.poll(handler, 1)
    assert depth == [0, 0, 0]


@pytest.mark.parametrize("cls", [MessageView, Header])
def test_is_only_made_by_a_poll(cls):
    with pytest.raises(TypeError, match="only created by a poll"):
        cls()


def test_handlers_in_c_are_only_made_by_their_subclasses():
    with pytest.raises(TypeError, match="only created by its subclasses"):
        NativeHandler()


def test_an_error_names_a_handler_without_a_name_by_its_text(log):
    handler = functools.partial(lambda answer, *_: answer, "go on")
    with pytest.raises(TypeError, match=r"functools\.partial.*: expected None or an Action"):
        log.controlled_poll(handler)

    class Handler:
        __module__ = None
        __qualname__ = "a name without a module"

        def __call__(self, *_):
            return "go on"

        def __repr__(self):
            return "the handler"

    with pytest.raises(TypeError, match="the handler: expected None or an Action"):
        log.controlled_poll(Handler())


# ---- assembled messages ----


def fragmented(**options):
    log = LocalLog("exclusive", mtu_length=64, **options)
    assert log.offer(b"unfragmented, long"[:20]) > 0
    assert log.offer(bytes(range(100))) == 64 + 3 * 64 + 64
    return log


def test_an_assembled_message_has_its_own_header():
    log = fragmented(reserved_value_supplier=lambda offset, _: offset)
    seen = []

    def handler(message, header):
        seen.append(
            (bytes(message), header.flags, header.frame_length, header.position,
             header.term_offset, header.next_term_offset, header.reserved_value, header.context)
        )  # fmt: skip

    assembler = FragmentAssembler(handler)
    assert log.poll(assembler, 100) == 5
    assert seen == [
        (b"unfragmented, long", 0xC0, 50, 64, 0, 64, 0, log),
        (bytes(range(100)), 0xC0, 132, 320, 64, 320, 64, log),
    ]


def test_a_retained_assembled_message_stays_unchanged():
    log = fragmented()
    views = []

    def keeper(message, _):
        views.append(memoryview(message))

    assembler = FragmentAssembler(keeper)
    for _ in range(2):
        with pytest.raises(BufferUsageError, match="keeper"):
            log.poll(assembler, 100)
    log.offer(b"z" * 500)
    seen = []
    log.poll(FragmentAssembler(lambda message, _: seen.append(bytes(message))), 100)
    assert seen == [b"z" * 500]
    del assembler
    gc.collect()
    assert [bytes(view) for view in views] == [b"unfragmented, long", bytes(range(100))]


def test_an_assembler_may_be_called_as_a_handler():
    log = fragmented()
    seen = []
    assembler = FragmentAssembler(
        lambda message, header: seen.append((len(message), header.position))
    )

    def handler(message, header):
        assert assembler(message, header) is None

    log.poll(handler, 100)
    assert seen == [(18, 64), (100, 320)]


@pytest.mark.parametrize("action", list(Action))
def test_a_controlled_assembler_called_as_a_handler_returns_its_action(action):
    log = fragmented()
    assembler = ControlledFragmentAssembler(lambda *_: action)
    results = []

    def handler(message, header):
        results.append(assembler(message, header))
        return Action.CONTINUE

    log.controlled_poll(handler, 2)
    assert results == [action, Action.CONTINUE]


def test_an_exception_of_a_nested_handler_is_raised_by_the_poll():
    log = fragmented()
    assembler = FragmentAssembler(lambda *_: 1 // 0)
    for position in (64, 320):
        with pytest.raises(ZeroDivisionError):
            log.poll(assembler, 100)
        assert log.subscriber_position == position
    assert assembler.session_count == 0


def test_a_plain_handlers_result_is_ignored(log):
    assert log.poll(lambda *_: object(), 2) == 2
    assert log.poll(FragmentAssembler(lambda *_: 17)) == 3
