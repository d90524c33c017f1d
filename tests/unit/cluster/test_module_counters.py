"""The counters of a module, on a driver played by the test."""

import struct
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.module_counters import (
    ModuleCounters,
    add_recovery_counter,
    heartbeat_timeout_of,
    session_counter_key,
    session_counter_label,
)
from aeron_cluster.errors import DirectoryInUseError
from aeron_cluster.memory.agents.waiting import Task
from aeron_cluster.memory.shared.commands import Command, Event
from tests.unit.client.conftest import aeron, connect, driver

__all__ = ["aeron", "connect", "driver"]

LABELS = {
    200: "Consensus Module state - clusterId=7",
    201: "Cluster node role - clusterId=7",
    202: "Cluster control toggle - clusterId=7",
    203: "Cluster commit-pos: - clusterId=7",
    205: "Cluster snapshot count - clusterId=7",
    207: "Cluster election state - clusterId=7",
    212: "Cluster Errors - clusterId=7 version=1.51.0 commit=9773cba37e",
    213: "Cluster timed out client count - clusterId=7",
    216: "Cluster max cycle time in ns - clusterId=7",
    217: "Cluster work cycle time exceeded count: threshold=100ms - clusterId=7",
    233: "Node control toggle - clusterId=7",
    234: "Total max snapshot duration in ns - clusterId=7",
    235: "Total max snapshot duration exceeded count: threshold=1s - clusterId=7",
    238: "Cluster election count - clusterId=7",
    239: "Cluster leadership term id - clusterId=7",
    1200: "Cluster connect requests rejected without a response - clusterId=7",
    1201: "Cluster consensus messages rejected by source - clusterId=7",
    1204: "Cluster leader's last message in ms: timeout=10s - clusterId=7",
}


@pytest.fixture
def module():
    options = SimpleNamespace(
        cluster_id=7,
        cycle_threshold_ns=100_000_000,
        total_snapshot_threshold_ns=1_000_000_000,
        accept_standby_snapshots=False,
        snapshot_interval_ns=0,
        snapshots_kept=0,
        leader_heartbeat_timeout_ns=10_000_000_000,
    )
    return SimpleNamespace(options=options, cluster_dir="/cluster")


@pytest.fixture
def counting(driver):
    """Make the driver record type, key and label of added counters."""

    def counter_ready(data):
        correlation_id, type_id, key_length = struct.unpack_from("<qii", data, 8)
        key = data[24 : 24 + key_length]
        at = 24 + -(-key_length // 4) * 4
        (label_length,) = struct.unpack_from("<i", data, at)
        label = data[at + 4 : at + 4 + label_length].decode()
        counter_id = driver.counters.allocate(
            label, type_id, key, now_ms=0, registration_id=correlation_id
        )
        driver.events.transmit(
            Event.ON_COUNTER_READY, struct.pack("<qi", correlation_id, counter_id)
        )

    driver.answers[Command.ADD_COUNTER] = counter_ready
    return driver


def run(steps, driver, aeron):
    task = Task(steps)
    for _ in range(200):
        driver.do_work()
        aeron.conductor_agent_invoker.invoke()
        task.do_work()
        if task.is_done:
            return task.result
    raise AssertionError("it waits forever")


def shown(driver):
    return {each.type_id: each for each in driver.counters.counters() if each.type_id >= 200}


def test_shows_them_by_upstreams_keys_and_labels(counting, aeron, module):
    counters = run(ModuleCounters.add(module.options, module.cluster_dir, aeron), counting, aeron)
    found = shown(counting)
    assert {type_id: each.label for type_id, each in found.items()} == LABELS
    assert {each.key[:4] for each in found.values()} == {struct.pack("<i", 7)}
    assert counters.module_state.counter_id == found[200].counter_id
    assert counters.commit_position.counter_id == found[203].counter_id
    assert counters.leadership_term_id.get() == -1
    assert counters.control_toggle.get() == 0
    assert counters.leader_activity.get() == -1
    assert heartbeat_timeout_of(found[1204].key) == 10_000_000_000


def test_never_waits_in_a_pass(driver, aeron, module):
    del driver.answers[Command.ADD_COUNTER]  # no answer
    task = Task(ModuleCounters.add(module.options, module.cluster_dir, aeron))
    for _ in range(5):
        assert task.do_work() == 0
    assert not task.is_done


def test_rejects_a_second_module_of_the_cluster_on_the_driver(counting, aeron, module):
    counting.counters.allocate("a module", 200, struct.pack("<i", 8), now_ms=0)
    run(ModuleCounters.add(module.options, module.cluster_dir, aeron), counting, aeron)
    with pytest.raises(DirectoryInUseError, match="clusterId=7 is running on the driver"):
        run(ModuleCounters.add(module.options, module.cluster_dir, aeron), counting, aeron)


def test_notifies_services_of_the_snapshot_to_load(counting, aeron, module):
    entry = SimpleNamespace(leadership_term_id=4, timestamp=1234, recording_id=30)
    services = [SimpleNamespace(recording_id=31), SimpleNamespace(recording_id=32)]
    plan = SimpleNamespace(snapshot=entry, snapshots=(entry, *services), snapshot_position=4096)
    run(add_recovery_counter(module.options.cluster_id, aeron, plan), counting, aeron)
    found = shown(counting)[204]
    assert found.key[:48] == struct.pack("<qqqiiqq", 4, 4096, 1234, 7, 2, 31, 32)
    assert found.label == "Cluster recovery: leadershipTermId=4 logPosition=4096 clusterId=7"


def test_notifies_services_without_a_snapshot_to_load(counting, aeron, module):
    # "Without a snapshot: term NULL, position 0, timestamp 0, no recording ids."
    plan = SimpleNamespace(snapshot=None, snapshots=(), snapshot_position=0)
    run(add_recovery_counter(module.options.cluster_id, aeron, plan), counting, aeron)
    found = shown(counting)[204]
    assert found.key[:32] == struct.pack("<qqqii", -1, 0, 0, 7, 0)
    assert found.label == "Cluster recovery: leadershipTermId=-1 logPosition=0 clusterId=7"


def test_a_sessions_key_is_not_aligned():
    # "241 key: int32 clusterId@0, int64 sessionId@4 (unaligned, length 12)"
    assert session_counter_key(7, -2) == struct.pack("<i", 7) + struct.pack("<q", -2)


def test_a_sessions_label_is_cut_inside_the_clients_text():
    assert session_counter_label(7, "name=a") == "cluster-session: name=a - clusterId=7"
    long = session_counter_label(7, "x" * 1000)
    assert len(long) == 380
    assert long.endswith("x - clusterId=7")
