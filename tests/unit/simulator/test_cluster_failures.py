"""Failures in a simulated cluster: each ends the process it is of, or the run."""

import errno

import pytest

from aeron_cluster.cluster.backup import BackupState
from aeron_cluster.errors import (
    AgentTerminationError,
    ConfigurationError,
    StateError,
    TimeoutExpiredError,
)
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster
from aeron_cluster.simulator.members.member import MemberState

MS = 1_000_000


class Raising:
    role_name = "raising"

    def __init__(self, error):
        self.error = error

    def do_work(self):
        raise self.error


class Owner:
    def __init__(self):
        self.failures = []

    def on_stopped(self, error):
        self.failures.append(error)


class OfTheProgram(BaseException):
    """What no component handles."""


@pytest.fixture
def cluster():
    with Cluster(1, ReferenceService, members=1) as made:
        yield made


def add_agent(cluster, error, owner):
    """Add an agent on another machine that raises an error in its first pass."""
    process = cluster.world.add_machine("other", "10.0.9.1").start()

    def rethrow(_, error):
        raise error

    invoker = AgentInvoker([Raising(error)], clock=process.seams.clock, error_handler=rethrow)
    invoker.start()
    place = cluster.loop.add(invoker, process.network, process.files)
    if owner is not None:
        cluster.on_started(owner, place)
    return place


@pytest.mark.parametrize("error", [ValueError("wrong"), AgentTerminationError("it has ended")])
def test_an_error_ends_the_process_of_its_agent(cluster, error):
    owner = Owner()
    place = add_agent(cluster, error, owner)
    owner.on_stopped = lambda raised: (owner.failures.append(raised), cluster.loop.remove(place))
    cluster.run_for(MS)
    assert owner.failures == [error]
    assert cluster.now_ns == MS


def test_an_error_of_an_agent_without_an_owner_ends_the_run(cluster):
    error = ValueError("wrong")
    add_agent(cluster, error, None)
    with pytest.raises(StateError, match="simulator: an agent without an owner failed") as found:
        cluster.run_for(MS)
    assert found.value.__cause__ is error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, OfTheProgram])
def test_an_interrupt_ends_the_run_and_no_process(cluster, kind):
    owner = Owner()
    add_agent(cluster, kind(), owner)
    with pytest.raises(kind):
        cluster.run_for(MS)
    assert owner.failures == []


def test_a_condition_that_does_not_hold_in_time_is_named_with_the_members(cluster):
    with pytest.raises(TimeoutExpiredError) as error:
        cluster.run_until(lambda: False, timeout_ns=3 * MS, what="a miracle")
    assert str(error.value) == "a miracle does not hold after 0.003 s: <Member 0 down>"
    with pytest.raises(TimeoutExpiredError, match="it does not hold"):
        cluster.run_until(lambda: False, timeout_ns=MS)


def test_a_world_without_the_awaited_state_times_out(cluster):
    with pytest.raises(TimeoutExpiredError, match="not within 500 ns of virtual time"):
        cluster.world.run_until(lambda: False, [], timeout_ns=500)


def test_a_member_that_cannot_start_has_ended_with_its_reason():
    options = {"consensus_module": {"session_timeout_ns": -1}}
    with Cluster(1, ReferenceService, members=1, options=options) as cluster:
        (member,) = cluster.members
        assert member.failure is None
        cluster.start()
        assert member.state is MemberState.ENDED
        assert not member.is_running
        assert isinstance(member.failure, ConfigurationError)
        assert repr(member) == "<Member 0 ended>"
        assert repr(member.process("node")) == "<node0 node ended>"
        with pytest.raises(StateError, match="member 0: ended, it has no module"):
            _ = member.module
        assert cluster.leader() is None


def test_a_member_that_runs_is_killed_before_it_is_started_again(cluster):
    cluster.start()
    (member,) = cluster.members
    leader = cluster.await_leader()
    assert leader is member
    first = member.module
    member.start()
    assert member.module is not first
    assert member.start_count == 2
    cluster.start()  # it runs
    assert member.start_count == 2
    assert cluster.await_leader() is member


def test_a_loss_of_power_ends_all_processes_of_a_member(cluster):
    cluster.start()
    (member,) = cluster.members
    cluster.await_leader()
    member.lose_power()
    assert member.state is MemberState.DOWN
    assert member.machine.power_loss_count == 1
    member.stop_at_padding(100, 1)  # it has no process
    assert cluster.leader() is None


@pytest.mark.parametrize(
    ("is_recording", "found"),
    [(False, "[Errno 5] Input/output error"), (True, "/data/archive/0-0.rec at 256: Input/output")],
)
def test_errors_of_a_backup_are_kept_and_do_not_end_it(cluster, is_recording, found):
    cluster.start()
    cluster.await_leader()
    client = cluster.add_client()
    cluster.run_until(lambda: client.is_connected)
    backup = cluster.add_backup()
    if is_recording:
        cluster.run_until(lambda: backup.live_log_position > 0)
    else:
        cluster.run_until(lambda: backup.backup.state is not BackupState.BACKUP_QUERY)
    backup.machine.files.fail("write_at", errno.EIO, count=1 if is_recording else 8)
    client.send(Request(0, 0, Verb.NEXT).encode())
    cluster.run_until(lambda: backup.errors)
    assert found in str(backup.errors[0])
    assert backup.process.is_running
    assert backup.process.failure is None


def test_an_error_of_a_backups_start_ends_it(cluster):
    cluster.start()
    cluster.await_leader()
    backup = cluster.add_backup()
    backup.machine.files.fail("write_at", errno.EIO, after=3, count=8)
    cluster.run_until(lambda: not backup.process.is_running)
    assert isinstance(backup.process.failure, AgentTerminationError)
    assert "backup: cannot start: " in str(backup.process.failure)
    assert backup.process.failure.__cause__ in backup.errors


def test_a_closed_cluster_may_be_closed_again():
    cluster = Cluster(1, ReferenceService, members=1)
    cluster.start()
    client = cluster.add_client()
    cluster.await_leader()
    cluster.close()
    client.close()
    client.kill()
    cluster.close()
    assert [each.state for each in cluster.members] == [MemberState.DOWN]
