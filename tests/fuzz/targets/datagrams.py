"""Datagrams at a driver's receiver and senders."""

from __future__ import annotations

import contextlib
import itertools
import random
import struct
from collections.abc import Iterator
from functools import partial

from aeron_cluster.driver.receive.receive_events import ImageRequested
from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.send_endpoint import SendMode
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Target
from tests.unit.driver import harness
from tests.unit.driver.harness import LOCAL, MS, SESSION_ID, STREAM_ID, TERM_LENGTH

__all__ = ["TARGETS", "received_frames", "sent_frames"]

_BATCH = 4  # how many are received in a pass
_RTT = harness.RTT.pack(40, 0, 0x80, 6, SESSION_ID, STREAM_ID, 5, 0, 0)


def received_frames(stream: harness.Log) -> list[bytes]:
    """Return valid frames for a receiver."""
    return [
        harness.setup_frame(stream),
        harness.heartbeat(stream, 64),
        harness.heartbeat(stream, 4096),
        stream.frame(0, b"x" * 100),
        stream.frame(160, b"y" * 1000),
        stream.frame(0, b"a" * 32) + stream.frame(64, b"b" * 32),
        stream.frame(TERM_LENGTH - 64, b"z" * 32),
        struct.pack("<i", 4096) + stream.frame(1024, b"", type=0)[4:],
        _RTT,
        harness.status_frame(stream, 0, 0),
    ]


def sent_frames(log: harness.Log) -> list[bytes]:
    """Return valid frames for a sender."""
    return [
        harness.status_frame(log, 0, 4096),
        harness.status_frame(log, 1408, 131072, group_tag=5),
        harness.status_frame(log, 0, 0, flags=0x80),
        harness.status_frame(log, 0, 0, flags=0x40),
        harness.nak_frame(log, 0, 1408),
        harness.nak_frame(log, 4096, TERM_LENGTH),
        harness.error_frame(b"no"),
        harness.error_frame(b"x" * 1023, group_tag=5),
        _RTT,
        harness.RESPONSE_SETUP.pack(20, 0, 0, 11, SESSION_ID, STREAM_ID, 9),
        harness.setup_frame(log),
    ]


@contextlib.contextmanager
def _receiving(seed: int, *, is_reliable: bool) -> Iterator[Feed]:
    rng = random.Random(seed)
    receiving = harness.Receiving(is_reliable=is_reliable)
    receiving.create_image()
    mutator = Mutator(received_frames(receiving.stream), seed)
    local = LOCAL, harness.DATA_PORT
    invalid = SystemCounter.SYSTEM_INVALID_PACKETS
    numbers = itertools.count(1)
    was_accepted = True

    def feed() -> bool:
        nonlocal was_accepted
        receiving.network.deliver(receiving.source, local, mutator.draw())
        if next(numbers) % _BATCH:
            return was_accepted
        before = receiving.counters[invalid]
        receiving.run(rng.choice([0, 1000, MS]))
        for event in receiving.events():
            if isinstance(event, ImageRequested):
                receiving.receiver.remove_init_in_progress(
                    receiving.endpoint, event.stream_id, event.session_id
                )
        position = receiving.image.rebuild_position
        assert position % 32 == 0, position
        receiving.counters[receiving.subscriber] = max(
            position, receiving.counters[receiving.subscriber]
        )
        was_accepted = receiving.counters[invalid] == before
        return was_accepted

    yield feed


@contextlib.contextmanager
def _sending(seed: int, *, mode: int, strategy: int) -> Iterator[Feed]:
    rng = random.Random(seed)
    is_response = mode == SendMode.SEND_RESPONSE
    sending = harness.Sending(
        mode=mode,
        has_group_semantics=strategy != FlowControlStrategy.FLOW_CONTROL_UNICAST,
        flow_control=FlowControlOptions(strategy, group_tag=5),
        is_response=is_response,
        response_correlation_id=3 if is_response else -1,
    )
    log = sending.log
    mutator = Mutator(sent_frames(log), seed)
    is_connected = mode == SendMode.SEND_CONNECTED
    invalid = SystemCounter.SYSTEM_INVALID_PACKETS
    numbers = itertools.count(1)
    was_accepted = True

    def feed() -> bool:
        nonlocal was_accepted
        source = LOCAL, harness.DATA_PORT if is_connected else rng.randrange(1, 9999)
        sending.network.deliver(source, sending.local, mutator.draw())
        if next(numbers) % _BATCH:
            return was_accepted
        before = sending.counters[invalid]
        if log.position + 2000 < sending.publication.publisher_limit:
            log.append(rng.randbytes(rng.randrange(1376)))
        sending.run(rng.choice([0, MS, 100 * MS]))
        sending.events()
        assert sending.sender_position <= log.position
        was_accepted = sending.counters[invalid] == before
        return was_accepted

    yield feed


_RECEIVED = {
    "datagrams to a receiver": partial(_receiving, is_reliable=True),
    "datagrams to an unreliable receiver": partial(_receiving, is_reliable=False),
}
_SENT = {
    f"datagrams to a sender, {name}": partial(_sending, mode=mode, strategy=strategy)
    for name, mode, strategy in (
        ("unicast", SendMode.SEND_CONNECTED, FlowControlStrategy.FLOW_CONTROL_UNICAST),
        ("manual", SendMode.SEND_MANUAL, FlowControlStrategy.FLOW_CONTROL_MAX),
        ("min", SendMode.SEND_DYNAMIC, FlowControlStrategy.FLOW_CONTROL_MIN),
        ("tagged", SendMode.SEND_DYNAMIC, FlowControlStrategy.FLOW_CONTROL_TAGGED),
        ("response", SendMode.SEND_RESPONSE, FlowControlStrategy.FLOW_CONTROL_UNICAST),
    )
}
TARGETS = tuple(
    Target(name, begin, renewal=3000, share=4) for name, begin in {**_RECEIVED, **_SENT}.items()
)
