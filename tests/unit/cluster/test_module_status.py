"""The state of a module, and the undoing of uncommitted changes."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.leadership import LeadershipView
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.agent.module_status import ModuleStatus

NEVER = 2**63 - 1


@pytest.fixture
def changes():
    return []


@pytest.fixture
def status(changes):
    counter = SimpleNamespace(is_closed=False, set=changes.append)
    return ModuleStatus(
        SimpleNamespace(module_state=counter),
        SimpleNamespace(set_state=changes.append, leadership=LeadershipView()),
        SimpleNamespace(set_active=lambda _is_active: None),
    )


def change(status, *states):
    """Change the state by actions in the log, which end at 96, 192 and so on."""
    for number, state in enumerate(states):
        status.enter_with(state, 96 * (number + 1), "requested")


def test_a_state_is_published_and_passed_to_the_hot_half(status, changes):
    status.enter(State.ACTIVE, "started")
    assert changes == [State.ACTIVE] * 2
    assert status.first_uncommitted_position == NEVER


@pytest.mark.parametrize(
    ("committed", "state"),
    [
        # "the state before the earliest uncommitted change"; the chain is the Java test's
        (0, State.SUSPENDED),
        (96, State.ACTIVE),
        (191, State.ACTIVE),
        (192, State.SUSPENDED),
        (288, State.ACTIVE),
        (384, State.SNAPSHOT),
        (4096, State.SNAPSHOT),
    ],
)
def test_uncommitted_changes_are_undone(committed, state, status):
    status.enter(State.SUSPENDED, "requested")
    change(status, State.ACTIVE, State.SUSPENDED, State.ACTIVE, State.SNAPSHOT)
    assert status.first_uncommitted_position == 96
    status.restore_uncommitted(committed)
    assert status.state is state
    assert status.first_uncommitted_position == NEVER


@pytest.mark.parametrize("end", [State.TERMINATING, State.CLOSED])
def test_end_state_is_not_undone(end, status):
    status.enter(State.SUSPENDED, "requested")
    change(status, State.ACTIVE)
    status.enter(end, "ended")
    status.restore_uncommitted(0)
    assert status.state is end


def test_committed_changes_are_no_longer_undone(status):
    status.enter(State.ACTIVE, "started")
    change(status, State.SUSPENDED, State.ACTIVE)
    status.on_committed(96)
    assert status.first_uncommitted_position == 192
    status.restore_uncommitted(100)
    assert status.state is State.SUSPENDED
