"""A driver, an archive and a client of both in one thread, all driven by the test."""

import time

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs import archive as codecs
from aeron_cluster.codecs.archive import AuthConnectRequest, ControlResponse
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

VERSION = 1 << 16 | 12 << 8
REQUEST_STREAM_ID = 10
RESPONSE_STREAM_ID = 20
TERM = "term-length=64k"


class ArchiveRig:
    """Owns all three.

    Parameters
    ----------
    directory
        A fresh directory.
    options
        Options of the archive.
    """

    def __init__(self, directory, **options):
        self.directory = directory
        self.errors = []
        self.both = ArchivingMediaDriver.launch(
            driver={
                "aeron_dir": str(directory / "driver"),
                "threading_mode": "INVOKER",
                "ipc_term_buffer_length": 64 << 10,
                # Long, so that a pause of the machine ends no component.
                "client_liveness_timeout_ns": 600_000_000_000,
                "publication_unblock_timeout_ns": 700_000_000_000,
            },
            archive={
                "archive_dir": str(directory / "archive"),
                "control_channel_enabled": False,
                "replication_channel": "aeron:udp?endpoint=localhost:0",
                "segment_file_length": 128 << 10,
                "low_storage_space_threshold": 0,
                "error_handler": self.errors.append,
            }
            | options,
        )
        self.archive = self.both.archive
        self.both.invoker.start()
        self.aeron = Aeron.connect(
            aeron_dir=str(directory / "driver"),
            use_conductor_invoker=True,
            driver_invoker=self.both.invoker.invoke,
        )

    def step(self):
        """Drive all three once."""
        self.both.invoker.invoke()
        self.aeron.conductor_agent_invoker.invoke()

    def await_that(self, condition, timeout=120.0):
        """Drive all three until a condition holds; return its value."""
        deadline = time.monotonic() + timeout
        while not (found := condition()):
            assert time.monotonic() < deadline, f"not in {timeout} s; errors: {self.errors}"
            self.step()
        return found

    def close(self):
        """Close all three; calling it again does nothing."""
        self.aeron.close()
        self.both.close()


class Client:
    """Speaks the control protocol, message by message."""

    def __init__(self, rig, **connect):
        self.rig = rig
        self.messages = []
        self.session_id = -1
        self._correlation_id = 1000
        self.requests = rig.aeron.add_exclusive_publication(f"aeron:ipc?{TERM}", REQUEST_STREAM_ID)
        self.responses = rig.aeron.add_subscription(
            f"aeron:ipc?session-id={self.requests.session_id}", RESPONSE_STREAM_ID
        )
        self._assembler = FragmentAssembler(self._on_message)
        rig.await_that(lambda: self.requests.is_connected)
        self.connect_id = self.send(
            AuthConnectRequest,
            **{
                "response_stream_id": RESPONSE_STREAM_ID,
                "version": VERSION,
                "response_channel": f"aeron:ipc?session-id={self.requests.session_id}",
                "encoded_credentials": b"",
                "client_info": "name=test",
            }
            | connect,
        )

    def _on_message(self, view, _header):
        self.messages.append(codecs.decode(view))

    def send(self, message, **fields):
        """Send a message; return its correlation id."""
        self._correlation_id += 1
        fields = {"correlation_id": self._correlation_id} | fields
        if message is not AuthConnectRequest:
            fields = {"control_session_id": self.session_id} | fields
        encoded = message.encode(**fields)
        self.rig.await_that(lambda: self.requests.offer(encoded))
        return self._correlation_id

    def poll(self):
        """Poll and retain the received messages."""
        self.responses.poll(self._assembler, 100)
        return self.messages

    def await_message(self, kind, correlation_id=None):
        """Return the first message of a kind; later ones are retained."""

        def find():
            for message in self.poll():
                if isinstance(message, kind) and correlation_id in (
                    None,
                    getattr(message, "correlation_id", None),
                ):
                    self.messages.remove(message)
                    return message
            return None

        return self.rig.await_that(find)

    def connect(self):
        """Wait until the archive accepts the connection."""
        response = self.await_message(ControlResponse, self.connect_id)
        assert response.code == codecs.ControlResponseCode.OK, response
        self.session_id = response.control_session_id
        return self

    def send_request(self, message, **fields):
        """Send a request and return its response."""
        return self.await_message(ControlResponse, self.send(message, **fields))
