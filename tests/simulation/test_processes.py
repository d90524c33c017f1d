"""Members with driver, archive, module and service in separate processes, killed one at a time."""

import pytest

from aeron_cluster.cluster.module.module_start import ModuleStart
from aeron_cluster.cluster.service.service_conductor import ServiceConductor
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import ServiceError
from aeron_cluster.memory.agents.waiting import until
from aeron_cluster.simulator.checks.invariants import standard_checkers
from aeron_cluster.simulator.clients.reference import ReferenceService, Request, Verb
from aeron_cluster.simulator.cluster import Cluster, MemberState
from tests.simulation.scenarios.rig import QUICK, is_active

S = 1_000_000_000
PROCESSES = ["driver", "archive", "module", "service-0"]


class SeparateProcesses(Cluster):
    """A cluster with a client, and a supervisor that restarts ended processes."""

    def __init__(self, members):
        options = {"consensus_module": QUICK}
        super().__init__(
            1,
            ReferenceService,
            members=members,
            layout="apart",
            options=options,
            checkers=standard_checkers(),
        )
        self.count = 0

    def begin(self):
        self.start()
        self.await_leader()
        self.client = self.add_client()
        return self

    def supervise(self, is_done, timeout_ns=60 * S):
        deadline_ns = self.now_ns + timeout_ns
        while not is_done():
            assert self.now_ns < deadline_ns, self.members
            self.run_for(S // 10)
            for member in self.members:
                for process in member.processes:
                    if not process.is_running and member.can_start(process):
                        process.start()

    def is_complete(self):
        return self.leader() is not None and all(each.is_running for each in self.members)

    def settle(self):
        """Wait until dependent processes have ended too, and everything runs again."""
        for _ in range(2):
            self.supervise(self.is_complete)
            self.run_for(12 * S)
        self.supervise(self.is_complete)

    def send_request(self):
        before = len(self.client.responses)
        self.client.send(Request(0, self.count, Verb.NEXT).encode())
        self.count += 1
        self.supervise(lambda: len(self.client.responses) > before)


@pytest.fixture
def alone():
    with SeparateProcesses(1) as cluster:
        yield cluster.begin()


@pytest.fixture
def three():
    with SeparateProcesses(3) as cluster:
        yield cluster.begin()


@pytest.mark.parametrize("name", PROCESSES)
def test_one_process_of_a_member_is_killed_and_all_continue(alone, name):
    (member,) = alone.members
    alone.send_request()
    member.process(name).kill()
    assert [each.name for each in member.processes if not each.is_running] == [name]
    alone.settle()
    alone.send_request()
    assert member.services[0].state.sequence == alone.count == 2
    assert member.process("driver").start_count == (2 if name == "driver" else 1)


def test_module_with_an_ended_archive_stops_leading_and_ends(three):
    three.send_request()
    leader = three.leader()
    leader.process("archive").kill()
    three.run_until(lambda: leader.process("module").state is MemberState.ENDED)
    assert "local archive is not connected" in str(leader.process("module").failure)
    three.supervise(three.is_complete)
    three.send_request()


def test_all_clients_of_a_dead_driver_end(alone):
    (member,) = alone.members
    member.process("driver").kill()
    alone.run_until(lambda: all(not each.is_running for each in member.processes))
    for name in ("archive", "module"):
        assert "keepalive: no heartbeat" in str(member.process(name).failure)
    alone.supervise(alone.is_complete)
    alone.send_request()


def test_a_dead_service_ends_its_module_by_name(alone):
    (member,) = alone.members
    member.process("service-0").kill()
    alone.run_until(lambda: member.process("module").state is MemberState.ENDED)
    error = member.process("module").failure.__cause__
    assert isinstance(error, ServiceError)
    assert "closed unexpectedly: serviceId=0, client" in str(error)
    assert (error.member_id, error.leadership_term_id) == (0, 0)
    assert error.log_position >= 0
    assert "its error log has the cause" in error.remedy


def test_a_module_ends_if_its_service_dies_before_it_acknowledges_the_end(alone, monkeypatch):
    monkeypatch.setattr(ServiceConductor, "_terminate", lambda _: until(lambda: None))
    (member,) = alone.members
    assert member.module.try_toggle(ControlToggle.ABORT)
    alone.run_until(lambda: not is_active(member))
    alone.run_for(2 * QUICK["termination_timeout_ns"])
    module = member.process("module")
    assert module.is_running  # it waits for its service
    member.process("service-0").kill()
    alone.run_until(lambda: module.state is MemberState.ENDED)
    assert module.failure.is_expected
    (error,) = (each for each in member.errors if isinstance(each, ServiceError))
    assert "service 0: expected it to acknowledge the end" in str(error)


@pytest.mark.parametrize(
    ("name", "is_network"),
    [("driver", True), *((name, False) for name in PROCESSES)],  # only the driver has sockets
)
def test_one_process_is_killed_at_a_call(three, name, is_network):
    leader = three.leader()
    process = leader.process(name)
    process.stop_after(3, is_network=is_network)
    three.client.send(Request(9, 0, Verb.NEXT).encode())
    three.run_until(lambda: not process.is_running)
    assert process.state is MemberState.DOWN
    others = [each for each in leader.processes if each is not process]
    assert all(each.is_running for each in others)
    three.settle()
    three.send_request()


def test_a_module_ends_if_its_service_ended_before_its_start(monkeypatch):
    run = ModuleStart.run

    def with_an_ended_service(start):
        started = yield from run(start)
        started.recovered.service_client_ids[1 << 40] = 0
        return started

    monkeypatch.setattr(ModuleStart, "run", with_an_ended_service)
    with SeparateProcesses(1) as cluster:
        cluster.start()
        module = cluster.members[0].process("module")
        cluster.run_until(lambda: module.state is MemberState.ENDED)
        assert isinstance(module.failure.__cause__, ServiceError)
        assert "serviceId=0, client 1099511627776" in str(module.failure)
