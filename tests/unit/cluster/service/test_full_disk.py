"""A container whose own files cannot be written: it reports that and goes on."""

import errno

import pytest

from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.errors import InsufficientSpaceError
from tests.unit.cluster.service.container_rig import Calls

FULL = InsufficientSpaceError(errno.ENOSPC, "no space", "divergence-0.dat")


def fail(*_):
    raise FULL


class Failing:
    """A guard, or a mark file, with one call that fails."""

    def __init__(self, target, call):
        self.target = target
        setattr(self, call, fail)

    def __getattr__(self, name):
        return getattr(self.target, name)


def break_call(rig, attribute, call):
    conductor = rig.container._conductor
    setattr(conductor, attribute, Failing(getattr(conductor, attribute), call))


@pytest.mark.parametrize("attribute", ["_guard", "_mark_file"])
def test_a_member_id_that_cannot_be_written_does_not_prevent_leading(rig, attribute):
    service = Calls()
    cluster = rig.start(service, divergence_interval=512)
    break_call(rig, attribute, "set_member_id")
    rig.join()
    rig.rest()
    assert cluster.role is Role.LEADER
    assert service.named("on_role_change") == [[Role.LEADER]]
    assert rig.errors == [FULL]


def test_a_mark_that_cannot_be_written_does_not_prevent_a_snapshot(rig):
    service = Calls()
    rig.lead(service, divergence_interval=512)
    break_call(rig, "_guard", "mark_snapshot")
    rig.action()
    rig.commit()
    position, _, recording_id = rig.ack()
    assert position == rig.position
    assert recording_id >= 0
    assert len(service.named("on_take_snapshot")) == 1
    assert rig.errors == [FULL]
