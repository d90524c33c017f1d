"""The end of a node's driver."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster import assembly
from aeron_cluster.cluster.assembly import ClusterNode
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import RegistrationError


class Agent:
    def __init__(self, error=None):
        self.passes = 0
        self.error = error

    def do_work(self):
        self.passes += 1
        if self.error is not None:
            raise self.error


def test_an_agent_that_fails_at_the_end_does_not_keep_the_others_from_sending():
    """Peers are notified of the end of all streams; they wait for no timeout."""
    failed, sender = Agent(ValueError("in the last pass")), Agent()
    reported = []
    driver = SimpleNamespace(
        agents=(failed, sender), on_agent_error=lambda *given: reported.append(given)
    )
    ClusterNode._send_remaining(SimpleNamespace(driver=driver))
    assert sender.passes == failed.passes == 2
    assert reported == [(failed, failed.error)] * 2


def test_a_node_shows_its_member_and_directory():
    node = SimpleNamespace(member=SimpleNamespace(member_id=2), directory="/data/node2")
    assert ClusterNode.__repr__(node) == "<ClusterNode member 2 in /data/node2>"


def test_a_port_taken_during_the_start_ends_it(tmp_path, shm_dir, monkeypatch):
    """The check before the start was too early."""
    error = RegistrationError("address in use", 0, 1)

    def reject(_context):
        raise error

    monkeypatch.setattr(assembly, "find_port_in_use", lambda *_, **__: None)
    monkeypatch.setattr(assembly, "Archive", reject)
    with pytest.raises(RegistrationError) as raised:
        ClusterNode.launch(
            ClusteredService(),
            directory=tmp_path / "data",
            properties={"aeron.dir": str(shm_dir / "driver")},
        )
    assert raised.value is error
    assert not (shm_dir / "driver").exists()
