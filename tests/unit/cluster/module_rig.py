"""The hot half of a consensus module between a test's streams and a recording conductor."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace

from aeron_cluster.cluster.agent.module_agent import CommitAgent, ModuleAgent
from aeron_cluster.cluster.log.log_publisher import LogPublisher
from aeron_cluster.cluster.log.pending_service_messages import PendingServiceMessages
from aeron_cluster.cluster.state.session_table import SessionTable
from aeron_cluster.codecs.cluster import (
    ClusterTimeUnit,
    SessionKeepAlive,
    SessionMessageHeader,
)
from aeron_cluster.events.recorder import NO_EVENTS
from aeron_cluster.memory.shared.activity_stamp import ActivityStamp
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.streams import Stream, Streams, messages

TERM_ID = 3
EPOCH_NS = 1_700_000_000_000_000_000
EPOCH_MS = EPOCH_NS // 1_000_000
NEVER = 2**63 - 1
FOLLOWER, CANDIDATE, LEADER = 0, 1, 2
INIT, ACTIVE, SUSPENDED, SNAPSHOT = 0, 1, 2, 3


def change_leadership(agent: ModuleAgent, **changes: object) -> None:
    """Install a changed view of the leadership in the hot half."""
    agent.install_leadership(replace(agent.leadership, **changes))


def session_message(session_id: int, payload: bytes, term_id: int = TERM_ID, timestamp: int = 0):
    return (
        SessionMessageHeader.encode(
            leadership_term_id=term_id, cluster_session_id=session_id, timestamp=timestamp
        )
        + payload
    )


def keep_alive(session_id: int, term_id: int = TERM_ID) -> bytes:
    return SessionKeepAlive.encode(leadership_term_id=term_id, cluster_session_id=session_id)


class WritingConductor:
    """Records the calls of the hot half."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.takes_ingress = True
        self.trusts_images = True
        self.members_behind = (1 << 64) - 1  # bits of all members, for every image
        self.then: Callable[[], object] = lambda: None

    def do_work(self, now_ns):
        self.calls.append(("do_work", now_ns))
        return 1

    def on_ingress(self, message, image, now_ns):
        self.calls.append(("on_ingress", message, image, now_ns))
        self.then()
        return self.takes_ingress

    def on_service_message(self, message, service_position, now_ns):
        self.calls.append(("on_service_message", message, service_position, now_ns))
        self.then()

    def on_timers_due(self, now_ns):
        self.calls.append(("on_timers_due", now_ns))
        return 1

    def on_committed(self, position):
        self.calls.append(("on_committed", position))
        self.then()

    def on_consensus_message(self, message, image, now_ns):
        self.calls.append(("on_consensus_message", message, image, now_ns))
        self.then()

    def authorized_members(self, image):
        self.calls.append(("authorized_members", image))
        self.then()
        return self.members_behind if self.trusts_images else 0

    def on_member_id_mismatch(self, image, member_id):
        self.calls.append(("on_member_id_mismatch", image, member_id))

    def on_log_ended(self, now_ns):
        self.calls.append(("on_log_ended", now_ns))

    def on_log_lost(self, now_ns):
        self.calls.append(("on_log_lost", now_ns))
        self.then()

    def on_leader_timeout(self, now_ns):
        self.calls.append(("on_leader_timeout", now_ns))
        self.then()

    def on_quorum_lost(self, now_ns):
        self.calls.append(("on_quorum_lost", now_ns))
        self.then()

    def close(self):
        self.calls.append(("close",))

    def on_termination_position(self, now_ns):
        self.calls.append(("on_termination_position", now_ns))
        self.then()

    def take_calls(self) -> list[tuple[object, ...]]:
        calls, self.calls = self.calls, []
        return calls


class ModuleRig:
    """A settled leader of one member, unless a test changes it."""

    def __init__(
        self,
        streams: Streams,
        *,
        services: int = 1,
        unit=ClusterTimeUnit.MILLIS,
        log_position=0,
        ingress_limit: int = 50,
        log_term_length: int = 65536,
        member_ids: Sequence[int] = (0,),
        kept_capacity: int = 1 << 30,
        stamp: ActivityStamp | None = None,
        **components: Callable[..., object] | None,
    ) -> None:
        self.streams = streams
        self.clock = VirtualClock(1_000, EPOCH_NS)
        self.errors: list[Exception] = []
        self.context = context = SimpleNamespace(
            seams=Seams(clock=self.clock),
            time_unit=unit,
            options=SimpleNamespace(
                leader_heartbeat_timeout_ns=10_000,
                leader_heartbeat_interval_ns=200,
                ingress_fragment_limit=ingress_limit,
                log_fragment_limit=50,
                member_id=member_ids[0],
            ),
            error_handler=self.errors.append,
            events=NO_EVENTS,
        )
        self.conductor = WritingConductor()
        self.sessions = SessionTable()
        self.log = LogPublisher()
        self.log.leadership_term_id = TERM_ID
        self.log_stream = streams.stream(
            42, 100, position=log_position, term_length=log_term_length
        )
        self.log.connect(self.log_stream.publication)
        self.log_image = self.log_stream.image()
        self.trackers = tuple(
            PendingServiceMessages(each, max_capacity=kept_capacity) for each in range(services)
        )
        self.agent = ModuleAgent(
            self.conductor,
            context,
            self.sessions,
            self.log,
            self.trackers,
            member_ids=member_ids,
            stamp=stamp,
            **components,
        )
        self.leader_activity = streams.counter("leader activity", -1)
        self.commit = CommitAgent(self.agent)
        self.commit_position = streams.counter("commit-pos", log_position)
        self.recorded = streams.counter("rec-pos", log_position)
        self.control_toggle = streams.counter("control toggle", 1)
        self.node_toggle = streams.counter("node toggle", 1)
        self.agent.set_counters(
            self.commit_position,
            self.control_toggle,
            self.node_toggle,
            streams.counter("max cycle"),
            streams.counter("exceeded"),
            100,
            self.leader_activity,
        )
        change_leadership(self.agent, role=LEADER, recorded_counter_id=self.recorded.counter_id)
        self.agent.set_state(ACTIVE)

    def ingress(self, *streams: Stream):
        """Poll ingress from these streams; return their images."""
        images = [stream.image() for stream in streams]
        self.agent.set_ingress([self.streams.subscription(*images)])
        return images

    def open_session(self, session_id: int, **reported: int) -> None:
        self.sessions.put(session_id, is_open=True, **{"last_activity_ns": 0, **reported})

    def pass_all(self, passes: int = 1) -> int:
        """Do passes of both agents; everything in the log is recorded in between."""
        work_count = 0
        for _ in range(passes):
            work_count += self.agent.do_work()
            if self.log.is_connected:
                self.recorded.set(self.log.position)
            work_count += self.commit.do_work()
        return work_count

    def logged(self) -> list[bytes]:
        return [message for message, _ in messages(self.log_image)]

    def ignored(self) -> dict[str, int]:
        return {kind: count for kind, count in self.agent.ignored.items() if count}
