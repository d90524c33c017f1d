"""Configured losses, timestamps in frames, and port ranges."""

import socket
import struct

import pytest

from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.media.interceptors import Interceptors
from aeron_cluster.driver.media.lossy_network import LossyNetwork
from aeron_cluster.driver.media.stamped_network import StampedNetwork
from aeron_cluster.driver.media.wildcard_ports import WildcardPorts
from aeron_cluster.errors import ConfigurationError, PlatformError
from aeron_cluster.events import printer
from aeron_cluster.events.event_log import EventLogReader
from aeron_cluster.events.printer import EventPrinter
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.agents.agent_runner import AgentRunner
from aeron_cluster.memory.shared.commands import Command, ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import UdpNetwork
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.driver.driver_rig import DriverRig
from tests.unit.driver.harness import Receiving, heartbeat
from tests.waiting import await_true

HEADER = struct.Struct("<iBBHiiiiq")
DATA, STATUS, SETUP = 1, 3, 5
BEGIN = 0x80
TERM_ID = 9
A, B = Address("127.0.0.1", 4000), Address("127.0.0.1", 4001)
UDP = "aeron:udp?endpoint=127.0.0.1:4000"


def stamps_of_kernel():
    """Return whether sockets have times: qemu-user refuses the option."""
    so_timestampns = 35
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, so_timestampns, 1)
        except OSError:
            return False
    return True


def frame(offset=0, length=64, *, type_id=DATA, flags=0xC0, term_id=TERM_ID, stream_id=10):
    head = HEADER.pack(length, 0, flags, type_id, offset, 7, stream_id, term_id, 0)
    return head + bytes(length - HEADER.size)


class Wire:
    """A sender and a receiver of datagrams, each with its own network."""

    def __init__(self, sending, receiving):
        self.target = receiving.open(bind=B)
        self.source = sending.open(bind=A)

    def transmit(self, *frames):
        for each in frames:
            self.source.send(each, B)
        received = [self.target.receive() for _ in frames]
        return [each[0] for each in received if each is not None]


@pytest.fixture
def network():
    return MemoryNetwork()


class TestLoss:
    def received(self, network, lossy, frames):
        return Wire(network, lossy).transmit(*frames)

    def test_rate_applies_only_to_the_masked_types(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_at_random(0.25, 5, 1 << DATA)
        wire = Wire(network, lossy)
        assert len(wire.transmit(*[frame(type_id=SETUP)] * 400)) == 400
        assert 250 < len(wire.transmit(*[frame()] * 400)) < 350

    def test_a_seed_gives_the_same_losses_again(self):
        def run(seed):
            network = MemoryNetwork()
            lossy = LossyNetwork(network)
            lossy.lose_at_random(0.5, seed, 1 << DATA)
            return Wire(network, lossy).transmit(*[frame(32 * each) for each in range(64)])

        assert run(3) == run(3)
        assert run(3) != run(4)

    def test_outgoing_frames_may_be_lost_too(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_at_random(1.0, 0, 1 << STATUS, is_outgoing=True)
        wire = Wire(lossy, network)
        assert wire.transmit(frame(type_id=STATUS), frame()) == [frame()]

    def test_a_range_is_lost_once(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_range(TERM_ID, 0, 128)
        frames = [frame(offset) for offset in (0, 64, 128)]
        wire = Wire(network, lossy)
        assert wire.transmit(*frames) == [frames[2]]
        assert wire.transmit(*frames) == frames  # retransmitted
        other = [frame(offset, term_id=TERM_ID + 1) for offset in (0, 64)]
        assert wire.transmit(*other) == other

    def test_gaps_repeat_up_to_their_number(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_repeatedly(TERM_ID, 8, 64, 2 * 256 + 64)  # at 256 and 512
        frames = [frame(offset) for offset in range(0, 1024, 64)]
        wire = Wire(network, lossy)
        passed = wire.transmit(*frames)
        lost = [each for each in frames if each not in passed]
        assert lost == [frames[256 // 64], frames[512 // 64]]
        assert wire.transmit(*lost) == lost

    def test_losses_are_counted_per_stream(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_range(TERM_ID, 0, 64)
        wire = Wire(network, lossy)
        first, second = frame(stream_id=1), frame(stream_id=2)
        assert wire.transmit(first, second) == []
        assert wire.transmit(first, second) == [first, second]

    def test_losses_are_counted_for_a_limited_number_of_streams(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_range(TERM_ID, 0, 64)
        wire = Wire(network, lossy)
        for stream_id in range(256):
            assert wire.transmit(frame(stream_id=stream_id)) == []
        assert wire.transmit(frame(stream_id=256)) == [frame(stream_id=256)]
        assert wire.transmit(frame(stream_id=255)) == [frame(stream_id=255)]

    def test_bytes_of_a_range_are_lost_in_their_order(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_range(TERM_ID, 0, 320)
        wire = Wire(network, lossy)
        assert wire.transmit(frame(64)) == []
        frames = [frame(192), frame(0), frame(64), frame(128)]
        assert wire.transmit(*frames) == frames[:3]

    @pytest.mark.parametrize("sent", [b"short", frame(type_id=99), HEADER.pack(32, *[0] * 8)[:20]])
    def test_datagrams_of_other_types_are_never_lost(self, network, sent):
        lossy = LossyNetwork(network)
        lossy.lose_at_random(1.0, 0, 1 << DATA)
        lossy.lose_range(0, 0, 64)
        assert Wire(network, lossy).transmit(sent, frame()) == [sent]

    def test_a_header_that_is_incomplete_is_in_no_range(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_range(TERM_ID, 0, 64)
        assert Wire(network, lossy).transmit(frame()[:31], frame()) == [frame()[:31]]

    def test_datagrams_after_a_lost_one_of_a_batch_arrive(self):
        lossy = []

        def wrap(network):
            lossy.append(LossyNetwork(network))
            return lossy[0]

        receiving = Receiving(wrap_network=wrap)
        receiving.create_image()
        receiving.deliver(heartbeat(receiving.stream, 0))  # the next poll has all buffers
        lossy[0].lose_range(receiving.stream.initial_term_id, 0, 64)
        payloads = [bytes([each]) * 32 for each in range(4)]
        frames = [receiving.stream.frame(64 * at, each) for at, each in enumerate(payloads)]
        for each in frames:
            receiving.network.deliver(receiving.source, ("127.0.0.1", 40123), each)
        receiving.run()
        assert receiving.image.high_water_mark == 4 * 64
        assert receiving.consume() == []
        receiving.deliver(frames[0])
        assert receiving.consume() == payloads

    def test_rules_are_limited(self, network):
        lossy = LossyNetwork(network)
        for _ in range(16):
            lossy.lose_range(TERM_ID, 0, 64)
        with pytest.raises(ConfigurationError, match="loss rules: expected at most 16, found 17"):
            lossy.lose_range(TERM_ID, 0, 64)

    def test_a_failure_to_send_ends_a_batch(self, network):
        lossy = LossyNetwork(network)
        lossy.lose_at_random(1.0, 0, 1 << STATUS, is_outgoing=True)
        socket = lossy.open()
        with pytest.raises(OSError, match="Message too long"):
            socket.send(bytes(70_000), ("127.0.0.1", 4000))


class TestInterceptors:
    def lossy(self, **options):
        context = DriverContext(environment={}, **options)
        network = MemoryNetwork()
        found = Interceptors(context)
        return (
            found.sending(network) is not network,
            found.receiving(network) is not network,
        )

    def test_without_options_the_network_is_used_as_it_is(self):
        assert self.lossy() == (False, False)

    @pytest.mark.parametrize("kind", ["loss", "fixed_loss", "multi_gap_loss"])
    def test_functions_of_c_are_known_as_their_names(self, kind):
        names = [kind.replace("_", "-"), f"aeron_udp_channel_interceptor_{kind}_load"]
        found = []
        for name in names:
            # Both begin to read the same arguments.
            with pytest.raises(ConfigurationError) as caught:
                self.lossy(udp_channel_incoming_interceptors=name)
            found.append(str(caught.value))
        assert found[0] == found[1]
        assert f"bindings.{kind.replace('_', '.')}.args" in found[0]

    def test_options_make_it_lossy(self):
        loss = {"udp_channel_incoming_interceptors": "loss,fixed-loss,multi-gap-loss"}
        loss["udp_channel_transport_bindings_loss_args"] = "rate=0.2|seed=10|recv-msg-mask=0xF"
        fixed = "term-id=-3|term-offset=0|length=4096"
        loss["udp_channel_transport_bindings_fixed_loss_args"] = fixed
        gaps = "term-id=1|gap-radix=4096|gap-length=128|total-gaps=3"
        loss["udp_channel_transport_bindings_multi_gap_loss_args"] = gaps
        assert self.lossy(**loss) == (True, True)
        outgoing = {"udp_channel_outgoing_interceptors": "loss", **loss}
        del outgoing["udp_channel_incoming_interceptors"]
        assert self.lossy(**outgoing) == (False, False)  # as in upstream
        assert self.lossy(debug_send_data_loss_rate="0.5") == (True, False)
        assert self.lossy(debug_receive_control_loss_rate="0.5") == (False, True)

    @pytest.mark.parametrize(
        ("options", "part"),
        [
            ({"udp_channel_incoming_interceptors": "fixed-los"}, "did you mean fixed-loss?"),
            ({"udp_channel_outgoing_interceptors": "other"}, "outgoing.interceptors"),
            ({"udp_channel_incoming_interceptors": "loss"}, "rate=VALUE"),
            (
                {
                    "udp_channel_incoming_interceptors": "loss",
                    "udp_channel_transport_bindings_loss_args": "rat=1",
                },
                "did you mean rate?",
            ),
            (
                {
                    "udp_channel_incoming_interceptors": "loss",
                    "udp_channel_transport_bindings_loss_args": "rate=2",
                },
                "a rate from 0 to 1",
            ),
            ({"debug_send_data_loss_rate": "often"}, "aeron.debug.send.data.loss.rate"),
            (
                {
                    "udp_channel_incoming_interceptors": "fixed-loss",
                    "udp_channel_transport_bindings_fixed_loss_args": (
                        "term-id=1|term-offset=0|length=long"
                    ),
                },
                "length=NUMBER, found 'long'",
            ),
            (
                {
                    "udp_channel_outgoing_interceptors": "fixed-loss",
                    "udp_channel_transport_bindings_fixed_loss_args": (
                        "term-id=-1|term-offset=-32|length=32"
                    ),
                },
                "term-offset=NUMBER from 0 to 2147483647",
            ),
            (
                {
                    "udp_channel_incoming_interceptors": "fixed-loss",
                    "udp_channel_transport_bindings_fixed_loss_args": (
                        "term-id=2147483648|term-offset=0|length=32"
                    ),
                },
                "term-id=NUMBER from -2147483648 to 2147483647",
            ),
            (
                {
                    "udp_channel_incoming_interceptors": "multi-gap-loss",
                    "udp_channel_transport_bindings_multi_gap_loss_args": (
                        "term-id=1|gap-radix=4294967296|gap-length=128|total-gaps=3"
                    ),
                },
                "gap-radix=NUMBER from 0 to 2147483647",
            ),
        ],
    )
    def test_invalid_options_are_named(self, options, part):
        with pytest.raises(ConfigurationError) as caught:
            self.lossy(**options)
        assert part in str(caught.value)

    def test_gaps_may_end_after_every_term(self):
        options = {
            "udp_channel_incoming_interceptors": "multi-gap-loss",
            "udp_channel_transport_bindings_multi_gap_loss_args": (
                "term-id=1|gap-radix=65536|gap-length=128|total-gaps=1000000"
            ),
        }
        assert self.lossy(**options) == (True, True)

    def test_driver_recovers_from_a_configured_gap(self, shm_dir):
        options = {
            "udp_channel_incoming_interceptors": "fixed-loss",
            "udp_channel_transport_bindings_fixed_loss_args": (
                "term-id=5|term-offset=0|length=4096"
            ),
        }
        rig = DriverRig(shm_dir / "lossy", **options)
        try:
            subscription = rig.add_subscription(UDP)
            position = "init-term-id=5|term-id=5|term-offset=0"
            ready = rig.ready(rig.add_publication(f"{UDP}|{position}", exclusive=True))
            rig.run_until(lambda: rig.images(subscription))
            rig.run(1_000_000_000)
            for _ in range(2):
                end = rig.publish(ready, bytes(1024))
            names = {each.label.split(":")[0]: each for each in rig.counters.counters()}
            position = names["rcv-pos"].counter_id
            rig.run_until(lambda: rig.counters.value(position) == end)
            assert rig.counters.value(SystemCounter.SYSTEM_NAKS_SENT) >= 1
        finally:
            rig.close()


class TestStamps:
    NOW = 5_000_000_123

    def wire(self, network, **offsets):
        stamped = StampedNetwork(network, VirtualClock(self.NOW), **offsets)
        is_sending = "send_offset" in offsets
        return Wire(stamped, network) if is_sending else Wire(network, stamped)

    @pytest.mark.parametrize("key", ["send_offset", "receive_offset"])
    def test_times_are_in_the_payload_or_the_reserved_value(self, network, key):
        [found] = self.wire(network, **{key: 8}).transmit(frame())
        assert struct.unpack_from("<qqq", found, HEADER.size) == (0, self.epoch, 0)
        [found] = self.wire(MemoryNetwork(), **{key: -8}).transmit(frame())
        assert HEADER.unpack_from(found)[-1] == self.epoch

    @property
    def epoch(self):
        return VirtualClock(self.NOW).epoch_nanos()

    @pytest.mark.parametrize(
        "sent",
        [
            frame(type_id=SETUP),
            frame(flags=0),  # a fragment in the middle of a message
            frame(length=64)[:48],  # no space at the offset
            HEADER.pack(0, 0, 0xC0, DATA, 0, 7, 10, TERM_ID, 0),  # a heartbeat
            b"short",
        ],
    )
    def test_other_frames_stay_as_they_are(self, network, sent):
        assert self.wire(network, receive_offset=16).transmit(sent) == [sent]
        assert self.wire(MemoryNetwork(), send_offset=16).transmit(sent) == [sent]

    @pytest.mark.skipif(not stamps_of_kernel(), reason="the kernel gives datagrams no times")
    def test_kernel_timestamps_received_datagrams(self):
        network = UdpNetwork()
        stamped = StampedNetwork(network, VirtualClock(self.NOW), media_receive_offset=0)
        target = stamped.open(bind=Address("127.0.0.1", 0))
        source = network.open()
        source.send(frame(), target.local_address)
        received = ()
        while not received:
            received = target.receive()
        assert struct.unpack_from("<q", received[0], HEADER.size)[0] > 10**18

    @pytest.mark.parametrize("key", ["media-rcv-ts-offset", "channel-rcv-ts-offset"])
    def test_subscriptions_of_a_channel_have_one_timestamp_offset(self, shm_dir, key):
        rig = DriverRig(shm_dir / "a")
        try:
            rig.add_subscription(f"{UDP}|{key}=reserved")
            code, text = rig.error(rig.add_subscription(f"{UDP}|{key}=8", 11))
            assert code == ErrorCode.ERROR_INVALID_CHANNEL
            expected = f"option conflicts with existing subscription: {key}=8 existingChannel={UDP}"
            assert text.startswith(expected)
            _, text = rig.error(rig.add_subscription(UDP, 12))
            assert f"{key}=none" in text
            rig.add_subscription(f"{UDP}|{key}=reserved", 13)
        finally:
            rig.close()

    def test_frames_in_the_other_direction_stay_as_they_are(self, network):
        stamped = StampedNetwork(network, VirtualClock(self.NOW), receive_offset=8)
        assert Wire(stamped, network).transmit(frame()) == [frame()]
        stamped = StampedNetwork(network, VirtualClock(self.NOW), send_offset=8)
        assert Wire(network, stamped).transmit(frame()) == [frame()]

    def test_times_must_not_overlap(self, shm_dir):
        rig = DriverRig(shm_dir / "a")
        try:
            channel = f"{UDP}|channel-rcv-ts-offset=4|channel-snd-ts-offset=8"
            _, text = rig.error(rig.add_publication(channel))
            assert text.startswith("channel-rcv-ts-offset and channel-snd-ts-offset overlap")
        finally:
            rig.close()


class TestRecording:
    def test_datagrams_without_content_and_short_naks_are_no_events(self, shm_dir):
        rig = DriverRig(shm_dir / "a", event_log="FRAME_IN,NAK_RECEIVED")
        channel = "aeron:udp?control=127.0.0.1:4001|control-mode=dynamic"
        nak = struct.pack("<iBBHiiiii", 28, 0, 0, 2, 7, 10, 5, 0, 64)
        try:
            rig.ready(rig.add_publication(channel))
            for sent in (b"", nak[:27], nak):
                rig.network.deliver(("127.0.0.1", 50000), ("127.0.0.1", 4001), sent)
                rig.run_once()
            path = f"{rig.driver.aeron_dir}/driver-events.dat"
            with MappedFile.open(rig.files, path) as file:
                lines = [decode_record(*each).line for each in EventLogReader(file, path).poll(9)]
        finally:
            rig.close()
        kinds = [line.partition("DRIVER: ")[2].partition(" [")[0] for line in lines]
        assert kinds == ["FRAME_IN", "FRAME_IN", "NAK_RECEIVED"]

    @pytest.mark.parametrize("event", ["FRAME_IN", "NAK_RECEIVED"])
    def test_events_without_room_are_dropped_and_counted(self, shm_dir, monkeypatch, event):
        monkeypatch.setattr(EventPrinter, "do_work", lambda _: 0)
        rig = DriverRig(shm_dir / "a", event_log=event, event_buffer_length=65536)
        channel = "aeron:udp?control=127.0.0.1:4001|control-mode=dynamic|alias=" + "x" * 4000
        nak = struct.pack("<iBBHiiiii", 28, 0, 0, 2, 7, 10, 5, 0, 64)
        path = f"{rig.driver.aeron_dir}/driver-events.dat"
        try:
            rig.ready(rig.add_publication(channel))
            with MappedFile.open(rig.files, path) as file:
                reader = EventLogReader(file, path)
                for _ in range(10_000):
                    if reader.dropped_count:
                        break
                    rig.network.deliver(("127.0.0.1", 50000), ("127.0.0.1", 4001), nak)
                    rig.run_once()
                _, record = reader.poll(1)[0]
        finally:
            rig.close()
        assert reader.dropped_count > 0
        assert (b"xxx..." in record[-6:]) is (event == "NAK_RECEIVED")

    @pytest.mark.parametrize("is_at_once", [True, False])
    def test_an_error_that_ends_the_printing_is_recorded(self, shm_dir, monkeypatch, is_at_once):
        failures = [OSError("no space for lines")] if is_at_once else []

        def fail_once(_):
            if failures:
                raise failures.pop()
            return 0

        class AwaitedRunner(AgentRunner):
            def start(self):
                super().start()
                await_true(lambda: self.failure is not None, "the end of the printing")

        monkeypatch.setattr(EventPrinter, "do_work", fail_once)
        if is_at_once:
            monkeypatch.setattr(printer, "AgentRunner", AwaitedRunner)
        rig = DriverRig(shm_dir / "a", event_log="FRAME_IN")
        failures.append(OSError("no space for lines"))
        try:
            await_true(
                lambda: any("no space" in each.text for each in rig.cnc.error_log().entries()),
                "a record",
            )
        finally:
            rig.close()


class TestPorts:
    def test_ports_of_the_range_are_used_in_turn_and_reused(self):
        ports = WildcardPorts("x", "20700 20702")
        any_port = Address("127.0.0.1", 0)
        ports.assign(Address("127.0.0.1", 20701))  # an explicit port
        assert [ports.assign(any_port).port for _ in range(2)] == [20700, 20702]
        with pytest.raises(PlatformError, match="no available ports in range 20700 20702"):
            ports.assign(any_port)
        ports.release(20702)
        assert ports.assign(any_port).port == 20702

    @pytest.mark.parametrize("text", [None, "", "0 0"])
    def test_without_a_range_the_system_chooses(self, text):
        assert WildcardPorts("x", text).assign(Address("::1", 0)).port == 0

    @pytest.mark.parametrize("text", ["20700", "2 1", "1 65536", "a b", "20700-20701"])
    def test_invalid_port_range_ends_the_start(self, shm_dir, text):
        with pytest.raises(ConfigurationError, match=r"aeron\.receiver\.wildcard\.port\.range"):
            DriverRig(shm_dir / "a", receiver_wildcard_port_range=text)

    def test_channels_are_bound_within_the_range(self, shm_dir):
        rig = DriverRig(
            shm_dir / "a",
            receiver_wildcard_port_range="20700 20700",
            sender_wildcard_port_range="20702 20702",
        )
        channel = "aeron:udp?endpoint=127.0.0.1:0"
        try:
            first = rig.add_subscription(channel)
            code, text = rig.error(rig.add_subscription(channel, 11))
            assert code == ErrorCode.ERROR_GENERIC
            assert "no available ports in range 20700 20700" in text
            assert "127.0.0.1:20700" in " ".join(rig.labels())
            rig.remove_subscription(first)
            rig.run(1_000_000_000)
            rig.add_subscription(channel, 12)
            controlled = "aeron:udp?control=127.0.0.1:0|control-mode=dynamic"
            rig.ready(rig.add_publication(controlled))
            assert "127.0.0.1:20702" in " ".join(rig.labels())
            rig.ready(rig.add_publication(UDP, 13))  # the system chooses its own address
            _, text = rig.error(rig.add_publication(controlled, 14))
            assert "no available ports in range 20702 20702" in text
        finally:
            rig.close()

    def test_a_port_that_could_not_be_bound_again_is_still_in_use(self, shm_dir):
        rig = DriverRig(shm_dir / "driver", receiver_wildcard_port_range="20700 20701")
        try:
            channel = "aeron:udp?endpoint=127.0.0.1:20700"
            rig.add_subscription(channel)
            manual = rig.add_subscription("aeron:udp?control-mode=manual")
            rig.error(rig.destination(Command.ADD_RCV_DESTINATION, manual, channel))
            rig.add_subscription("aeron:udp?endpoint=127.0.0.1:0")
            assert any("127.0.0.1:20701" in label for label in rig.labels())
        finally:
            rig.close()
