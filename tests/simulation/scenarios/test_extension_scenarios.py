"""ClusterTest, ClusterWithNoServicesTest: an extension of the module in place of services."""

import struct

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
from aeron_cluster.cluster.module.extension_work import is_foreign
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.errors import AgentTerminationError, ArchiveError, ConfigurationError
from aeron_cluster.simulator.cluster import MemberState
from tests.simulation.scenarios.rig import Scenario, elections_of, snapshots_of

HEADER = struct.Struct("<HHHH")
SCHEMA_ID = 999


def entry(number):
    return HEADER.pack(8, 1, SCHEMA_ID, 0) + struct.pack("<q", number)


class Ledger(ConsensusModuleExtension):
    """Appends clients' messages to the log and records the committed ones."""

    def __init__(self):
        self.entries = []
        self.snapshot = None
        self.sessions = []
        self.terms = []
        self.states = []
        self.work = set()
        self.preparations = 0
        self.is_closed = False
        self._state = None

    def on_start(self, control, snapshot):
        self._control = control
        self.snapshot = snapshot
        self.entries = list(snapshot or ())

    def do_work(self, now_ns):  # noqa: ARG002
        self.work.add("each pass")
        return 0

    def slow_tick_work(self, now_ns):  # noqa: ARG002
        self.work.add("each tick")
        return 0

    def consensus_work(self, now_ns):  # noqa: ARG002
        self.work.add("settled")
        if self._state is None or not self._state.is_leader:
            return 0
        limit = self._control.commit_position
        return sum(
            image.bounded_poll(self._on_own_log, limit, 10)
            for image in self._state.log_subscription.images
        )

    def _on_own_log(self, message, _):
        data = bytes(message)
        if is_foreign(data):
            self.entries.append(data)

    def on_prepare_for_new_leadership(self):
        self.preparations += 1
        # It receives only the committed part of the ended log.
        while self.consensus_work(0):
            pass
        self._state = None

    def on_election_complete(self, state):
        self.states.append(state)
        self._state = state

    def on_new_leadership_term(self, state):
        self.terms.append(state.leadership_term_id)

    def on_session_opened(self, cluster_session_id):
        self.sessions.append(("open", cluster_session_id))

    def on_session_closed(self, cluster_session_id, close_reason):
        self.sessions.append((close_reason.name, cluster_session_id))

    def on_ingress_message(self, message, image):  # noqa: ARG002
        if self._state is None or not self._state.is_leader:
            return True
        return self._state.log_publication.offer(message) > 0

    def on_log_message(self, message, log_position):  # noqa: ARG002
        self.entries.append(message)

    def on_take_snapshot(self):
        while self.consensus_work(0):
            pass
        return tuple(self.entries)

    def close(self):
        self.is_closed = True


class Extended(Scenario):
    """Members with one extension each and no services."""

    def __init__(self, make=Ledger, **options):
        super().__init__(services=(), checkers=(), **options)
        self._make = make
        self.ledgers = {}

    def node_options(self, member):
        options = super().node_options(member)
        self.ledgers[member] = options["consensus_module"]["extension"] = self._make()
        return options

    def notify(self, *numbers):
        """Send numbers to the leader's extension with its current client."""
        if self.client is None:
            self.client = self.add_client()
        self.run_until(self._is_served, what="a client that knows its leader")
        for number in numbers:
            self.run_until(lambda n=number: self._try_send(n), what="an offer")

    def _try_send(self, number):
        session = self.client.session
        if session.state is not ClientState.CONNECTED:
            session.send_keep_alive()  # it connects the client to the announced leader
            return False
        return session.ingress_publication.offer(entry(number)) > 0

    def await_entries(self, *numbers):
        wanted = [entry(number) for number in numbers]
        self.await_all(lambda each: self.ledgers[each].entries == wanted, what="all entries")


@pytest.fixture
def extended():
    with Extended() as made:
        yield made.begin()


def test_a_cluster_of_extensions_starts_and_agrees(extended):
    extended.notify(*range(5))
    extended.await_entries(*range(5))
    for member in extended.members:
        ledger = extended.ledgers[member]
        assert elections_of(member) == 1
        assert ledger.snapshot is None
        assert ledger.work == {"each pass", "each tick", "settled"}
        assert [state.is_leader for state in ledger.states] == [member.is_leading]
        assert ledger.terms == ([] if member.is_leading else [0])
        assert ledger.sessions == [("open", 1)]
        assert member.errors == []


def test_extensions_agree_over_a_failover_and_a_replay(extended):
    extended.notify(*range(5))
    extended.await_entries(*range(5))
    old = extended.leader()
    old.kill()
    new = extended.await_other_leader(old)
    assert extended.ledgers[new].preparations == 1
    extended.notify(*range(5, 10))
    old.start()
    extended.await_entries(*range(10))


def test_extensions_start_from_their_own_snapshot(extended):
    extended.notify(*range(5))
    extended.await_entries(*range(5))
    extended.snapshot()
    extended.notify(*range(5, 8))
    extended.await_entries(*range(8))
    extended.kill_all()
    extended.start()
    extended.await_leader()
    extended.await_entries(*range(8))
    for ledger in extended.ledgers.values():
        assert list(ledger.snapshot) == [entry(number) for number in range(5)]


@pytest.mark.parametrize("toggle", [ControlToggle.SHUTDOWN, ControlToggle.ABORT])
def test_a_cluster_of_extensions_stops_and_restarts(extended, toggle):
    extended.notify(*range(5))
    extended.await_entries(*range(5))
    ledgers = list(extended.ledgers.values())
    extended.end(toggle)
    assert all(ledger.is_closed for ledger in ledgers)
    extended.start()
    extended.await_leader()
    extended.notify(5)
    extended.await_entries(*range(6))


def test_an_extension_looks_up_answers_and_closes_a_session(extended):
    extended.notify(0)
    leader = extended.leader()
    control = extended.ledgers[leader]._control
    assert control.cluster_id == 0
    assert control.member.member_id == control.member_id
    assert control.archive.is_connected
    assert not control.authorisation_service(111, 26, None, b"")  # a snapshot, for a client
    session = control.client_session(1)
    assert (session.cluster_session_id, session.is_open) == (1, True)
    assert session.response_stream_id == 102
    session.keep_alive()
    assert session.send(entry(7))
    assert control.client_session(2) is None
    for member in extended.members:
        if member is not leader:
            other = extended.ledgers[member]._control.client_session(1)
            assert other.is_open
            assert not other.send(entry(7))  # only the leader has its egress
    control.close_client_session(1)
    control.close_client_session(2)  # unknown
    closed = [("open", 1), ("SERVICE_ACTION", 1)]
    extended.await_all(
        lambda each: extended.ledgers[each].sessions == closed, what="the closed session"
    )
    session.keep_alive()  # nothing remains of it


class OfOneSchema(Ledger):
    supported_schema_id = SCHEMA_ID - 1


def test_messages_of_a_schema_that_an_extension_does_not_support_are_dropped():
    with Extended(OfOneSchema) as cluster:
        cluster.begin().notify(0)
        agent = cluster.leader().running_module._conductor.agent
        cluster.run_until(lambda: agent.ignored["malformed"], what="an ignored message")
        assert agent.ignored["malformed"] == 1
        assert [ledger.entries for ledger in cluster.ledgers.values()] == [[]] * 3


class FailsOnTwo(Ledger):
    """Fails to handle one message of the log."""

    def on_log_message(self, message, log_position):
        if message == entry(2):
            raise ValueError("two")
        super().on_log_message(message, log_position)


@pytest.mark.parametrize("members", [1, 3])
def test_a_member_restarts_although_its_extension_fails_in_the_replay(members):
    with Extended(FailsOnTwo, members=members) as cluster:
        cluster.begin().notify(*range(5))
        leader, all_entries = cluster.leader(), [entry(number) for number in range(5)]
        rest = [each for each in all_entries if each != entry(2)]
        cluster.await_all(
            # A leader reads its own log.
            lambda each: cluster.ledgers[each].entries == (all_entries if each is leader else rest),
            what="what each could handle",
        )
        restarted = leader if members == 1 else cluster.followers[0]
        live = len(restarted.errors)
        restarted.kill()
        restarted.start()
        cluster.run_until(lambda: cluster.ledgers[restarted].entries == rest, what="a replay")
        cluster.run_until(lambda: cluster.ledgers[restarted].states, what="an election")
        assert [type(each) for each in restarted.errors[live:]] == [ValueError]
        assert elections_of(restarted) == 1


class EndsOnTwo(Ledger):
    def on_log_message(self, message, log_position):
        if message == entry(2):
            raise AgentTerminationError("two")
        super().on_log_message(message, log_position)


class Hooked(Extended):
    """Records the members whose module ended."""

    def __init__(self, *given, **options):
        self.ended = []
        super().__init__(*given, **options)

    def node_options(self, member):
        options = super().node_options(member)
        options["consensus_module"]["termination_hook"] = lambda: self.ended.append(member)
        return options


def test_the_user_is_notified_when_an_extension_ends_the_module_at_a_message_of_the_log():
    with Hooked(EndsOnTwo) as cluster:
        cluster.begin().notify(*range(3))
        one, two = cluster.followers
        for each in (one, two):
            cluster.run_until(lambda m=each: m.state is MemberState.ENDED, what="the end")
        assert sorted(each.member_id for each in cluster.ended) == [one.member_id, two.member_id]


class FailsInSessions(Ledger):
    """Fails at every session and term of the log."""

    def on_session_opened(self, cluster_session_id):
        super().on_session_opened(cluster_session_id)
        raise ValueError("session")

    def on_new_leadership_term(self, state):
        super().on_new_leadership_term(state)
        raise ValueError("term")


def test_every_message_is_delivered_once_although_an_extension_fails_at_other_events():
    with Extended(FailsInSessions) as cluster:
        cluster.begin().notify(*range(5))
        cluster.await_entries(*range(5))
        restarted = cluster.followers[0]
        restarted.kill()
        restarted.start()
        cluster.await_entries(*range(5))
        cluster.notify(5)
        cluster.await_entries(*range(6))
        assert cluster.ledgers[restarted].sessions == [("open", 1)]
        assert cluster.ledgers[restarted].terms == [0]


class EndsInSnapshot(Ledger):
    def on_take_snapshot(self):
        raise AgentTerminationError("no snapshot, and the extension ends")


class FindsNoRoom(Ledger):
    def on_take_snapshot(self):
        raise ArchiveError("the disk is gone", ArchiveErrorCode.STORAGE_SPACE)


@pytest.mark.parametrize("make", [EndsInSnapshot, FindsNoRoom])
def test_a_node_ends_if_its_extensions_snapshot_fails_terminally(make):
    with Extended(make) as cluster:
        cluster.begin().notify(*range(5))
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.state is MemberState.ENDED, what="the end")
        assert [cluster.snapshots(member) for member in cluster.members] == [[]] * 3


class CannotSnapshot(Ledger):
    def on_take_snapshot(self):
        raise ValueError("no snapshot today")


def test_a_cluster_continues_when_its_extensions_fail_to_snapshot():
    with Extended(CannotSnapshot) as cluster:
        cluster.begin().notify(*range(5))
        assert cluster.leader().module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.await_all(lambda each: each.errors, what="errors")
        cluster.notify(5)
        cluster.await_entries(*range(6))
        assert [snapshots_of(member) for member in cluster.members] == [0] * 3


def test_services_and_extensions_exclude_each_other():
    with Scenario(module={"extension": Ledger()}, members=1) as cluster:
        cluster.start()
        assert isinstance(cluster.members[0].failure, ConfigurationError)
    with Scenario(services=(), members=1, checkers=()) as cluster:
        cluster.start()
        assert isinstance(cluster.members[0].failure, ConfigurationError)
