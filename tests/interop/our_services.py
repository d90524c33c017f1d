"""The services of ``ClusterNode.java`` in Python, which report their events as JSON lines."""

import json
import struct
import sys
import time
from zlib import crc32

from aeron_cluster.cli.accounts import Accounts
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from tests.interop.echo_service import EchoService


def emit(event, **values):
    """Print an event as Java's programs do."""
    # One write with the line's end: other threads print too.
    line = {"t": int(time.time() * 1000), "event": event, **values}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class ReportingEcho(EchoService):
    """The echo service, which also reports what happens."""

    timestamp = 0
    log_position = 0

    def state(self):
        return {
            **super().state(),
            "pendingTimers": len(self.timers),
            "clusterTime": self.timestamp,
            "logPosition": self.log_position,
        }

    def on_start(self, cluster, snapshot_image):
        super().on_start(cluster, snapshot_image)
        emit("serviceStart", fromSnapshot=snapshot_image is not None, state=self.state())

    def on_session_open(self, session, timestamp):
        super().on_session_open(session, timestamp)
        self.timestamp = timestamp
        principal = bytes(session.encoded_principal).decode()
        emit("sessionOpen", id=session.id, channel=session.response_channel, principal=principal)

    def on_session_close(self, session, timestamp, close_reason):
        super().on_session_close(session, timestamp, close_reason)
        self.timestamp = timestamp
        emit("sessionClose", id=session.id, reason=close_reason.name)

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        self.timestamp, self.log_position = timestamp, header.position

    def on_timer_event(self, correlation_id, timestamp):
        super().on_timer_event(correlation_id, timestamp)
        self.timestamp = timestamp

    def on_take_snapshot(self, snapshot_publication):
        super().on_take_snapshot(snapshot_publication)
        emit("snapshotTaken", position=snapshot_publication.position, state=self.state())

    def on_role_change(self, role):
        emit("serviceRole", role=role.name)

    def on_terminate(self, _cluster):
        emit("serviceTerminate", state=self.state())


class Diverging(ReportingEcho):
    """Answers one message differently on one member, like a service that is not deterministic."""

    def __init__(self, diverge_at):
        super().__init__()
        self.diverge_at = diverge_at

    def on_session_message(self, session, timestamp, message, header):
        if self.cluster.member_id == 1 and self.messages == self.diverge_at:
            self.reply(session, b"something else")
        super().on_session_message(session, timestamp, message, header)


class ReportingAccounts(Accounts):
    """The accounts service, which reports its state on request."""

    def state(self):
        return {"balances": dict(self.balances), "clients": len(self._requests)}


class Plain(ClusteredService):
    """Sends each message back and does nothing else, for benchmarks."""

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, _timestamp, message, _header):
        while not session.offer(message):
            if session.is_closing:
                return
            self.cluster.idle()


class Checksum(ClusteredService):
    """Sends each message back, and combines the messages' CRC-32 into a checksum."""

    sum = 0

    def on_start(self, cluster, _snapshot_image):
        self.cluster = cluster

    def on_session_message(self, session, _timestamp, message, _header):
        self.sum = (self.sum * 6364136223846793005 + crc32(message)) & 0xFFFF_FFFF_FFFF_FFFF
        while not session.offer(message):
            if session.is_closing:
                return
            self.cluster.idle()


class Ledger(ClusteredService):
    """Counts how often each number was received, which must be once."""

    ENTER, COUNTS = 0, 1
    HEAD = struct.Struct("<iiq")
    CHUNK = 32 * 1024

    def __init__(self):
        self.counts = bytearray()

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        if snapshot_image is not None:
            assembler = FragmentAssembler(lambda chunk, _: self.counts.extend(bytes(chunk)))
            while not snapshot_image.is_end_of_stream:
                if snapshot_image.is_closed:
                    raise EOFError("the snapshot ended early")
                cluster.idle(snapshot_image.poll(assembler, 16))
        emit("serviceStart", fromSnapshot=snapshot_image is not None, entries=len(self.counts))

    def on_session_message(self, session, _timestamp, message, _header):
        data = bytes(message)
        command, count, number = self.HEAD.unpack_from(data)
        if command == self.ENTER:
            if number >= len(self.counts):
                self.counts.extend(bytes(number + 1 - len(self.counts)))
            self.counts[number] += 1
            answer = data[: self.HEAD.size]
        else:
            page = bytes(self.counts[number : number + count])
            answer = self.HEAD.pack(command, len(page), number) + page
        while not session.offer(answer) and not session.is_closing:
            self.cluster.idle()

    def on_take_snapshot(self, snapshot_publication):
        for at in range(0, len(self.counts), self.CHUNK):
            while not snapshot_publication.offer(self.counts[at : at + self.CHUNK]):
                self.cluster.idle()
        emit("snapshotTaken", position=snapshot_publication.position, entries=len(self.counts))
