"""The echo service of ``ClusterNode.java`` in Python: same protocol, checksum and snapshot."""

import struct
import zlib

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

COMMAND = struct.Struct("<iiqq")
NUMBER = struct.Struct("<q")
ECHO, TIMER, SERVICE, CLOSE, STATE, CANCEL, BROADCAST = range(7)
SNAPSHOT_MAGIC = 0x45434853
_STATE = struct.Struct("<ii7q")
_MASK = 2**64 - 1


class EchoService(ClusteredService):
    """Answers commands, and computes a checksum of all that it receives.

    Parameters
    ----------
    pad : int
        The number of messages of 1 KiB at the end of each snapshot.
    """

    def __init__(self, pad=0):
        self.pad = pad
        self.padding_read = 0
        self.calls = []
        self.states = []  # at each start
        self.messages = self.checksum = self.timer_events = self.service_messages = 0
        self.opened = self.closed = 0
        self.timers = {}
        self.cluster = None

    def state(self):
        """Return the state, which is equal on members that applied the same log."""
        return {
            "messages": self.messages,
            "checksum": f"{self.checksum:016x}",
            "timerEvents": self.timer_events,
            "serviceMessages": self.service_messages,
            "opened": self.opened,
            "closed": self.closed,
        }

    def fold(self, value):
        self.checksum = (self.checksum * 6364136223846793005 + value) & _MASK

    def on_start(self, cluster, snapshot_image):
        self.calls.append(("start", snapshot_image is not None, cluster.role))
        self.cluster = cluster
        if snapshot_image is not None:
            self._load(snapshot_image)
        self.states.append(self.state())

    def on_session_open(self, session, _timestamp):
        self.calls.append(("open", session.id))
        self.opened += 1
        self.fold(session.id)

    def on_session_close(self, session, _timestamp, close_reason):
        self.calls.append(("close", session.id, close_reason))
        self.closed += 1
        self.fold(~session.id)

    def on_session_message(self, session, timestamp, message, header):
        assert timestamp == self.cluster.time
        assert header.position == self.cluster.log_position
        self.fold(zlib.crc32(message))
        command, sequence = ECHO, 0
        if len(message) >= COMMAND.size:
            command, _, sequence, _ = COMMAND.unpack_from(message)
        if session is None:
            self.service_messages += 1
            if len(message) >= COMMAND.size + NUMBER.size:
                (session_id,) = NUMBER.unpack_from(message, COMMAND.size)
                self.reply(self.cluster.get_client_session(session_id), message)
            return
        self.messages += 1
        match command:
            case 1:
                (delay,) = NUMBER.unpack_from(message, COMMAND.size)
                self.timers[sequence] = session.id
                self.schedule(sequence, timestamp + delay)
            case 2:
                body = bytes(message[COMMAND.size + NUMBER.size :])
                offered = message[: COMMAND.size] + NUMBER.pack(session.id) + body
                while not self.cluster.offer(offered):
                    self.cluster.idle()
            case 3:
                session_id = 0
                if len(message) >= COMMAND.size + NUMBER.size:
                    (session_id,) = NUMBER.unpack_from(message, COMMAND.size)
                self.cluster.close_client_session(session_id or session.id)
            case 5:
                self.timers.pop(sequence, None)
                while not self.cluster.cancel_timer(sequence):
                    self.cluster.idle()
                self.reply(session, message)
            case 6:
                for each in self.cluster.client_sessions:
                    self.reply(each, message)
            case _:
                self.reply(session, message)

    def schedule(self, correlation_id, deadline):
        while not self.cluster.schedule_timer(correlation_id, deadline):
            self.cluster.idle()

    def reply(self, session, message):
        if session is None:
            return
        for _ in range(1000):
            if session.offer(message) or session.is_closing:
                return
            self.cluster.idle()

    def on_timer_event(self, correlation_id, timestamp):
        self.timer_events += 1
        self.fold(correlation_id)
        session_id = self.timers.pop(correlation_id, None)
        if session_id is not None:
            answer = COMMAND.pack(TIMER, 0, correlation_id, timestamp)
            self.reply(self.cluster.get_client_session(session_id), answer)

    def on_take_snapshot(self, snapshot_publication):
        signed = (self.checksum ^ 1 << 63) - (1 << 63)
        data = _STATE.pack(
            SNAPSHOT_MAGIC, len(self.timers), self.messages, signed, self.timer_events,
            self.service_messages, self.opened, self.closed, self.pad,
        )  # fmt: skip
        for timer in self.timers.items():
            data += struct.pack("<qq", *timer)
        self._write(snapshot_publication, data)
        pad = bytearray(1024)
        for index in range(self.pad):
            struct.pack_into("<i", pad, 0, index)
            self._write(snapshot_publication, pad)
        self.calls.append(("snapshot", self.cluster.log_position))

    def _write(self, publication, data):
        while not publication.offer(data):
            self.cluster.idle()

    def _load(self, image):
        assembler = FragmentAssembler(self._take)
        while not image.is_end_of_stream:
            assert not image.is_closed
            self.cluster.idle(image.poll(assembler, 100))
        assert self.padding_read == self.pad

    def _take(self, message, _):
        if len(message) == 1024:
            assert struct.unpack_from("<i", message) == (self.padding_read,)
            self.padding_read += 1
            return
        (
            magic, count, self.messages, checksum, self.timer_events, self.service_messages,
            self.opened, self.closed, self.pad,
        ) = _STATE.unpack_from(message)  # fmt: skip
        assert magic == SNAPSHOT_MAGIC
        self.checksum = checksum & _MASK
        for index in range(count):
            correlation_id, session_id = struct.unpack_from(
                "<qq", message, _STATE.size + 16 * index
            )
            self.timers[correlation_id] = session_id

    def on_role_change(self, role):
        self.calls.append(("role", role))

    def on_terminate(self, _):
        self.calls.append(("terminate",))

    def on_new_leadership_term_event(self, term):
        self.calls.append(("term", term))
