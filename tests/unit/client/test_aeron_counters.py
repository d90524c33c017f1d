"""Counters and driver directories, without the objects that write them."""

import pytest

from aeron_cluster.archive.sessions import control_session
from aeron_cluster.client import (
    AtomicCounter,
    CounterTypeId,
    find_heartbeat,
    is_counter_active,
    is_driver_active,
    read_driver_errors,
    request_driver_termination,
)
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.backup import counters as backup_counters
from aeron_cluster.cluster.state import module_counters
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import MissingFileError
from aeron_cluster.memory.shared.counters_layout import CounterType
from tests.waiting import await_true


def test_type_ids_are_those_that_the_components_use():
    known = set(CounterTypeId)
    assert {int(each) for each in CounterType} <= known
    assert control_session._CONTROL_SESSION_COUNTER_TYPE == CounterTypeId.ARCHIVE_CONTROL_SESSION
    for module in (module_counters, backup_counters):
        for name, value in vars(module).items():
            if name.endswith("_TYPE") and value < 1000:  # higher ones are not upstream's
                assert value in known, name
    assert module_counters.COMMIT_POSITION_TYPE == CounterTypeId.CLUSTER_COMMIT_POSITION
    assert backup_counters.LIVE_LOG_POSITION_TYPE == CounterTypeId.CLUSTER_BACKUP_LIVE_LOG_POSITION


@pytest.fixture
def driver(shm_dir):
    ended = []
    with MediaDriver.launch(
        aeron_dir=shm_dir / "driver",
        threading_mode="SHARED",
        termination_validator=lambda _directory, token: token == b"secret",
        termination_hook=lambda: ended.append(True),
    ) as driver:
        driver.ended = ended
        yield driver


def test_counters_and_heartbeats_are_found(driver):
    with Aeron.connect(aeron_dir=driver.aeron_dir) as aeron:
        counters = aeron.counters_reader
        counter = aeron.add_counter(1001, "mine")  # its first command: the driver knows it now
        await_true(lambda: find_heartbeat(counters, aeron.client_id) is not None, "a heartbeat")
        counter_id = find_heartbeat(counters, aeron.client_id)
        assert counters.value(counter_id) > 0
        kind = CounterTypeId.DRIVER_HEARTBEAT
        assert is_counter_active(counters, counter_id, kind, aeron.client_id)
        assert not is_counter_active(counters, counter_id, kind, aeron.client_id + 1)
        assert not is_counter_active(counters, counter_id, kind + 1, aeron.client_id)
        assert find_heartbeat(counters, -5) is None
        assert counter.increment() == 0
        assert counter.decrement() == 1
        assert counter.get_and_set(7) == 0
        seen = AtomicCounter(counters, counter.counter_id)
        assert seen.get() == 7
        assert seen.get_and_set(9) == 7
        assert counter.get() == 9


def test_a_driver_is_observed_and_ended_by_its_directory(driver, shm_dir):
    assert is_driver_active(driver.aeron_dir, "10s")
    assert not is_driver_active(shm_dir / "nowhere")
    assert read_driver_errors(driver.aeron_dir) == []
    assert request_driver_termination(driver.aeron_dir, b"guess")
    await_true(lambda: read_driver_errors(driver.aeron_dir), "a rejected request")
    assert driver.ended == []
    assert request_driver_termination(driver.aeron_dir, b"secret")
    await_true(lambda: driver.ended, "the end")
    assert not request_driver_termination(shm_dir / "nowhere", b"secret")
    with pytest.raises(MissingFileError):
        read_driver_errors(shm_dir / "nowhere")
    driver.close()
    assert not is_driver_active(driver.aeron_dir)
