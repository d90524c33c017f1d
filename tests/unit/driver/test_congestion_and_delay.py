"""The delay of NAKs in a multicast group, and the growth of a cubic window."""

import math
import struct

import pytest

from aeron_cluster.driver.receive.congestion_control import CongestionControlStrategy
from aeron_cluster.driver.receive.congestion_control_options import CongestionControlOptions
from aeron_cluster.driver.receive.loss_delay_options import LossDelayOptions
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.seams import SeededRandom
from tests.unit.driver.harness import (
    DATA_PORT,
    LOCAL,
    MS,
    MTU_LENGTH,
    RECEIVER_ID,
    RTT,
    SECOND,
    SESSION_ID,
    STREAM_ID,
    Receiving,
    status_frame,
)

WIDE = 1 << 20  # a term long enough not to limit the window


def lose_one(receiving):
    for position in (0, 2 * MTU_LENGTH):
        frame = receiving.stream.frame(position, b"x" * (MTU_LENGTH - 32))
        receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), frame)
    receiving.run()
    receiving.run()


def first_nak_after_ns(seed):
    receiving = Receiving(loss_delay=LossDelayOptions(is_multicast=True, random=SeededRandom(seed)))
    receiving.create_image()
    receiving.run()
    lose_one(receiving)
    begin = receiving.clock.nano_time()
    while receiving.clock.nano_time() - begin < 20 * MS:
        answers = receiving.run(50_000)
        if any(struct.unpack_from("<H", each, 6)[0] == 2 for each in answers):
            return receiving.clock.nano_time() - begin
    raise AssertionError("no NAK within twice the longest delay")


def test_a_groups_naks_are_spread_up_to_the_longest_delay():
    """'Range 0..T, mean about 7.35 ms', for 10 receivers and 10 ms."""
    delays = [first_nak_after_ns(seed) for seed in range(60)]
    assert max(delays) <= 10 * MS + 100_000
    assert min(delays) < 5 * MS
    assert 6.3 * MS < sum(delays) / len(delays) < 8.4 * MS


def test_random_delay_needs_a_generator():
    receiving = Receiving(loss_delay=LossDelayOptions(is_multicast=True))
    with pytest.raises(ConfigurationError):
        receiving.create_image()


class Cubic(Receiving):
    def __init__(self, **options):
        super().__init__(
            term_length=WIDE,
            congestion_control=lambda counters: CongestionControlOptions(
                131072,
                strategy=CongestionControlStrategy.CONGESTION_CONTROL_CUBIC,
                rtt_counter_id=counters.new("rtt"),
                window_counter_id=counters.new("wnd"),
                **options,
            ),
        )


def test_a_cubic_window_starts_at_ten_datagrams_and_grows():
    """'max cwnd 93; first window 14080; k = cbrt(93 * 0.2 / 0.4) = 3.596 s.'"""
    receiving = Cubic()
    receiving.create_image()
    assert receiving.image.window_length == 10 * MTU_LENGTH
    begin = receiving.clock.nano_time()
    for _ in range(45):
        receiving.run(100 * MS)
        elapsed = (receiving.clock.nano_time() - begin) / 1e9
        k = math.cbrt(93 * 0.2 / 0.4)
        expected = min(93, max(1, 93 + int(0.4 * (elapsed - k) ** 3)))
        assert receiving.image.window_length == expected * MTU_LENGTH
    assert receiving.image.window_length == 93 * MTU_LENGTH


def test_cubic_window_moves_once_in_an_assumed_round_trip():
    receiving = Cubic(initial_rtt_ns=2_000 * MS)
    receiving.create_image()
    lengths = []
    for _ in range(45):
        receiving.run(100 * MS)
        lengths.append(receiving.image.window_length // MTU_LENGTH)
    # Windows after the first are recalculated every two seconds.
    assert len(set(lengths)) == 3
    assert [lengths.index(each) for each in dict.fromkeys(lengths)] == [0, 19, 39]


def test_a_loss_reduces_a_cubic_window_by_a_fifth_and_reports_it():
    receiving = Cubic()
    receiving.create_image()
    receiving.run()
    lose_one(receiving)
    assert receiving.image.window_length == 8 * MTU_LENGTH
    (status,) = [each for each in receiving.run() if each[6] == 3]
    assert struct.unpack_from("<i", status, 24) == (8 * MTU_LENGTH,)


def test_a_window_of_one_datagram_is_sent_whenever_consumption_moves():
    receiving = Cubic(initial_rtt_ns=3600 * SECOND)
    image = receiving.create_image()
    receiving.run()
    position = 0

    def deliver(at, length):
        frame = receiving.stream.frame(at, b"x" * (length - 32))
        receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), frame)
        return [each for _ in range(2) for each in receiving.run() if each[6] == 3]

    for expected in (8, 6, 4, 3, 2, 1):
        assert deliver(position, 64) == []
        receiving.consume()
        # Less than a quarter of the window is consumed: that alone is not reported.
        assert [each for each in receiving.run() if each[6] == 3] == []
        position += 64
        deliver(position + 64, 64)  # a datagram before it is lost
        assert image.window_length == expected * MTU_LENGTH
        deliver(position, 64)
        receiving.consume()
        receiving.run()
        receiving.run()
        position += 128
    for _ in range(3):
        assert deliver(position, 64) == []
        receiving.consume()
        position += 64
        sent = [each for _ in range(2) for each in receiving.run() if each[6] == 3]
        assert sent == [status_frame(receiving.stream, position, MTU_LENGTH)]


def test_round_trip_is_measured_if_configured():
    receiving = Cubic(measures_rtt=True)
    receiving.create_image()
    receiving.run()
    (request,) = [each for each in receiving.run(MS) if each[6] == 6]
    assert request[5] == 0x80
    sent_ns = struct.unpack_from("<q", request, 16)[0]
    receiving.clock.advance(3 * MS)
    receiving.deliver(RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, sent_ns, MS, RECEIVER_ID))
    rtt = next(each for each in receiving.counters.manager.counters() if each.label == "rtt")
    assert receiving.counters[rtt.counter_id] == 2 * MS


def test_round_trip_is_measured_by_the_transports_in_use():
    receiving = Cubic(measures_rtt=True)
    receiving.create_image()
    second = receiving.endpoint.open_transport(bind=(LOCAL, 41000))
    receiving.receiver.add_transport(receiving.endpoint, second)
    receiving.run()
    frame = receiving.stream.frame(0, b"x")
    receiving.network.deliver(receiving.source, (LOCAL, 41000), frame)
    sent = [each for advance_ns in (0, SECOND) for each in receiving.run(advance_ns)]
    assert len([each for each in sent if each[6] == 6]) == 2
    receiving.receiver.remove_transport(receiving.endpoint, 0)
    receiving.run()
    receiving.answers()
    assert len([each for each in receiving.run(SECOND) if each[6] == 6]) == 1


def test_a_round_trip_shorter_than_its_delay_is_ignored():
    receiving = Cubic(measures_rtt=True)
    receiving.create_image()
    receiving.run()
    (request,) = [each for each in receiving.run(MS) if each[6] == 6]
    sent_ns = struct.unpack_from("<q", request, 16)[0]
    rtt = next(each for each in receiving.counters.manager.counters() if each.label == "rtt")
    before = receiving.counters[rtt.counter_id]
    receiving.clock.advance(3 * MS)
    for delta in (4 * MS, 3 * MS):
        receiving.deliver(RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, sent_ns, delta, RECEIVER_ID))
        assert receiving.counters[rtt.counter_id] == (before if delta > 3 * MS else 0)


def test_a_window_for_tcp_grows_by_the_round_trips_since_the_loss():
    """The window of TCP, of which the cubic one is at least the size."""
    lengths = {}
    for is_tcp_mode in (False, True):
        receiving = Cubic(is_tcp_mode=is_tcp_mode, initial_rtt_ns=10 * MS)
        receiving.create_image()
        receiving.run()
        lose_one(receiving)
        begin = receiving.clock.nano_time()
        for _ in range(20):
            receiving.run(10 * MS)
        elapsed_ns = receiving.clock.nano_time() - begin
        lengths[is_tcp_mode] = receiving.image.window_length // MTU_LENGTH
        expected = int(10 * 0.8 + 3 * 0.2 / 1.8 * elapsed_ns / (10 * MS))
    assert lengths[False] < expected
    assert lengths[True] == expected


def test_a_cubic_window_needs_no_counters():
    receiving = Receiving(
        term_length=WIDE,
        congestion_control=lambda _: CongestionControlOptions(
            131072,
            strategy=CongestionControlStrategy.CONGESTION_CONTROL_CUBIC,
            measures_rtt=True,
        ),
    )
    receiving.create_image()
    receiving.run()
    (request,) = [each for each in receiving.run(MS) if each[6] == 6]
    sent_ns = struct.unpack_from("<q", request, 16)[0]
    receiving.deliver(RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, sent_ns, 0, RECEIVER_ID))
    before = receiving.image.window_length // MTU_LENGTH
    lose_one(receiving)
    assert receiving.image.window_length // MTU_LENGTH == before * 4 // 5


def test_an_unknown_strategy_is_rejected():
    receiving = Receiving(congestion_control=lambda _: CongestionControlOptions(131072, strategy=9))
    with pytest.raises(ConfigurationError, match="cc: expected static or cubic"):
        receiving.create_image()


def test_an_unrequested_round_trip_time_is_ignored():
    receiving = Cubic(measures_rtt=True)
    receiving.create_image()
    receiving.run()
    rtt = next(each for each in receiving.counters.manager.counters() if each.label == "rtt")
    before = receiving.counters[rtt.counter_id]
    (request,) = [each for each in receiving.run(MS) if each[6] == 6]
    sent_ns = struct.unpack_from("<q", request, 16)[0]
    for echo_ns in (0, sent_ns - MS, sent_ns + 1):
        receiving.deliver(RTT.pack(40, 0, 0, 6, SESSION_ID, STREAM_ID, echo_ns, 0, RECEIVER_ID))
    assert receiving.counters[rtt.counter_id] == before
    receiving.clock.advance(MS)
    assert not [each for each in receiving.run(300 * MS) if each[6] == 6] or before == 0


def test_a_static_window_is_half_a_term_at_most():
    receiving = Receiving(window_length=1 << 30)
    receiving.create_image()
    assert receiving.image.window_length == 32768
