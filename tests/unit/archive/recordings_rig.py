"""A recorder and a replayer over logs in this process, for the tests of both."""

from pathlib import Path

from aeron_cluster.archive.recording.recorder import Recorder, RecordingSession
from aeron_cluster.archive.recording.segment_files import SegmentFiles
from aeron_cluster.archive.replay.replayer import Replayer, ReplaySession
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersManager
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles

TERM_LENGTH = 64 * 1024
SEGMENT_LENGTH = 128 * 1024
MAX = 2**63 - 1
# The fields of a catalog entry, except for its start position.
DESCRIPTION = {
    "start_timestamp": 1,
    "initial_term_id": 0,
    "segment_file_length": SEGMENT_LENGTH,
    "term_buffer_length": TERM_LENGTH,
    "mtu_length": 1408,
    "session_id": 1,
    "stream_id": 1,
    "stripped_channel": "aeron:ipc",
    "original_channel": "aeron:ipc",
    "source_identity": "aeron:ipc",
}


class Rig:
    """Drives both by hand; each log is offered to and recorded in the calling thread."""

    def __init__(self, directory, **options):
        self.directory = str(directory)
        self.files = options.pop("files", None) or SystemFiles()
        self.clock = SystemClock()
        self.counters = CountersManager(bytearray(512 * 16), bytearray(128 * 16))
        checksum = options.pop("checksum", None)
        self.segment_files = SegmentFiles(self.files, self.directory)
        self.recorder = Recorder(
            self.files,
            self.clock,
            self.directory,
            self.segment_files,
            checksum=checksum,
            **options,
        )
        self.recorded = []
        self.replayer = Replayer(self.files, self.clock, self.directory, checksum=checksum)

    def counter(self, value=0):
        counter_id = self.counters.allocate("rec-pos", 100, now_ms=0, registration_id=7)
        counter = AtomicCounter(self.counters, counter_id)
        counter.set(value)
        return counter

    def log(self, position=0, **settings):
        log = LocalLog("exclusive", term_length=TERM_LENGTH, position=position, **settings)
        log.is_connected = True
        log.position_limit = MAX
        return log

    def record(self, log, position=0, recording_id=0, counter=None, **more):
        session = RecordingSession(
            log,
            counter or self.counter(),
            recording_id=recording_id,
            position=position,
            segment_base=position - position % TERM_LENGTH,
            segment_length=SEGMENT_LENGTH,
            block_length_limit=TERM_LENGTH,
            **more,
        )
        self.recorder.add(session)
        self.recorded.append((log, session))
        return session

    def drain(self):
        """Record the offered messages."""
        for _ in range(1000):
            if not self.recorder.do_work() + self.segment_files.do_work():
                break
        else:
            raise AssertionError("the recorder never ends")
        for log, session in self.recorded:
            clean(log, session.position)

    def replay(self, log, position, limit, replay_limit=None, **more):
        session = ReplaySession(
            log,
            recording_id=0,
            position=position,
            limit=limit,
            replay_limit=limit if replay_limit is None else replay_limit,
            segment_base=more.pop("segment_base", position - position % SEGMENT_LENGTH),
            segment_length=SEGMENT_LENGTH,
            read_length_limit=1024 * 1024,
            connect_deadline_ns=more.pop("connect_deadline_ns", MAX),
            **more,
        )
        self.replayer.add(session)
        return session

    def segment(self, base, recording_id=0):
        return Path(self.directory, f"{recording_id}-{base}.rec").read_bytes()


def clean(log, position):
    """Zero the previous term, as a driver does before the term is reused."""
    term_begin = position - position % TERM_LENGTH
    if term_begin >= TERM_LENGTH:
        log.clean(term_begin - TERM_LENGTH, term_begin)


def messages_of(log, into):
    """Poll the available messages into a list of payloads."""
    while log.poll(lambda view, _: into.append(bytes(view)), 1000):
        clean(log, log.subscriber_position)
    return into


class Recorded:
    """Records messages: a catalog, and the segments of recording 0.

    Parameters
    ----------
    path
        A fresh directory for the archive.
    messages
        The payloads to record.
    start
        The start position of the recording.
    is_stopped
        Whether the catalog has the stop position.

    Attributes
    ----------
    positions
        The position after each message.
    stop
        The position after the last message.
    descriptor
        The recording's descriptor in the catalog.
    """

    def __init__(self, path, messages, start=0, *, is_stopped=True):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        with Catalog(SystemFiles(), str(path), capacity=4096) as catalog:
            catalog.add(start_position=start, **DESCRIPTION)
            rig = Rig(path)
            log = rig.log(position=start)
            rig.record(log, position=start)
            self.positions = []
            for message in messages:
                while (position := log.offer(message)) < 0:
                    pass
                self.positions.append(position)
                rig.drain()
            rig.recorder.on_close()
            self.stop = log.producer_position
            if is_stopped:
                catalog.stop(0, self.stop, 99)
            self.descriptor = catalog.get(0).descriptor
