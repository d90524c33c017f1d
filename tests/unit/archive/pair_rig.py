"""Two archives on simulated machines, each with its driver and a client: one thread, no sockets."""

import contextlib

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs.archive import RecordingSignal
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.world.machine import World

MS = 1_000_000
S = 1_000_000_000
TERM_LENGTH = 64 * 1024
SEGMENT_LENGTH = 128 * 1024
CONTROL_STREAM_ID = 10
PASS_NS = 10_000
IDLE_NS = 5 * MS


class Side:
    """A machine with a driver, an archive and a client of both."""

    def __init__(self, pair, name, address, **archive):
        self.pair = pair
        self.name = name
        self.machine = pair.world.add_machine(name, address)
        self.errors = []
        self.late_errors = []
        self.signals = []
        self.aeron = None
        self.archive = None
        self.driver_options = archive.pop("driver", {})
        self.options = archive
        self.control_channel = f"aeron:udp?endpoint={name}:8010"
        self.start()

    def start(self):
        seams = self.machine.start_process()
        aeron_dir = f"/dev/shm/{self.name}"
        self.both = ArchivingMediaDriver.launch(
            driver={
                "aeron_dir": aeron_dir,
                "environment": {},
                "threading_mode": "INVOKER",
                "term_buffer_length": TERM_LENGTH,
                "ipc_term_buffer_length": TERM_LENGTH,
            }
            | self.driver_options,
            archive={
                "archive_dir": "/data",
                "control_channel": self.control_channel,
                "replication_channel": f"aeron:udp?endpoint={self.name}:0",
                "segment_file_length": SEGMENT_LENGTH,
                "low_storage_space_threshold": 0,
                "error_handler": self.errors.append,
            }
            | self.options,
            seams=seams,
        )
        self.both.invoker.start()
        self.invokers = [self.both.invoker]
        self.aeron = Aeron.connect(
            aeron_dir=aeron_dir,
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=self.pair.drive,
        )
        self.invokers.append(self.aeron.conductor_agent_invoker)

    def connect(self):
        """Open the client's session with the archive."""
        self.archive = AeronArchive.connect(
            aeron=self.aeron,
            agent_invoker=self.pair.drive,
            idle_strategy=IdleStrategy("noop"),
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
            recording_signal_handler=self.signals.append,
            error_handler=self.late_errors.append,
        )
        return self.archive

    def kill(self):
        """End the machine's process immediately."""
        self.machine.kill_process()
        self.invokers.clear()
        self.aeron = self.archive = self.both = None

    def restart(self):
        """Close everything in order, then start the driver and the archive again."""
        self.close()
        self.invokers.clear()
        self.aeron = self.archive = None
        self.start()

    def counter(self, label):
        """Return the value of the archive's counter with this label prefix."""
        [value] = [
            each.value
            for each in self.aeron.counters_reader.counters()
            if each.label.startswith(label)
        ]
        return value

    # ---- recordings ----

    def record(self, stream_id=1001, channel="aeron:ipc", session_id=None):
        """Return a publication and the id of its recording."""
        publication = self.archive.add_recorded_exclusive_publication(
            channel if session_id is None else f"{channel}|session-id={session_id}", stream_id
        )
        self.pair.run_until(lambda: self.signal_names().count("START") > 0)
        recording_id = self.signals[-1].recording_id
        self.signals.clear()
        self.pair.run_until(lambda: publication.is_connected)
        return publication, recording_id

    def publish(self, publication, count, length=1000, start=0):
        """Offer messages and wait until they are recorded; return the position."""
        sent = start

        def is_done():
            nonlocal sent
            while sent < start + count and publication.offer(message(sent, length)):
                sent += 1
            return sent == start + count

        self.pair.run_until(is_done)
        return publication.position

    def finished(self, count, stream_id=1001, length=1000, channel="aeron:ipc"):
        """Record the given number of messages and stop; return the recording's id and its end."""
        publication, recording_id = self.record(stream_id, channel)
        position = self.publish(publication, count, length)
        self.await_recorded(recording_id, position)
        publication.close()
        self.pair.run_until(lambda: "STOP" in self.signal_names())
        self.signals.clear()
        return recording_id, position

    def await_recorded(self, recording_id, position):
        self.pair.run_until(
            lambda: self.archive.get_max_recorded_position(recording_id) >= position
        )

    def signal_names(self):
        """Return the names of the received signals."""
        self.archive.poll()
        return [RecordingSignal(signal.signal).name for signal in self.signals]

    def await_signal(self, name):
        self.pair.run_until(lambda: name in self.signal_names())

    def segment_bytes(self, recording_id):
        """Return the bytes of a recording's segments up to its end, without the session ids."""
        descriptor = self.archive.list_recording(recording_id)
        files = self.machine.files
        base = AeronArchive.segment_base_position(
            descriptor.start_position,
            descriptor.start_position,
            descriptor.term_buffer_length,
            descriptor.segment_file_length,
        )
        content = b""
        for begin in range(base, descriptor.stop_position, descriptor.segment_file_length):
            with files.open(f"/data/{recording_id}-{begin}.rec") as file:
                content += file.read_at(descriptor.segment_file_length, 0)
        return without_session_ids(
            content, descriptor.start_position - base, descriptor.stop_position - base
        )

    def close(self):
        if self.both is None:
            return
        if self.archive is not None:
            self.archive.close()
        self.aeron.close()
        self.both.close()


class Pair:
    """Two sides: ``src`` and ``dst``."""

    def __init__(self, seed=1, **options):
        self.world = World(seed)
        self.sides = []
        self.src = self._add("src", "10.0.0.1", **options.get("src", {}))
        self.dst = self._add("dst", "10.0.0.2", **options.get("dst", {}))
        for side in self.sides:
            side.connect()

    def _add(self, name, address, **archive):
        side = Side.__new__(Side)
        self.sides.append(side)
        side.invokers = []
        side.__init__(self, name, address, **archive)
        return side

    @property
    def invokers(self):
        return [invoker for side in self.sides for invoker in side.invokers]

    def drive(self):
        """Drive everything once; advance time if nothing had work."""
        time = self.world.time
        if sum(invoker.invoke() for invoker in self.invokers):
            time.advance(PASS_NS)
            return
        arrival_ns = self.world.wire.next_due_ns
        jump_ns = IDLE_NS if arrival_ns is None else arrival_ns - time.now_ns
        time.advance(min(max(jump_ns, PASS_NS), IDLE_NS))

    def run_until(self, is_done, timeout_ns=60 * S):
        """Drive everything until a condition holds."""
        deadline_ns = self.world.time.now_ns + timeout_ns
        while not is_done():
            assert self.world.time.now_ns < deadline_ns, (
                [side.errors + side.late_errors for side in self.sides],
                [side.signals for side in self.sides],
            )
            self.drive()

    def close(self):
        with contextlib.ExitStack() as stack:
            for side in self.sides:
                stack.callback(side.close)


def message(number, length):
    """Return the payload of a message by its number."""
    return number.to_bytes(8, "little") + bytes(length - 8)


def without_session_ids(content, begin, end):
    """Return frames with each session id zeroed, since a copy has its own."""
    frames = bytearray(content[:end])
    at = begin
    while at < end:
        length = int.from_bytes(frames[at : at + 4], "little")
        assert length > 0, f"no frame at {at}"
        frames[at + 12 : at + 16] = bytes(4)
        at += -(-length // 32) * 32
    assert at == end
    return bytes(frames[begin:end])
