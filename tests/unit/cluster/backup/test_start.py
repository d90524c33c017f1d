"""A backup whose start fails: its user is notified, and it is no more."""

import socket
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.cluster.backup.agent import BackupAgent
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.errors import (
    AgentTerminationError,
    AuthenticationError,
    RegistrationError,
    TimeoutExpiredError,
)
from tests.waiting import await_true


@pytest.fixture
def node(shm_dir):
    """A driver with an archive."""
    with ArchivingMediaDriver.launch(
        driver={"aeron_dir": str(shm_dir / "driver")},
        archive={
            "archive_dir": str(shm_dir / "archive"),
            "control_channel_enabled": False,
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            "low_storage_space_threshold": 0,
        },
    ) as both:
        yield both


@pytest.mark.usefixtures("node")
def test_a_port_in_use_ends_a_backup(shm_dir):
    ended, errors = [], []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        with ClusterBackup.launch(
            aeron_dir=str(shm_dir / "driver"),
            cluster_dir=str(shm_dir / "cluster"),
            consensus_endpoints="localhost:1",
            consensus_channel=f"aeron:udp?endpoint=127.0.0.1:{port}",
            error_handler=errors.append,
            termination_hook=lambda: ended.append(True),
        ) as backup:
            await_true(lambda: ended or errors, "its end")
            await_true(lambda: backup.failure or not ended, "the end of its thread")
            assert ended == [True]
            assert isinstance(backup.failure, AgentTerminationError)
            assert str(backup.failure).startswith("backup: cannot start: ")
            assert isinstance(backup.failure.__cause__, RegistrationError)
    assert errors == [backup.failure.__cause__]
    assert ended == [True]


@pytest.mark.parametrize(
    "error",
    [
        TimeoutExpiredError("no archive"),
        AuthenticationError("of the archive"),
        ValueError("of the user's credentials"),
    ],
    ids=repr,
)
def test_what_fails_the_start_of_a_backup_is_the_cause_of_its_end(error):
    def fail():
        raise error
        yield

    errors, ended = [], []
    context = BackupContext.of(
        consensus_endpoints="localhost:9002",
        error_handler=errors.append,
        termination_hook=lambda: ended.append(True),
    )
    client = SimpleNamespace(is_closed=False)
    backup = BackupAgent(context, client, None, lambda _: None, lambda: None)
    backup._start = fail
    with pytest.raises(AgentTerminationError, match="backup: cannot start: ") as raised:
        backup.do_work()
    assert raised.value.__cause__ is error
    assert (errors, ended) == ([error], [True])
