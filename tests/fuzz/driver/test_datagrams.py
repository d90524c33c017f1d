"""Any bytes in the sender's and the receiver's sockets: counted or ignored without a crash.

With ``AERON_CLUSTER_BUILD=asan`` it also shows that nothing is read or written out of bounds.
"""

import random
import struct

import pytest

from aeron_cluster.driver.receive.receive_events import ImageReleased, ImageRequested
from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from aeron_cluster.driver.send.send_endpoint import SendMode
from aeron_cluster.driver.streams.dropped_packets import PacketDropped
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.fuzz.mutator import Mutator
from tests.fuzz.targets.datagrams import received_frames, sent_frames
from tests.unit.driver.harness import DATA_PORT, LOCAL, MS, TERM_LENGTH, Receiving, Sending

ROUNDS = 3000


def packets(valid, seed):
    """Generate valid frames, damaged ones, and arbitrary ones of any type."""
    rng = random.Random(seed)
    mutator = Mutator(valid, seed)
    for _ in range(ROUNDS):
        if rng.randrange(4):
            yield mutator.draw()
        else:
            header = struct.pack("<iBBH", rng.choice((0, 32, 4096)), 0, 0, rng.randrange(12))
            yield header + rng.randbytes(rng.randrange(112))


@pytest.mark.parametrize("seed", range(4))
def test_the_receiver_survives_any_datagram(seed):
    rng = random.Random(seed)
    receiving = Receiving(is_reliable=seed != 3)
    receiving.create_image()
    valid = received_frames(receiving.stream)
    requested = 0
    for number, packet in enumerate(packets(valid, seed)):
        receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), packet)
        if number % 8 == 0:
            receiving.run(rng.choice([0, 1000, MS]))
            for event in receiving.events():
                if isinstance(event, ImageRequested):
                    requested += 1
                    assert TERM_LENGTH <= event.term_length <= 1 << 30
                    receiving.receiver.remove_init_in_progress(
                        receiving.endpoint, event.stream_id, event.session_id
                    )
                else:
                    assert isinstance(event, ImageReleased | PacketDropped)
            receiving.counters[receiving.subscriber] = max(
                receiving.image.rebuild_position, receiving.counters[receiving.subscriber]
            )
    assert receiving.counters[SystemCounter.SYSTEM_INVALID_PACKETS] > ROUNDS // 20
    # The stream continues for a correct sender, or was ended by a frame with that flag.
    assert receiving.image.rebuild_position % 32 == 0


@pytest.mark.parametrize(
    ("seed", "mode", "strategy"),
    [
        (0, SendMode.SEND_CONNECTED, FlowControlStrategy.FLOW_CONTROL_UNICAST),
        (1, SendMode.SEND_MANUAL, FlowControlStrategy.FLOW_CONTROL_MAX),
        (2, SendMode.SEND_DYNAMIC, FlowControlStrategy.FLOW_CONTROL_MIN),
        (3, SendMode.SEND_DYNAMIC, FlowControlStrategy.FLOW_CONTROL_TAGGED),
        (4, SendMode.SEND_RESPONSE, FlowControlStrategy.FLOW_CONTROL_UNICAST),
    ],
)
def test_the_sender_survives_any_datagram(seed, mode, strategy):
    rng = random.Random(seed)
    sending = Sending(
        mode=mode,
        has_group_semantics=strategy != FlowControlStrategy.FLOW_CONTROL_UNICAST,
        flow_control=FlowControlOptions(strategy, group_tag=5),
        is_response=mode == SendMode.SEND_RESPONSE,
        response_correlation_id=3 if mode == SendMode.SEND_RESPONSE else -1,
    )
    log = sending.log
    valid = sent_frames(log)
    for number, packet in enumerate(packets(valid, seed)):
        source = (LOCAL, DATA_PORT if mode == SendMode.SEND_CONNECTED else rng.randrange(1, 9999))
        sending.network.deliver(source, sending.local, packet)
        if number % 4 == 0:
            if log.position + 2000 < sending.publication.publisher_limit:
                log.append(rng.randbytes(rng.randrange(1376)))
            sending.run(rng.choice([0, MS, 100 * MS]))
            sending.events()
    assert sending.counters[SystemCounter.SYSTEM_INVALID_PACKETS] > ROUNDS // 40
    assert sending.sender_position <= log.position
