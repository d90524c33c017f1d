"""A session manager with a driver, a log and clients played by the test."""

from types import SimpleNamespace

from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.context.response_channel import ResponseChannels
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.cluster.security import DefaultAuthenticator, allow_backup
from aeron_cluster.cluster.security.connect_limits import ConnectLimits
from aeron_cluster.cluster.sessions.session_manager import SessionManager
from aeron_cluster.cluster.state.session_table import SessionTable
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import ClusterTimeUnit, SessionConnectRequest
from aeron_cluster.errors import ClosedError
from aeron_cluster.events.recorder import NO_EVENTS

MS = 1_000_000
S = 1000 * MS
TERM = 7
MEMBER = 1
MEMBERS = "|".join(f"{i},h{i}:1,h{i}:2,h{i}:3,h{i}:4,h{i}:5" for i in range(3))
ENDPOINTS = "0=h0:1,1=h1:1,2=h2:1"
VERSION = 3 << 8
EPOCH_MS = 1_700_000_000_000


class Publication:
    """A publication with a subscriber played by the test."""

    max_payload_length = 1376

    def __init__(self, aeron, channel, stream_id, registration_id):
        self._aeron = aeron
        self.channel = channel
        self.stream_id = stream_id
        self.registration_id = registration_id
        self.is_closed = False
        self.is_full = False
        self.failure = None
        self.messages = []
        self.attempts = 0

    @property
    def is_connected(self):
        return not self.is_closed and self._aeron.are_clients_there

    @property
    def available_window(self):
        return 0 if self.is_full else 1024

    def offer(self, message):
        self.attempts += 1
        if self.is_closed:
            raise ClosedError("closed")
        if self.failure is not None:
            raise self.failure
        if not self.is_connected:
            return NotSent.NOT_CONNECTED
        if self.is_full:
            return NotSent.BACK_PRESSURED
        self.messages.append(codecs.decode(message))
        return 64 * len(self.messages)

    def close(self):
        self.is_closed = True


class Counter:
    """A counter that records its values."""

    def __init__(self, type_id=0, label="", key=b""):
        self.type_id, self.label, self.key = type_id, label, key
        self.value = 0
        self.reference_id = None
        self.is_closed = False

    def set(self, value):
        self.value = value

    def increment(self):
        self.value += 1
        return self.value - 1

    def set_reference_id(self, reference_id):
        self.reference_id = reference_id

    def close(self):
        self.is_closed = True


class Aeron:
    """A client of a driver that answers on the test's request."""

    def __init__(self):
        self.is_answering = True
        self.has_counters = True  # otherwise counters are answered later
        self.are_clients_there = True
        self.rejections = {}  # by channel: the driver's error response
        self.publications = []
        self.counters = []
        self._made = {}
        self._next_id = 100

    def _add(self, make):
        self._next_id += 1
        self._made[self._next_id] = make(self._next_id)
        return self._next_id

    def async_add_publication(self, channel, stream_id):
        return self._add(lambda id_: Publication(self, channel, stream_id, id_))

    def async_add_counter(self, type_id, label, key=b""):
        return self._add(lambda _: Counter(type_id, label, key))

    def get_publication(self, registration_id):
        made = self._take(registration_id)
        if made is not None:
            if (error := self.rejections.get(made.channel)) is not None:
                del self._made[registration_id]
                raise error
            if made not in self.publications:
                self.publications.append(made)
        return made

    def get_counter(self, registration_id):
        made = self._take(registration_id) if self.has_counters else None
        if made is not None and made not in self.counters:
            self.counters.append(made)
        return made

    def _take(self, registration_id):
        return self._made[registration_id] if self.is_answering else None

    def abandon(self, registration_id):
        if registration_id in self._made:
            self._made[registration_id].close()

    @property
    def open_things(self):
        """The requested resources that are not closed."""
        return [made for made in self._made.values() if not made.is_closed]


class Log:
    """A log read by the test."""

    def __init__(self):
        self.entries = []
        self.position = 0
        self.is_full = False
        self.failure = None

    def _append(self, length, entry):
        if self.failure is not None:
            raise self.failure
        if self.is_full:
            return NotSent.BACK_PRESSURED
        self.position += length
        self.entries.append(entry)
        return self.position

    def append_session_open(
        self, correlation_id, session_id, timestamp, stream_id, channel, principal
    ):
        entry = ("open", session_id, correlation_id, timestamp, stream_id, channel, principal)
        return self._append(160, entry)

    def append_session_close(self, session_id, timestamp, reason):
        return self._append(96, ("close", session_id, codecs.CloseReason(reason).name, timestamp))

    def of(self, kind):
        return [entry for entry in self.entries if entry[0] == kind]


def image(number=1):
    return SimpleNamespace(
        correlation_id=900 + number, source_identity=f"10.0.0.{number}:4000", session_id=number
    )


class SessionRig:
    """A manager of member 1 of three, in term 7, as its leader by default.

    Parameters
    ----------
    is_leader
        Whether it is the leader.
    options
        Options of the module, and ``authenticator`` and ``authorisation_service``.
    """

    def __init__(
        self,
        *,
        is_leader=True,
        authenticator=None,
        authorisation_service=allow_backup,
        **options,
    ):
        self.now_ns = 50 * S
        self.aeron = Aeron()
        self.log = Log()
        self.table = SessionTable()
        self.errors = []
        self.snapshots = []
        self.forwarded = []
        self.can_snapshot = True
        self.counters = SimpleNamespace(timed_out_clients=Counter(), rejected_connects=Counter())
        self.options = {
            "cluster_id": 3,
            "member_id": MEMBER,
            "max_sessions": 10,
            "session_timeout_ns": 10 * S,
            "leader_heartbeat_timeout_ns": 5 * S,
            "egress_channel": None,
            "ingress_ipc_allowed": False,
            "max_pending_sessions": 256,
            "max_pending_sessions_per_source": 64,
            "accept_standby_snapshots": False,
            "standby_snapshot_notification_processing_delay_ns": 0,
        } | options
        self.context = SimpleNamespace(
            options=SimpleNamespace(**self.options),
            epoch_ms=lambda: EPOCH_MS,
            authenticator_supplier=lambda: authenticator or DefaultAuthenticator(),
            authorisation_service=authorisation_service,
            error_handler=self.errors.append,
            events=NO_EVENTS,
            time_unit=ClusterTimeUnit.MILLIS,
            cluster_time=lambda: EPOCH_MS + self.now_ns // MS,
            make_response_channels=self._response_channels,
            make_backup_response_channels=self._response_channels,
            make_connect_limits=lambda count: ConnectLimits(
                self.options["max_pending_sessions"],
                self.options["max_pending_sessions_per_source"],
                count,
                self.errors.append,
            ),
        )
        self.manager = SessionManager(
            self.context,
            self.aeron,
            self.table,
            self.log,
            self.counters,
            parse_members(MEMBERS),
            on_admin_snapshot=self._snapshot,
            forward=self.forwarded.append,
        )
        self.correlation_id = 0
        if is_leader:
            self.manager.become_leader(TERM, is_startup=True, now_ns=self.now_ns)
        else:
            self.manager.set_role(is_leader=False, leader_member_id=2, leadership_term_id=TERM)
        self.manager.set_active(True)

    def _response_channels(self):
        return ResponseChannels(
            parse_members(MEMBERS),
            range(100, 102),
            egress_channel=self.options["egress_channel"],
            is_ipc_allowed=self.options["ingress_ipc_allowed"],
        )

    def _snapshot(self):
        self.snapshots.append(self.now_ns)
        return self.can_snapshot

    @property
    def timed_out(self):
        return self.counters.timed_out_clients.value

    @property
    def rejected(self):
        return self.counters.rejected_connects.value

    def tick(self, elapsed_ns=0, times=1):
        """Advance time, then work; return the work count of the last pass."""
        count = 0
        for _ in range(times):
            self.now_ns += elapsed_ns
            count = self.manager.do_work(self.now_ns)
        return count

    def notify(self, message, **fields):
        """Pass a client's message to the manager."""
        number = fields.pop("image", 1)
        return self.manager.on_ingress(message.encode(**fields), image(number), self.now_ns)

    def connect(self, number=1, **fields):
        """Request a session; return the correlation id."""
        self.correlation_id += 1
        request = {
            "correlation_id": self.correlation_id,
            "response_stream_id": 102,
            "version": VERSION,
            "response_channel": f"aeron:udp?endpoint=client{number}:9",
            "encoded_credentials": b"",
            "client_info": f"name=client{number}",
        } | fields
        self.notify(SessionConnectRequest, image=number, **request)
        return self.correlation_id

    def open(self, number=1, **fields):
        """Open a session; return its id."""
        self.connect(number, **fields)
        self.tick(times=2)
        session_id = self.log.of("open")[-1][1]
        assert self.manager.session(session_id).is_open
        return session_id

    def publication(self, number=1):
        """Return the newest publication to a client."""
        channel = f"aeron:udp?endpoint=client{number}:9"
        return next(p for p in reversed(self.aeron.publications) if p.channel == channel)

    def observed(self, number=1):
        """Return the messages received by a client, from all publications to it."""
        channel = f"aeron:udp?endpoint=client{number}:9"
        return [m for p in self.aeron.publications if p.channel == channel for m in p.messages]
