"""A container between a driver, an archive and a module played by the test, in one thread."""

import contextlib
import struct
import time

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.client.archive_client import AeronArchive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container import ClusteredServiceContainer
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    BooleanType,
    CloseReason,
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    JoinLog,
    NewLeadershipTermEvent,
    ServiceAck,
    ServiceTerminationPosition,
    SessionCloseEvent,
    SessionMessageHeader,
    SessionOpenEvent,
    TimerEvent,
)
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.agent import DutyCycle

TIME = 1_000_000
TERM_ID = 3
LOG_STREAM_ID = 100
EGRESS_STREAM_ID = 102
FOLLOWER, LEADER = 0, 2
MAX = 2**63 - 1


class Calls(ClusteredService):
    """Records its calls; `on` has functions that the callbacks run."""

    def __init__(self):
        self.calls = []
        self.on = {}
        self.cluster = None
        self.sessions = {}

    def _called(self, name, *values):
        self.calls.append((name, *values))
        if name in self.on:
            self.on[name](*values)

    def named(self, name):
        """Return the arguments of each call of one callback."""
        return [values for kind, *values in self.calls if kind == name]

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        self._called("on_start", snapshot_image)

    def on_session_open(self, session, timestamp):
        self.sessions[session.id] = session
        self._called("on_session_open", session, timestamp)

    def on_session_close(self, session, timestamp, close_reason):
        self._called("on_session_close", session, timestamp, close_reason)

    def on_session_message(self, session, timestamp, message, header):
        if "view" in self.on:
            self.on["view"](message)
        assert header.position == self.cluster.log_position
        self._called("on_session_message", session, timestamp, bytes(message))

    def on_timer_event(self, correlation_id, timestamp):
        self._called("on_timer_event", correlation_id, timestamp)

    def on_take_snapshot(self, snapshot_publication):
        self._called("on_take_snapshot", snapshot_publication)

    def on_role_change(self, role):
        self._called("on_role_change", role)

    def on_terminate(self, cluster):
        self._called("on_terminate", cluster)

    def on_new_leadership_term_event(self, term):
        self._called("on_new_leadership_term_event", term)


class Working(Calls):
    """The same with background work."""

    def do_background_work(self, now_ns):
        self._called("do_background_work", now_ns)
        return 0


class ContainerRig:
    """Owns all of them.

    Parameters
    ----------
    directory
        A fresh directory in shared memory.
    """

    def __init__(self, directory, **archive):
        self.directory = directory
        self.errors = []
        self.observed = []
        self.payload = b""
        self.container = None
        self.log = None
        self.position = 0
        self.ended = 0
        self.both = ArchivingMediaDriver.launch(
            driver={
                "aeron_dir": str(directory / "driver"),
                "threading_mode": "INVOKER",
                "ipc_term_buffer_length": 64 << 10,
                "term_buffer_length": 64 << 10,
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
                **archive,
            },
        )
        self.aeron = Aeron.connect(
            aeron_dir=str(directory / "driver"),
            use_conductor_invoker=True,
            driver_invoker=self._drive_both,
        )
        self.cycle = None
        self._drive((*self.both.agents, self.aeron.conductor_agent))
        channel = "aeron:ipc?term-length=64k"
        self.to_services = self.aeron.add_publication(channel, 104)
        self.from_services = self.aeron.add_subscription(channel, 105)
        self._assembler = FragmentAssembler(self._receive)
        self.commit_position = None
        self.recovery = None

    def _drive_both(self):
        for agent in self.both.agents:
            agent.do_work()

    def _drive(self, agents):
        if self.cycle is not None:
            self.cycle.release()
        self.cycle = DutyCycle(agents, error_handler=self._on_agent_error)

    def _on_agent_error(self, agent, error):
        if self.container is not None and agent in self.container.agents:
            self.container.on_agent_error(agent, error)
            return
        raise error

    def _receive(self, message, header):
        self.observed.append(
            (codecs.SCHEMA.decode(bytes(message)), bytes(message)[32:], header.reserved_value)
        )

    # ---- driving ----

    def step(self):
        """Drive everything once."""
        self.cycle.do_pass()
        self.from_services.poll(self._assembler, 10)

    def until(self, condition, timeout=120.0):
        """Drive everything until a condition holds; return its value."""
        deadline = time.monotonic() + timeout
        while not (found := condition()):
            assert time.monotonic() < deadline, f"not in {timeout} s; errors: {self.errors}"
            self.step()
        return found

    def rest(self, passes=50):
        """Drive everything for a while in which nothing is expected."""
        end = time.monotonic() + 0.005
        while passes > 0 or time.monotonic() < end:
            passes -= 1
            self.step()

    def next(self, kind):
        """Return the next message of a kind sent to the module.

        `payload` is the rest of it, `reserved_value` that of its frame.
        """

        def find():
            for each in self.observed:
                message, payload, reserved_value = each
                if isinstance(message, kind):
                    self.observed.remove(each)
                    self.payload = payload
                    self.reserved_value = reserved_value
                    return message
            return None

        return self.until(find)

    def ack(self):
        """Return the next acknowledgement as position, number and relevant id."""
        ack = self.next(ServiceAck)
        return ack.log_position, ack.ack_id, ack.relevant_id

    # ---- the container ----

    def launch(self, service, **options):
        """Launch a container without running it."""
        defaults = {
            "service": service,
            "aeron_dir": str(self.directory / "driver"),
            "cluster_dir": str(self.directory / "cluster"),
            "threading_mode": "INVOKER",
            "driver_invoker": self._drive_both,
            "error_handler": self.errors.append,
            "termination_hook": self._on_end,
        }
        self.container = ClusteredServiceContainer.launch(**defaults | options)
        self._drive((*self.both.agents, self.aeron.conductor_agent, *self.container.agents))
        return self.container

    def _on_end(self):
        self.ended += 1

    def stop(self):
        """Close the container; another one may be launched."""
        self._drive((*self.both.agents, self.aeron.conductor_agent))
        self.container.close()
        self.container = None

    def recover(self, *recording_ids, position=0, term_id=-1):
        """Provide the counters of a recovering module."""
        self.position = position
        for counter in (self.commit_position, self.recovery):
            if counter is not None:
                counter.close()
        self.commit_position = self.aeron.add_counter(
            203, "Cluster commit-pos: - clusterId=0", struct.pack("<i", 0)
        )
        self.commit_position.set(position)
        key = struct.pack("<qqqii", term_id, position, TIME, 0, len(recording_ids))
        self.recovery = self.aeron.add_counter(
            204, "Cluster recovery", key + struct.pack(f"<{len(recording_ids)}q", *recording_ids)
        )

    def start(self, service, **options):
        """Launch a container without a snapshot, and wait for it."""
        self.recover()
        self.launch(service, **options)
        assert self.ack() == (0, 0, self.container.cluster.aeron.client_id)
        return self.container.cluster

    def notify(self, kind, **values):
        """Send a message to the services."""
        message = kind.encode(**values)
        self.until(lambda: self.to_services.offer(message))

    def join(self, role=LEADER, *, is_startup=False, is_standby=False, max_position=MAX, ack=True):
        """Begin a log at the end of the previous one, and make the container join it."""
        if self.log is not None:
            self.log.close()
        term_length = 64 << 10
        channel = "aeron:ipc?term-length=64k"
        if self.position > 0:
            term, offset = divmod(self.position, term_length)
            channel += f"|init-term-id=7|term-id={7 + term}|term-offset={offset}"
        self.log = self.aeron.add_exclusive_publication(channel, LOG_STREAM_ID)
        self.ask_to_join(
            log_session_id=self.log.session_id,
            max_log_position=max_position,
            is_startup=BooleanType(is_startup),
            role=role,
            is_standby=BooleanType(is_standby),
        )
        if ack:
            return self.ack()
        return None

    def ask_to_join(
        self,
        *,
        log_session_id,
        max_log_position=MAX,
        is_startup=BooleanType.FALSE,
        role=FOLLOWER,
        is_standby=BooleanType.FALSE,
    ):
        """Request the services to join a log, whether or not it exists."""
        self.notify(
            JoinLog,
            log_position=self.position,
            max_log_position=max_log_position,
            member_id=5,
            log_session_id=log_session_id,
            log_stream_id=LOG_STREAM_ID,
            is_startup=is_startup,
            role=role,
            is_standby=is_standby,
            log_channel="aeron:ipc",
        )

    def lead(self, service, **options):
        """Start a container, make its member the leader, and begin a term."""
        cluster = self.start(service, **options)
        self.join()
        self.term()
        self.commit()
        return cluster

    # ---- the log ----

    def append(self, message):
        """Append a message to the log without committing it."""
        self.until(lambda: self.log.offer(message))
        self.position = self.log.position
        return self.position

    def commit(self, position=None):
        """Commit the log and wait until it is read."""
        position = self.position if position is None else position
        self.commit_position.set(position)
        self.until(
            lambda: self.container.is_terminated or self.container.cluster.log_position >= position
        )
        self.rest(5)

    def term(self, app_version=1, time_unit=ClusterTimeUnit.MILLIS):
        """Append the beginning of a term."""
        position = self.position + 96
        return self.append(
            NewLeadershipTermEvent.encode(
                leadership_term_id=TERM_ID,
                log_position=position,
                timestamp=TIME,
                term_base_log_position=self.position,
                leader_member_id=5,
                log_session_id=self.log.session_id,
                time_unit=time_unit,
                app_version=app_version,
            )
        )

    def message(self, session_id, payload, timestamp=TIME):
        """Append a session's message."""
        header = SessionMessageHeader.encode(
            leadership_term_id=TERM_ID, cluster_session_id=session_id, timestamp=timestamp
        )
        return self.append(header + payload)

    def open(self, session_id, channel="aeron:ipc?term-length=64k", principal=b""):
        """Append a session open event."""
        return self.append(
            SessionOpenEvent.encode(
                leadership_term_id=TERM_ID,
                correlation_id=99,
                cluster_session_id=session_id,
                timestamp=TIME,
                response_stream_id=EGRESS_STREAM_ID,
                response_channel=channel,
                encoded_principal=principal,
            )
        )

    def close_session(self, session_id, reason=CloseReason.CLIENT_ACTION):
        """Append a session close event."""
        return self.append(
            SessionCloseEvent.encode(
                leadership_term_id=TERM_ID,
                cluster_session_id=session_id,
                timestamp=TIME,
                close_reason=reason,
            )
        )

    def timer(self, correlation_id, timestamp=TIME):
        """Append a timer event."""
        return self.append(
            TimerEvent.encode(
                leadership_term_id=TERM_ID, correlation_id=correlation_id, timestamp=timestamp
            )
        )

    def action(self, action=ClusterAction.SNAPSHOT, flags=0):
        """Append an action."""
        return self.append(
            ClusterActionRequest.encode(
                leadership_term_id=TERM_ID,
                log_position=self.position + 96,
                timestamp=TIME,
                action=action,
                flags=flags,
            )
        )

    def terminate_at(self, position):
        """Request the services to terminate."""
        self.notify(ServiceTerminationPosition, log_position=position)

    # ---- the archive ----

    @contextlib.contextmanager
    def archive(self):
        """Return an archive client; its calls drive everything."""
        with (
            Aeron.connect(
                aeron_dir=str(self.directory / "driver"),
                use_conductor_invoker=True,
                driver_invoker=self.step,
            ) as aeron,
            AeronArchive.connect(
                control_channel="aeron:ipc",
                control_response_channel="aeron:ipc",
                control_response_stream_id=77,
                aeron=aeron,
                agent_invoker=self.step,
            ) as archive,
        ):
            yield archive

    def recording(self, recording_id):
        """Return the messages of a recording."""
        messages = []
        assembler = FragmentAssembler(lambda message, _: messages.append(bytes(message)))
        with self.archive() as archive:
            subscription = archive.replay(recording_id, "aeron:ipc?term-length=64k", 78)
            drive = archive.aeron.conductor_agent_invoker.invoke
            self.until(lambda: drive() or subscription.images)
            (image,) = subscription.images
            self.until(lambda: image.poll(assembler, 10) == 0 and image.is_end_of_stream)
        return messages

    def record(self, messages):
        """Record messages; return the recording's id."""
        with self.archive() as archive:
            publication = archive.add_recorded_exclusive_publication(
                "aeron:ipc?term-length=64k", 901
            )
            for message in messages:
                self.until(lambda message=message: publication.offer(message))
            (recording,) = archive.list_recordings_for_uri("aeron:ipc", 901)
            end = publication.position
            self.until(lambda: archive.get_recording_position(recording.recording_id) == end)
        self.rest()
        return recording.recording_id

    def close(self):
        """Close all; calling it again does nothing."""
        self.cycle.release()
        if self.container is not None:
            self.container.close()
        self.aeron.close()
        self.both.close()
