"""Processes of a member that end in order leave nothing in the driver."""

from types import SimpleNamespace

import pytest

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.leaks import (
    NothingLeaks,
    end_clients_of_drivers,
    remaining_in_driver,
)
from tests.simulation.scenarios.rig import Scenario


@pytest.fixture
def apart():
    with Scenario(members=3, layout="apart") as made:
        yield made.begin()


def test_no_counter_session_image_or_log_outlives_its_process(apart):
    apart.send_request(20, padding=300)
    apart.snapshot()
    for member in apart.members:
        assert remaining_in_driver(member.process("driver").part, member.machine.files)
    apart.drop_client()
    end_clients_of_drivers(apart)
    assert [each.leaks for member in apart.members for each in member.processes] == [{}] * 12
    for member in apart.members:
        assert remaining_in_driver(member.process("driver").part, member.machine.files) == []


def test_files_a_driver_retains_are_found(apart):
    apart.send_request()
    counters = apart.members[1].process("driver").part.counters
    counters.allocate("nobody's", 1 << 20, now_ms=0)
    with pytest.raises(InvariantError, match=r"driver of member 1.*nobody's"):
        end_clients_of_drivers(apart)


def test_a_driver_that_has_ended_retains_nothing():
    ended = SimpleNamespace(part=None)
    member = SimpleNamespace(processes=[ended], process=lambda _name: ended)
    end_clients_of_drivers(SimpleNamespace(everyone=[], members=[member], run_for=lambda _ns: None))


def test_remaining_mappings_are_found(apart):
    apart.send_request()
    held = apart.members[2].containers[0]
    apart.close()
    with pytest.raises(InvariantError, match=r"member 2, service-0.*mappings"):
        NothingLeaks().conclude(apart)
    del held
    NothingLeaks().conclude(apart)
