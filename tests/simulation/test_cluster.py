"""Clusters in the simulator: the documented behaviour of its classes for scenarios."""

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import aeron_cluster
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster_client.cluster_client import ClientState
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.invariants import Checker, standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster, MemberState
from aeron_cluster.simulator.faults.fault_plan import FAMILIES, FaultPlan, Kill
from aeron_cluster.simulator.trials import shrinking
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial, run_trial

S = 1_000_000_000
ALONE = Settings(members=3, is_joined=False, duration_ns=8 * S, clients=1)


@pytest.fixture
def cluster():
    with Cluster(1, ReferenceService, members=1, checkers=standard_checkers()) as made:
        made.start()
        made.await_leader()
        yield made


def send_request(cluster, client, *requests):
    count = len(client.responses) + len(requests)
    for request in requests:
        client.send(request.encode())
    cluster.run_until(lambda: len(client.responses) == count)


def test_a_client_is_answered(cluster):
    client = cluster.add_client()
    send_request(cluster, client, *(Request(0, number, Verb.NEXT) for number in range(100)))
    assert cluster.members[0].services[0].state.sequence == 100
    assert cluster.members[0].errors == []


def test_client_with_a_closed_transport_client_resumes_in_another_process(cluster):
    client = cluster.add_client()
    send_request(cluster, client, Request(0, 0, Verb.NEXT))
    client._aeron.close()  # as after a timeout of its driver
    cluster.run_until(lambda: client.session_count == 2)
    send_request(cluster, client, Request(0, 1, Verb.NEXT))


def test_quiet_client_is_called_rarely_and_at_once_when_its_image_closes(cluster, monkeypatch):
    client = cluster.add_client()
    send_request(cluster, client, Request(0, 0, Verb.NEXT))
    calls = []
    work = client._work_session
    monkeypatch.setattr(client, "_work_session", lambda *a: calls.append(a) or work(*a))
    cluster.run_for(5 * S)
    assert 5 <= len(calls) <= 5 * 25  # at least for its keep-alives
    image = client.session._egress_image
    cluster.members[0].kill()
    while not image.is_closed:
        cluster.run_for(100_000)
    cluster.run_for(3_000_000)  # its longest step of virtual time, and more
    assert client.session.state is ClientState.AWAIT_NEW_LEADER


def test_killed_member_retains_acknowledged_messages(cluster):
    client = cluster.add_client()
    member = cluster.members[0]
    send_request(cluster, client, *(Request(0, number, Verb.NEXT) for number in range(10)))
    member.kill()
    assert member.state is MemberState.DOWN
    member.start()
    cluster.run_until(lambda: client.is_connected and client.session_count == 2)
    send_request(cluster, client, Request(0, 10, Verb.NEXT))
    assert member.services[0].state.sequence == 11
    assert member.start_count == 2


def test_a_killed_process_leaves_nothing_open(cluster):
    send_request(cluster, cluster.add_client(), Request(0, 0, Verb.NEXT))
    member = cluster.members[0]
    killed = weakref.ref(member.node)
    member.kill()
    member.start()
    gc.collect()
    assert killed() is None


def test_nothing_depends_on_variables_of_this_process(monkeypatch):
    monkeypatch.setenv("AERON_CLUSTER_MAX_SESSIONS", "0")
    with Cluster(1, ReferenceService, members=1) as cluster:
        cluster.start()
        client = cluster.add_client()
        send_request(cluster, client, Request(0, 0, Verb.NEXT))
        assert client.session_count == 1


def test_a_timer_fires_after_a_snapshot_and_a_kill(cluster):
    client = cluster.add_client()
    member = cluster.members[0]
    send_request(cluster, client, Request(0, 0, Verb.TIMER, 2000))
    assert member.module.try_toggle(ControlToggle.SNAPSHOT)
    cluster.run_until(lambda: member.module.counters.snapshot_count.get() == 1)
    member.kill()
    member.start()
    cluster.run_until(lambda: member.services and member.services[0].state.fired == [0])
    assert cluster.now_ns >= 2 * S
    assert [each.kind for each in cluster.journals[0].entries].count("timer") == 1


def test_a_paused_member_resumes(cluster):
    client = cluster.add_client()
    send_request(cluster, client, Request(0, 0, Verb.NEXT))
    cluster.members[0].pause(2 * S)
    began_ns = cluster.now_ns
    send_request(cluster, client, Request(0, 1, Verb.NEXT))
    assert cluster.now_ns >= began_ns + 2 * S


def test_a_paused_member_is_not_paused_for_longer(cluster):
    member = cluster.members[0]
    member.pause(S)
    cluster.run_for(S // 2)
    member.pause(S)
    cluster.run_for(S // 2)
    assert not member.is_paused


def test_simulation_continues_during_a_waiting_callback():
    class Waiting(ReferenceService):
        def on_session_message(self, session, timestamp, message, header):
            super().on_session_message(session, timestamp, message, header)
            if self.state.sequence == 1:
                while not client.machine.name.startswith("seen"):
                    self._cluster.idle()

    with Cluster(1, Waiting, members=1) as cluster:
        cluster.start()
        client = cluster.add_client()
        observed = client.on_response

        def on_response(timestamp, payload, source):
            observed(timestamp, payload, source)
            client.machine.name = "seen"

        client.on_response = on_response
        client.send(Request(0, 0, Verb.NEXT).encode())
        cluster.run_until(lambda: client.responses)


def test_a_checker_ends_a_run(cluster):
    class Never(Checker):
        def check(self, cluster):  # noqa: ARG002
            raise InvariantError("never", "now")

    cluster.checkers.append(Never())
    with pytest.raises(InvariantError, match="never: now"):
        cluster.run_for(S)


def test_later_checkers_run_and_removed_ones_do_not(cluster):
    class Counting(Checker):
        def __init__(self):
            self.count = 0

        def check(self, cluster):  # noqa: ARG002
            self.count += 1

    first, second = Counting(), Counting()
    cluster.checkers.append(first)
    cluster.check()
    cluster.checkers[-1] = second
    cluster.check()
    assert (first.count, second.count) == (1, 1)


def test_service_differing_after_a_restart_is_detected():
    class Forgetful(ReferenceService):
        def on_session_message(self, session, timestamp, message, header):
            super().on_session_message(session, timestamp, message, header)
            self.state.sequence %= 3

    # The service's answer is compared with the answer computed from the log.
    settings = Settings(members=1, services=(Forgetful,), duration_ns=3 * S, damages=())
    outcome = run_trial(1, settings)
    assert outcome.invariant == "answers are right"


@pytest.mark.parametrize("seed", range(6))
def test_all_invariants_hold_under_every_fault(seed):
    outcome = run_trial(seed, ALONE)
    assert outcome.is_good, f"{outcome.failure}\n{outcome.plan}\n{outcome.detail}"


def test_no_garbage_is_collected_in_a_run():
    """What a finalizer released then would change the trace."""

    class Curious(ReferenceService):
        def on_session_message(self, session, timestamp, message, header):
            super().on_session_message(session, timestamp, message, header)
            seen.add(gc.isenabled())

    seen = set()
    run_trial(1, Settings(members=1, services=(Curious,), duration_ns=S, damages=()))
    assert seen == {False}
    assert gc.isenabled()


def test_plans_cover_every_family():
    families = set()
    for seed in range(40):
        families.update(Trial(seed, ALONE).plan.families)
    assert families == {*FAMILIES, "apart", "service", "damage", "rare", "leave"}


def test_a_failing_plan_is_shrunk_to_the_events_it_needs(monkeypatch):
    class Loses(ReferenceService):
        """Answers wrongly after a restart."""

        def on_start(self, cluster, snapshot_image):
            super().on_start(cluster, snapshot_image)
            if self.starts:
                self.state.apply = lambda _: -7

    def make():
        made = Loses()
        made.starts = make.count
        make.count += 1
        return made

    def run(plan):
        make.count = 0
        return run_trial(3, settings, plan)

    settings = Settings(members=1, services=(make,), duration_ns=6 * S)
    events = tuple(Kill(each * S, 0, S // 10) for each in range(1, 6))
    outcome = run(FaultPlan(events))
    # It answers differently from before its restart.
    assert outcome.invariant == "services see the same"
    monkeypatch.setattr(shrinking, "run_trial", lambda _seed, _settings, plan, **_: run(plan))
    shrunk = shrinking.shrink(outcome, settings, max_runs=20)
    assert len(shrunk.plan.events) == 1
    assert "kill member 0" in str(shrunk.plan)


TRACE = """
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import run_trial
outcome = run_trial({seed}, Settings(members=3, is_joined=False, duration_ns=5 * 10**9))
print(outcome.failure, outcome.trace, outcome.virtual_ns)
"""


def test_a_seed_does_the_same_under_any_hash_seed():
    def run(seed, hash_seed):
        return subprocess.run(
            [sys.executable, "-c", TRACE.format(seed=seed)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout

    first = run(7, "1")
    assert run(7, "2") == first
    assert run(8, "1") != first


# The member restarts after errors, which its module and container then save on the disk.
PATH_TRACE = """
import sys
sys.path.insert(0, {root!r})
from aeron_cluster.simulator.trials import settings, trial
assert trial.__file__.startswith({root!r}), trial.__file__
outcome = trial.run_trial(7, settings.Settings(members=1, duration_ns=6 * 10**9))
print(outcome.failure, outcome.trace, outcome.virtual_ns)
"""


def test_a_seed_does_the_same_in_any_directory(tmp_path):
    def run(root):
        return subprocess.run(
            [sys.executable, "-P", "-c", PATH_TRACE.format(root=str(root))],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )

    package = Path(aeron_cluster.__file__).parent
    elsewhere = tmp_path / "a" / "checkout" / "of" / "a" / "longer" / "name"
    elsewhere.mkdir(parents=True)
    (elsewhere / package.name).symlink_to(package)

    first = run(package.parent)
    assert "errors of an earlier process are saved" in first.stderr
    assert run(elsewhere).stdout == first.stdout


def test_operator_requests_only_a_resume_of_a_suspended_cluster():
    run = Trial(1, Settings(members=1))
    with run.cluster as cluster:
        cluster.start()
        module = cluster.await_leader().module
        run.toggle(ControlToggle.SUSPEND)
        cluster.run_until(lambda: module.state is ConsensusModuleState.SUSPENDED)
        run.toggle(ControlToggle.SNAPSHOT)
        assert module.counters.control_toggle.get() != ControlToggle.SNAPSHOT
        run.toggle(ControlToggle.RESUME)
        cluster.run_until(lambda: module.state is ConsensusModuleState.ACTIVE)
