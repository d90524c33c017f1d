"""Checks at the end of a run: each that a cluster does not pass is detected, in its time."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.errors import (
    AgentTerminationError,
    ClosedError,
    InvariantError,
    StateError,
    TimeoutExpiredError,
)
from aeron_cluster.simulator.checks.plain_disk import PlainRecording
from aeron_cluster.simulator.clients.client import Sent
from aeron_cluster.simulator.clients.survivor import Survivor
from aeron_cluster.simulator.endings import left_sessions, purged_snapshots
from aeron_cluster.simulator.endings.answers import await_answers
from aeron_cluster.simulator.endings.conditions import (
    are_offers_seen,
    election_bound_ns,
    is_quiet,
)
from aeron_cluster.simulator.endings.followed_log import check_backups_follow
from aeron_cluster.simulator.endings.left_sessions import check_sessions_without_a_client
from aeron_cluster.simulator.endings.purged_snapshots import check_old_snapshots_go
from aeron_cluster.simulator.endings.refused_backup import (
    check_backup_is_refused,
    refusing_options,
)
from aeron_cluster.simulator.endings.vain_start import start_in_vain
from aeron_cluster.simulator.members.journal import Entry, Journal
from aeron_cluster.simulator.model.plain_messages import (
    CLIENT_ACTION,
    REASONS,
    SERVICE_ACTION,
    TIMEOUT,
)
from aeron_cluster.simulator.world.memory_files import MemoryFiles

MS = 1_000_000
S = 1_000 * MS


class Host:
    """A run whose time passes when its end waits; what it is asked for is recorded."""

    def __init__(self, **cluster):
        self.cluster = SimpleNamespace(now_ns=0, **{"quiet_clients": [], "visitors": [], **cluster})
        self.calls = []

    def on_step(self, step):
        self.calls.append(step)

    def drive_to(self, until_ns):
        self.cluster.now_ns = until_ns

    def await_until(self, is_done, timeout_ns, found=None):
        deadline_ns = self.cluster.now_ns + timeout_ns
        while not is_done():
            if self.cluster.now_ns >= deadline_ns:
                raise TimeoutExpiredError(found() if found else "not in time")
            self.drive_to(min(self.cluster.now_ns + 100 * MS, deadline_ns))

    def prevent_restart(self, _):
        self.calls.append("prevent restart")

    def start(self, member):
        self.calls.append("start again")
        member.is_running = True

    def on_refusal(self, member):
        self.calls.append("refusal" if member else "refusal has ended")


# ---- members that cannot run ----


class Refusing:
    """A member that states errors when it is started, and may end."""

    def __init__(self, host, stated=(), ended_for=None, *, ends=False):
        self.host, self.stated, self.ended_for, self.ends = host, stated, ended_for, ends
        self.errors = [ValueError("stated before")]
        self.failure = None
        self.is_running = True
        self.commit_position = 640
        closed = SimpleNamespace(get=lambda: ElectionState.CLOSED)
        self.counters = SimpleNamespace(election_state=closed)

    def __repr__(self):
        return "<Member 1>"

    def kill(self):
        self.host.calls.append("kill")
        self.is_running = False

    def start(self):
        self.host.calls.append("start")
        self.is_running = not (self.ends or self.ended_for)
        self.errors += self.stated
        self.failure = self.ended_for


def change_of(host):
    def change():
        host.calls.append("change")
        return lambda: host.calls.append("undo")

    return change


def start_one(stated=(), ended_for=None, *, ends=False):
    host = Host()
    member = Refusing(host, stated, ended_for, ends=ends)
    host.cluster.members = [member]
    start_in_vain(host, member, change_of(host), rule="a rule", expected=(ClosedError,))
    return host


def ended_for(cause):
    error = AgentTerminationError("the agent has ended")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("stated", "end"),
    [
        ([ClosedError("lacks its end")], None),
        ([], ClosedError("lacks its end")),
        ([], ended_for(ClosedError("lacks its end"))),
        ([ClosedError("lacks its end")], ended_for(ClosedError("lacks its end"))),
    ],
)
def test_a_member_that_states_why_it_cannot_run_passes(stated, end):
    host = start_one(stated, end)
    assert host.calls == [
        "a rule",
        "refusal",
        "kill",
        "prevent restart",
        "change",
        "start",
        "kill",
        "undo",
        "refusal has ended",
        "a member catches up that was set right: a rule",
        "start again",
    ]


@pytest.mark.parametrize(
    ("stated", "end", "found"),
    [
        ([StateError("another")], None, "[StateError('another')]"),
        ([ClosedError("lacks"), StateError("another")], None, "StateError('another')]"),
        ([], ended_for(StateError("another")), "[StateError('another')]"),
        ([], ended_for(None), "[None]"),
    ],
)
def test_a_member_that_states_another_reason_is_detected(stated, end, found):
    with pytest.raises(InvariantError) as error:
        start_one(stated, end)
    assert error.value.invariant == "a rule"
    assert error.value.found.startswith("<Member 1> stated ")
    assert error.value.found.endswith(f"{found}, expected ClosedError")


def test_a_member_that_ends_without_a_reason_is_detected():
    with pytest.raises(InvariantError, match=r"stated \[\], expected ClosedError"):
        start_one(ends=True)


def test_a_member_that_runs_in_spite_of_the_change_is_detected():
    with pytest.raises(TimeoutExpiredError):
        start_one()


# ---- backups ----


def following(delay_ns, *, ignores=None, is_backing_up=True):
    """Return a run with a backup that has each position of the log after a delay."""
    host = Host()
    member = SimpleNamespace(commit_position=640)
    committed = [(-(60 * S), 640)]

    def toggle(request):
        if request is not ignores:
            member.commit_position += 32
            committed.append((host.cluster.now_ns, member.commit_position))
        return True

    class Backup:
        def __repr__(self):
            return "<Backup backup-0>"

        @property
        def is_backing_up(self):
            return is_backing_up

        @property
        def live_log_position(self):
            until_ns = host.cluster.now_ns - delay_ns
            return max(position for at_ns, position in committed if at_ns <= until_ns)

    host.cluster.members = [member]
    host.cluster.backups = [Backup()]
    host.cluster.leader = lambda: SimpleNamespace(module=SimpleNamespace(try_toggle=toggle))
    return host


def test_a_backup_that_follows_at_once_passes():
    host = following(S)
    check_backups_follow(host)
    assert "the operator's SUSPEND is committed" in host.calls
    assert "the operator's RESUME is committed" in host.calls


def test_a_backup_that_follows_late_is_detected():
    with pytest.raises(InvariantError) as error:
        check_backups_follow(following(S + 1))
    assert error.value.invariant == "backups follow the log"
    assert error.value.found == "672 was committed 1 s ago, <Backup backup-0> is at 640"


def test_a_backup_is_not_late_while_it_queries_members():
    check_backups_follow(following(S + 1, is_backing_up=False))


@pytest.mark.parametrize("request_", [ControlToggle.SUSPEND, ControlToggle.RESUME])
def test_an_action_that_is_not_committed_is_detected(request_):
    host = following(0, ignores=request_)
    with pytest.raises(TimeoutExpiredError):
        check_backups_follow(host)
    assert host.calls[-1] == f"the operator's {request_.name} is committed"


def refused(count, *, has_entry=False):
    files = MemoryFiles(directories=["/data/cluster"])
    if has_entry:
        with RecordingLog(files, "/data/cluster") as log:
            log.append_term(7, 1, 0, 10)
    backup = SimpleNamespace(
        machine=SimpleNamespace(files=files),
        errors=[StateError("Not authorised for BackupQuery")] * count + [StateError("another")],
    )
    given = []

    def add_backup(options):
        given.append(options["backup"]["credentials"].encoded_credentials())
        return backup

    host = Host(add_backup=add_backup)
    check_backup_is_refused(host)
    return given


def test_the_refused_backup_is_the_stranger_of_the_members():
    (principal,) = refused(2)
    options = refusing_options()["consensus_module"]
    assert not options["authorisation_service"](0, 0, None, principal)
    assert options["authorisation_service"](0, 0, None, b"")
    authenticator = options["authenticator_supplier"]()
    assert authenticator is not options["authenticator_supplier"]()


def test_a_backup_that_is_refused_once_is_detected():
    with pytest.raises(TimeoutExpiredError):
        refused(1)


def test_a_refused_backup_with_an_entry_of_the_log_is_detected():
    with pytest.raises(InvariantError, match="a backup without permission has nothing"):
        refused(2, has_entry=True)


# ---- snapshots ----


def member_with_snapshots(*positions, missing_recording=None, monkeypatch):
    """Return a member with complete snapshots; its archive may lack a recording."""
    files = MemoryFiles(directories=["/data/cluster"])
    recordings = {}
    with RecordingLog(files, "/data/cluster") as log:
        log.append_term(7, 1, 0, 10)
        for index, position in enumerate(positions):
            for service_id in (0, -1):
                recording_id = 20 + 2 * index - service_id
                log.append_snapshot(recording_id, 1, 0, position, 20, service_id)
                recordings[recording_id] = PlainRecording(recording_id, 0, 64, 1 << 16, 1 << 16)
        log.append_snapshot(90, 1, 0, max(positions) + 64, 20, 0)  # of no set
    recordings.pop(missing_recording, None)
    monkeypatch.setattr(purged_snapshots, "read_recordings", lambda *_: recordings)
    return SimpleNamespace(machine=SimpleNamespace(files=files))


def test_as_many_snapshots_as_are_kept_pass(monkeypatch):
    member = member_with_snapshots(128, 256, monkeypatch=monkeypatch)
    nothing = SimpleNamespace(machine=SimpleNamespace(files=MemoryFiles()))
    host = Host(members=[member, nothing])
    check_old_snapshots_go(host, 2)
    assert host.cluster.now_ns == 0


def test_older_snapshots_after_a_minute_are_detected(monkeypatch):
    host = Host(members=[member_with_snapshots(128, 256, 384, monkeypatch=monkeypatch)])
    with pytest.raises(InvariantError, match=r"old snapshots are removed: .* has \[128\]$"):
        check_old_snapshots_go(host, 2)
    assert host.cluster.now_ns == 60 * S


def test_all_snapshots_stay_while_the_archive_lacks_one_to_keep(monkeypatch):
    member = member_with_snapshots(128, 256, 384, missing_recording=22, monkeypatch=monkeypatch)
    check_old_snapshots_go(Host(members=[member]), 2)
    with pytest.raises(InvariantError, match="old snapshots are removed"):
        check_old_snapshots_go(Host(members=[member]), 1)


# ---- sessions without a client ----


class SilentClient:
    """A client with a session, which may end it or fall silent."""

    def __init__(self, number, session_id, *, may_fall_silent=True, silent_since_ns=None):
        self.number, self.session_id = number, session_id
        self.is_silent = silent_since_ns is not None
        self.session_logs = [SimpleNamespace(sent=[Sent(silent_since_ns, 0)])]
        self.closes = {}
        self.is_connected = True
        self.process_count = 1
        self.may_fall_silent = may_fall_silent
        self.next_session_id = session_id + 10

    def __repr__(self):
        return f"<Client {self.number}>"

    def end_session(self):
        ended, self.session_id = self.session_id, self.next_session_id
        return ended

    def on_stopped(self, _):
        self.session_id = self.next_session_id

    def fall_silent(self):
        return self.may_fall_silent


TIMEOUT_NS = 10 * S


class Run(Host):
    """A run of two clients: the first ends, the second falls silent; the seed says how it ends."""

    def __init__(self, monkeypatch, *, seed=4, clients=None, closes=(), timeout_ns=TIMEOUT_NS):
        monkeypatch.setattr(left_sessions, "Client", SilentClient)
        monkeypatch.setattr(left_sessions, "is_term_seen", lambda _: True)
        monkeypatch.setattr(left_sessions, "election_bound_ns", lambda _: S)
        self.journal = Journal(0)
        self.state = ConsensusModuleState.ACTIVE
        options = SimpleNamespace(session_timeout_ns=timeout_ns)
        self.module = SimpleNamespace(context=SimpleNamespace(options=options), state=self.state)
        leader = SimpleNamespace(is_leading=True, module=self.module)
        super().__init__(
            seed=seed,
            clients=clients or [SilentClient(0, 1), SilentClient(1, 2)],
            members=[leader],
            journals=[self.journal],
            leader=lambda: leader,
        )
        self.add("term", 0, b"0")
        for session_id in (1, 2, 11):
            self.add("open", session_id)
        self.due = list(closes)

    def add(self, kind, key, payload=b""):
        index = len(self.journal.entries)
        self.journal.add(index, Entry(64 * (index + 1), kind, key, 0, payload), "member 0")

    def drive_to(self, until_ns):
        super().drive_to(until_ns)
        while self.due and self.due[0][0] <= until_ns:
            _, session_id, reason = self.due.pop(0)
            if session_id < 0:
                self.add("term", 1, b"0")
                continue
            self.add("close", session_id, b"%d" % reason)
            if reason == TIMEOUT and session_id == 2:
                silent = self.cluster.clients[1]
                silent.closes[2], silent.session_id = REASONS[TIMEOUT], None

    def check(self):
        check_sessions_without_a_client(self)


IN_TIME = (10 * S, 2, TIMEOUT)
LEFT = (S, 1, CLIENT_ACTION)


def test_a_superseded_process_may_keep_its_session(monkeypatch):
    run = Run(monkeypatch, closes=[LEFT, IN_TIME])
    run.add("open", 12)
    run.add("open", 17)
    with pytest.raises(InvariantError, match=r"without a client .* \[12, 17\] are open"):
        run.check()
    run = Run(monkeypatch, closes=[LEFT, IN_TIME])
    run.add("open", 12)
    run.add("open", 17)
    run.cluster.clients[1].process_count = 2
    run.check()


def test_sessions_that_end_in_their_time_pass(monkeypatch):
    run = Run(monkeypatch, closes=[LEFT, IN_TIME])
    run.cluster.journals.append(Journal(1))  # of a native service
    run.check()
    # Seed 0: the client dies instead of closing its session, which times out.
    Run(monkeypatch, seed=0, closes=[(10 * S, 1, TIMEOUT), IN_TIME]).check()


@pytest.mark.parametrize(
    ("closes", "rule", "found"),
    [
        ([LEFT, (3 * S, 2, TIMEOUT)], "sessions time out in their time", "session_id=2"),
        ([LEFT], "sessions time out in their time", "not closed"),
        ([LEFT, (10 * S, 2, SERVICE_ACTION)], "closes have their reason", "session_id=2"),
        ([IN_TIME], "closes have their reason", "<Client 0> closed 1: None"),
        ([(S, 1, TIMEOUT), IN_TIME], "closes have their reason", "<Client 0> closed 1: "),
        ([LEFT, IN_TIME, (10 * S, 11, TIMEOUT)], "sessions of clients stay open", "[11]"),
        (
            [LEFT, (2 * S, -1, 0), IN_TIME],
            "no election is held without a fault",
            "services saw [1] terms, then [2]",
        ),
    ],
)
def test_a_session_that_ends_otherwise_is_detected(monkeypatch, closes, rule, found):
    with pytest.raises(InvariantError) as error:
        Run(monkeypatch, closes=closes).check()
    assert error.value.invariant == rule
    assert found in error.value.found


def test_a_client_that_is_not_notified_of_its_timeout_is_detected(monkeypatch):
    run = Run(monkeypatch, closes=[LEFT, IN_TIME])
    monkeypatch.setattr(Run, "drive_to", drive_without_notices)
    with pytest.raises(InvariantError, match="clients are notified of a close: <Client 1>: sess"):
        run.check()


def drive_without_notices(run, until_ns):
    Host.drive_to(run, until_ns)
    while run.due and run.due[0][0] <= until_ns:
        _, session_id, reason = run.due.pop(0)
        run.add("close", session_id, b"%d" % reason)


def test_a_client_that_cannot_fall_silent_may_lose_its_session(monkeypatch):
    clients = [SilentClient(0, 1), SilentClient(1, 2, may_fall_silent=False)]
    Run(monkeypatch, clients=clients, closes=[LEFT, IN_TIME]).check()


def test_a_client_that_was_silent_before_may_time_out_by_its_earlier_silence(monkeypatch):
    def run(close_ns):
        clients = [SilentClient(0, 1), SilentClient(1, 2, silent_since_ns=-8 * S)]
        Run(monkeypatch, clients=clients, closes=[LEFT, (close_ns, 2, TIMEOUT)]).check()

    run(2 * S)
    run(10 * S)
    with pytest.raises(InvariantError, match="sessions time out in their time"):
        run(S)


def test_one_client_alone_falls_silent_in_half_of_the_runs(monkeypatch):
    silent = Run(monkeypatch, seed=2, clients=[SilentClient(0, 1)], closes=[])
    with pytest.raises(InvariantError, match="session_id=1"):
        silent.check()
    dying = Run(monkeypatch, seed=4, clients=[SilentClient(0, 1)], closes=[])
    with pytest.raises(InvariantError, match="<Client 0> closed 1: None"):
        dying.check()


def test_nothing_is_judged_with_a_long_timeout_or_under_a_suspended_leader(monkeypatch):
    run = Run(monkeypatch, timeout_ns=3600 * S)
    run.check()
    assert run.cluster.clients[0].session_id == 1
    assert run.cluster.now_ns == 0
    run = Run(monkeypatch)  # no session ends
    run.module.state = ConsensusModuleState.SUSPENDED
    run.check()


# ---- clients and members ----


def test_clients_without_an_answer_are_described():
    load = SimpleNamespace(is_answered=True, is_surviving=False)
    sending = SimpleNamespace(number=0, sent_count=5, responses=[], load=load)
    silent = SimpleNamespace(number=1, sent_count=5, responses=[], load=load)
    survivor = Survivor.__new__(Survivor)
    survivor.number, survivor.sent_count, survivor.responses, survivor.load = 2, 5, [], load
    survivor.pending = {7: b"request"}
    answered = SimpleNamespace(
        number=3, sent_count=5, responses=[SimpleNamespace(time_ns=50 * S)], load=load
    )
    clients = [sending, silent, survivor, answered]
    requests = []
    module = SimpleNamespace(state=ConsensusModuleState.SUSPENDED, try_toggle=requests.append)
    member = SimpleNamespace(is_running=True, module=module)
    host = Host(clients=clients, journals=[], members=[member])

    def drive_to(until_ns):
        sending.sent_count = 9
        host.cluster.now_ns = until_ns

    host.drive_to = drive_to
    with pytest.raises(TimeoutExpiredError) as error:
        await_answers(host, [SilentClient])
    assert str(error.value) == (
        "no answer came to client 0's 4 requests from service SilentClient, 0 to the 5 before;"
        " client 1 sent no request; 1 requests of client 2 have no answer"
    )
    assert set(requests) == {ControlToggle.RESUME}


def test_there_is_no_election_to_wait_for_if_no_member_runs():
    member = SimpleNamespace(
        member_id=3, is_running=False, state=SimpleNamespace(value="ended"), failure=StateError("x")
    )
    with pytest.raises(TimeoutExpiredError, match="member 3 ended: x"):
        election_bound_ns(SimpleNamespace(members=[member]))


@pytest.mark.parametrize("is_joined", [True, False])
def test_a_cluster_is_quiet_when_all_members_have_the_same(is_joined):
    members = [SimpleNamespace(is_running=True, commit_position=64) for _ in range(3)]
    cluster = SimpleNamespace(members=members, is_joined=is_joined)
    assert is_quiet(cluster)
    members[1].commit_position = 96
    assert is_quiet(cluster) != is_joined
    members[1].commit_position, members[1].is_running = 64, False
    assert not is_quiet(cluster)


def test_offers_are_seen_when_the_log_has_as_many_messages_of_services():
    journals = [Journal(0), Journal(1), Journal(2)]
    cluster = SimpleNamespace(members=[None], journals_of=lambda _: journals)
    assert are_offers_seen(cluster)
    journals[2].offers[64, 0] = b"of a native service"
    assert are_offers_seen(cluster)
    for journal in journals[:2]:
        journal.add(0, Entry(64, "message", 7, 0, b"request"), "member 0")
    journals[1].offers[64, 0] = b"offered"
    assert not are_offers_seen(cluster)
    journals[0].add(1, Entry(128, "message", -1, 0, b"offered"), "member 0")
    assert not are_offers_seen(cluster)  # the other service has not seen it
    journals[1].add(1, Entry(128, "message", -1, 0, b"offered"), "member 0")
    assert are_offers_seen(cluster)
