"""Fragments are reassembled into messages per session, or dropped if one is missing."""

import ctypes
import gc
import struct

import pytest

from aeron_cluster.errors import BufferUsageError
from aeron_cluster.logbuffer.fragment_assembler import (
    ControlledFragmentAssembler,
    FragmentAssembler,
    StreamAssembler,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.logbuffer.local_log import LocalLog


class Stream:
    """A log into which fragments of any session are written unchanged."""

    def __init__(self):
        self.log = LocalLog("exclusive")

    def put(self, session_id, flags, payload):
        claim = self.log.try_claim(len(payload))
        with memoryview(claim) as view:
            view[:] = payload
        claim.set_header(flags=flags)
        claim.commit()
        at = self.log.producer_position - (len(payload) + 63) // 32 * 32
        struct.pack_into("<i", memoryview(self.log), at + 12, session_id)

    def drain(self, assembler):
        while self.log.poll(assembler):
            pass


@pytest.fixture
def stream():
    return Stream()


def collector(seen):
    return FragmentAssembler(lambda m, header: seen.append((header.session_id, bytes(m))))


BEGIN, MIDDLE, END, WHOLE = 0x80, 0, 0x40, 0xC0


def test_reassembles_a_message(stream):
    seen = []
    for flags, payload in ((BEGIN, b"one "), (MIDDLE, b"two "), (END, b"three")):
        stream.put(1, flags, payload)
    stream.drain(collector(seen))
    assert seen == [(1, b"one two three")]


def test_a_missing_fragment_drops_the_message_and_no_other(stream):
    seen = []
    stream.put(1, BEGIN, b"lost ")
    stream.log.append_padding(32)  # padding replaces a fragment
    stream.put(1, MIDDLE, b"two ")
    stream.put(1, END, b"three")
    stream.put(1, MIDDLE, b"no begin")
    stream.put(1, END, b"no begin")
    stream.put(1, BEGIN, b"next ")
    stream.put(1, END, b"one")
    assembler = collector(seen)
    stream.drain(assembler)
    assert seen == [(1, b"next one")]
    assert assembler.session_count == 0


def test_a_new_beginning_forgets_the_old(stream):
    seen = []
    stream.put(1, BEGIN, b"old ")
    stream.put(1, BEGIN, b"new ")
    stream.put(1, END, b"end")
    stream.drain(collector(seen))
    assert seen == [(1, b"new end")]


def test_a_complete_message_leaves_a_partial_one_unchanged(stream):
    """As in Java, only the continuity of a session's fragments counts."""
    seen = []
    stream.put(1, BEGIN, b"begun ")
    stream.put(2, WHOLE, b"whole")
    assembler = collector(seen)
    stream.drain(assembler)
    assert seen == [(2, b"whole")]
    assert assembler.session_count == 1
    assembler.drop(2)
    assert assembler.session_count == 1
    assembler.drop(1)
    assert assembler.session_count == 0


def test_sessions_do_not_mix():
    """Each session has its own log, as in a subscription with several images."""
    logs = [LocalLog("exclusive", session_id=n, mtu_length=64) for n in range(9)]
    messages = {n: bytes([n]) * (1000 + n * 500) for n in range(9)}
    for n, log in enumerate(logs):
        log.offer(messages[n])
    seen = []
    assembler = collector(seen)
    delivered = 1
    peak = 0
    while delivered:
        delivered = sum(log.poll(assembler, 3) for log in logs)
        peak = max(peak, assembler.session_count)
    assert dict(seen) == messages
    assert peak == 9
    assert assembler.session_count == 0


def test_an_aborted_fragment_is_delivered_again(stream):
    answers = [Action.ABORT, Action.ABORT, Action.COMMIT]
    seen = []

    def handler(message, header):
        seen.append((bytes(message), header.position))
        return answers.pop(0)

    assembler = ControlledFragmentAssembler(handler)
    for flags, payload in ((BEGIN, b"one "), (MIDDLE, b"two "), (END, b"three")):
        stream.put(1, flags, payload)
    assert stream.log.controlled_poll(assembler) == 2
    assert stream.log.subscriber_position == 128
    assert assembler.session_count == 1
    assert stream.log.controlled_poll(assembler) == 0
    assert stream.log.controlled_poll(assembler) == 1
    assert seen == [(b"one two three", 192)] * 3
    assert stream.log.subscriber_position == 192
    assert assembler.session_count == 0


def test_a_controlled_handler_may_stop_after_a_message(stream):
    for _ in range(2):
        stream.put(1, BEGIN, b"one ")
        stream.put(1, END, b"two")
    assembler = ControlledFragmentAssembler(lambda *_: Action.BREAK)
    assert stream.log.controlled_poll(assembler) == 2
    assert stream.log.controlled_poll(assembler) == 2


def test_the_answer_of_a_controlled_handler_is_checked(stream):
    stream.put(1, BEGIN, b"one ")
    stream.put(1, END, b"two")
    with pytest.raises(TypeError, match="found 17"):
        stream.log.controlled_poll(ControlledFragmentAssembler(lambda *_: 17))
    assert stream.log.subscriber_position == 128


def test_endless_fragments_use_bounded_memory():
    """No message is longer than 16 MiB; a longer one is dropped."""
    log = LocalLog("exclusive", term_length=1 << 25)
    piece = bytes(1376)
    assembler = collector([])
    assert log.offer(piece) > 0
    for n in range(12300):
        claim = log.try_claim(1376)
        claim.set_header(flags=BEGIN if n == 0 else MIDDLE)
        claim.commit()
    log.poll(assembler, 12193)
    assert assembler.session_count == 1  # 12192 pieces: 16776192 bytes
    log.poll(assembler, 12300)
    assert assembler.session_count == 0


def retained_after_messages_at_once(count, length):
    """Return an assembler's retained memory after sessions with own logs sent one message each."""
    logs = [LocalLog("exclusive", term_length=1 << 20, session_id=n) for n in range(count)]
    for log in logs:
        assert log.offer(bytes(length)) > 0
    seen = []
    assembler = FragmentAssembler(lambda message, _: seen.append(len(message)))
    while sum([log.poll(assembler, 1) for log in logs]):
        pass
    assert seen == [length] * count
    assert assembler.session_count == 0
    return assembler.retained_length


def test_one_long_buffer_of_ended_sessions_is_retained():
    assert 100_000 <= retained_after_messages_at_once(100, 100_000) < 200_000


@pytest.mark.parametrize("count", [2, 8, 16])
@pytest.mark.parametrize("ends_first", [0, 1])
def test_the_long_buffer_is_retained_whichever_session_ends_first(count, ends_first):
    assembler = FragmentAssembler(lambda *_: None)
    for session_id in range(count):
        log = LocalLog("exclusive", term_length=1 << 20, session_id=session_id)
        log.offer(bytes(100_000 if session_id == 0 else 2000))
        log.poll(assembler, 72 if session_id == 0 else 1)
    assert assembler.session_count == count
    before = assembler.retained_length
    for session_id in (ends_first, 1 - ends_first, *range(2, count)):
        assembler.drop(session_id)
    assert assembler.session_count == 0
    assert assembler.retained_length == before >= 100_000


def test_short_buffers_of_ended_sessions_are_retained():
    assert retained_after_messages_at_once(10, 2000) == 10 * 4096


def test_rejects_an_uncallable_handler():
    with pytest.raises(TypeError, match="callable"):
        FragmentAssembler(3)


def put_two(stream, other=None):
    for log, octet, length in ((stream, b"a", 1400), (other or stream, b"b", 1600)):
        log.put(1, BEGIN, octet * 700)
        log.put(1, END, octet * (length - 700))


def test_message_is_unchanged_if_its_handler_polls(stream):
    """The nested stream may have the same session id."""
    other = Stream()
    put_two(stream, other)
    seen = []

    def handler(message, _):
        if message[:1] == b"a":
            other.drain(assembler)
        seen.append(bytes(message))

    assembler = FragmentAssembler(handler)
    stream.drain(assembler)
    assert seen == [b"b" * 1600, b"a" * 1400]


def test_an_abort_does_not_affect_its_handlers_claim(stream):
    other = Stream()
    put_two(stream)
    other.put(1, BEGIN, b"one ")
    other.put(1, END, b"two")
    seen = []

    def handler(message, _):
        seen.append(bytes(message))
        if message[:1] != b"a":
            return Action.COMMIT
        other.log.controlled_poll(assembler, 1)
        return Action.ABORT

    assembler = ControlledFragmentAssembler(handler)
    stream.log.controlled_poll(assembler, 2)
    other.log.controlled_poll(assembler)
    assert seen == [b"a" * 1400, b"one two"]


def test_an_abort_after_a_drop_has_no_message_to_restore(stream):
    put_two(stream)
    seen = []

    def handler(message, header):
        seen.append(bytes(message))
        assembler.drop(header.session_id)
        return Action.ABORT

    assembler = ControlledFragmentAssembler(handler)
    stream.log.controlled_poll(assembler, 2)
    assert assembler.session_count == 0
    # The last fragment is delivered again, but the message was given up.
    stream.log.controlled_poll(assembler, 1)
    assert seen == [b"a" * 1400]
    stream.log.controlled_poll(assembler, 2)
    assert seen == [b"a" * 1400, b"b" * 1600]


def test_fragment_of_another_term_is_no_continuation():
    stream = Stream()
    seen = []
    assembler = collector(seen)
    stream.put(1, BEGIN, b"begun ")
    stream.put(1, END, b"ended")
    term = memoryview(stream.log)
    struct.pack_into("<i", term, 64 + 20, 1)
    stream.drain(assembler)
    assert seen == []
    assert assembler.session_count == 0


def test_a_retained_view_of_a_forwarded_message_retains_the_first_one_too(stream):
    """An assembler within the handler of another one, as for an egress."""
    put_two(stream)
    views = []
    inner = FragmentAssembler(lambda message, _: views.append(memoryview(message)))
    outer = FragmentAssembler(inner)
    for _ in range(2):
        with pytest.raises(BufferUsageError, match="1 still held"):
            stream.drain(outer)
    outer = inner = None
    gc.collect()
    assert [bytes(view) for view in views] == [b"a" * 1400, b"b" * 1600]


def test_a_retained_view_keeps_its_messages_memory(stream):
    kept = []
    assembler = FragmentAssembler(lambda message, _: kept.append((message, memoryview(message))))
    for payload in (b"a" * 3000, b"b" * 3000):
        stream.put(1, BEGIN, payload[:1300])
        stream.put(1, MIDDLE, payload[1300:2600])
        stream.put(1, END, payload[2600:])
        with pytest.raises(BufferUsageError):
            stream.drain(assembler)
    assert gc.get_referents(kept[0][0]) != gc.get_referents(kept[1][0])
    assert not any("PyCapsule" in repr(each) for each in gc.get_referents(assembler))
    assert [bytes(view) for _, view in kept] == [b"a" * 3000, b"b" * 3000]


def heap_in_use():
    """Return the bytes that the C library has allocated."""

    class Heap(ctypes.Structure):
        _fields_ = [(f"field_{index}", ctypes.c_size_t) for index in range(10)]

    info = ctypes.CDLL(None).mallinfo2
    info.restype = Heap
    return info().field_7


def test_the_memory_of_a_retained_message_is_freed_with_its_last_view():
    log = LocalLog("exclusive", term_length=1 << 22)
    views = []
    assembler = FragmentAssembler(lambda message, _: views.append(memoryview(message)))
    before = heap_in_use()
    for _ in range(50):
        assert log.offer(bytes(60_000)) > 0
        with pytest.raises(BufferUsageError):
            log.poll(assembler, 100)
    retained = heap_in_use() - before
    assert [len(view) for view in views] == [60_000] * 50
    views.clear()
    gc.collect()
    assert heap_in_use() - before <= retained // 10


def test_a_message_continues_in_the_next_session_of_its_stream(stream):
    seen = []
    assembler = StreamAssembler(lambda m, header: seen.append((header.session_id, bytes(m))))
    stream.put(1, BEGIN, b"one ")
    stream.drain(assembler)
    assembler.continue_in(2)
    stream.put(2, END, b"two")
    stream.drain(assembler)
    assembler.continue_in(1)  # a fragment without its start
    stream.put(1, WHOLE, b"three")
    stream.drain(assembler)
    assert seen == [(2, b"one two"), (1, b"three")]
    assert assembler.session_count == 0


def test_a_message_is_not_continued_if_the_next_session_begins_elsewhere(stream):
    seen = []
    assembler = StreamAssembler(lambda m, _: seen.append(bytes(m)))
    stream.put(1, BEGIN, b"one ")
    stream.drain(assembler)
    stream.put(3, WHOLE, b"of another")
    stream.put(2, END, b"two")
    assembler.continue_in(2)
    stream.drain(assembler)
    assert seen == [b"of another"]


def test_a_partial_message_is_retained_for_the_next_handler_of_either_kind(stream):
    first, second = [], []

    def abort_once(message, _):
        second.append(bytes(message))
        return Action.ABORT if len(second) == 1 else Action.CONTINUE

    assembler = StreamAssembler(lambda m, _: first.append(bytes(m)))
    stream.put(1, BEGIN, b"one ")
    stream.drain(assembler)
    assert assembler.set_handler(abort_once, True) is assembler
    stream.put(1, END, b"two")
    stream.log.controlled_poll(assembler)
    stream.log.controlled_poll(assembler)
    assert second == [b"one two", b"one two"]
    assembler.set_handler(first.append, False)
    assembler.set_handler(lambda m, _: first.append(bytes(m)))
    stream.put(1, WHOLE, b"three")
    stream.drain(assembler)
    assert first == [b"three"]


@pytest.mark.parametrize("kind", [FragmentAssembler, ControlledFragmentAssembler])
def test_a_message_with_an_empty_first_fragment_is_assembled(stream, kind):
    """No publisher sends one, but a peer may: it must not end the process."""
    seen = []
    stream.put(1, WHOLE, b"before")
    stream.put(1, BEGIN, b"")
    stream.put(1, MIDDLE, b"x" * 40)
    stream.put(1, END, b"y")
    assembler = kind(lambda m, header: seen.append((bytes(m), header.position)))
    poll = stream.log.poll if kind is FragmentAssembler else stream.log.controlled_poll
    while poll(assembler):
        pass
    assert seen == [(b"before", 64), (b"x" * 40 + b"y", stream.log.subscriber_position)]
