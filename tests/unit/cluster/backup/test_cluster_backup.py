"""A backup on files and a client of the test: what it creates, and how it ends."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.agents.agent import PythonAgent
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.waiting import await_true

DIRECTORY = "/tmp/cluster"


class Client:
    """A client whose driver does not answer; `error` is raised by the next duty cycle."""

    role_name = "client"

    def __init__(self):
        self.error = None
        self.failure = None
        self.is_closed = False
        self.context = SimpleNamespace(use_conductor_invoker=True)
        self.conductor_agent = PythonAgent(self)

    def do_work(self):
        if self.error is not None:
            raise self.error
        return 0

    def async_add_counter(self, *_):
        return 1

    def get_counter(self, _):
        return None

    def abandon(self, _):
        pass

    def close(self):
        self.is_closed = True


def launch(files, client, threading_mode="SHARED", **options):
    return ClusterBackup.launch(
        aeron=client,
        cluster_dir=DIRECTORY,
        consensus_endpoints="localhost:9002",
        seams=Seams(clock=VirtualClock(), files=files),
        threading_mode=threading_mode,
        **options,
    )


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), AgentTerminationError("no archive")], ids=repr
)
def test_failure_is_the_error_that_ended_its_thread(error):
    client = Client()
    with launch(MemoryFiles(), client) as backup:
        assert backup.failure is None
        assert repr(backup) == "<ClusterBackup BACKUP_QUERY at -1>"
        client.error = error
        (thread,) = backup._runners
        await_true(lambda: not thread.is_running, "its end")
        assert backup.failure is error
    assert backup.failure is error


def end(backup, client):
    """End it as a client does that its driver closed; return the reason."""
    client.is_closed = True
    if backup.threading_mode == "SHARED":
        (thread,) = backup._runners
        await_true(lambda: not thread.is_running, "its end")
        return thread.termination
    backup.invoker.start()
    with pytest.raises(AgentTerminationError) as ended:
        backup.invoker.invoke()
    return ended.value


@pytest.mark.parametrize("threading_mode", ["SHARED", "INVOKER"])
def test_its_user_is_notified_of_its_end(threading_mode):
    client, ended, errors = Client(), [], []
    options = {"termination_hook": lambda: ended.append(True), "error_handler": errors.append}
    with launch(MemoryFiles(), client, threading_mode, **options) as backup:
        assert "unexpected Aeron close" in str(end(backup, client))
        assert ended == [True]
    assert (ended, errors) == ([True], [])


@pytest.mark.parametrize("threading_mode", ["SHARED", "INVOKER"])
@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(3)], ids=repr)
def test_what_its_hook_raises_is_reported_and_it_ends_for_its_own_reason(raised, threading_mode):
    def hook():
        raise raised

    client, errors = Client(), []
    options = {"termination_hook": hook, "error_handler": errors.append}
    with launch(MemoryFiles(), client, threading_mode, **options) as backup:
        assert "unexpected Aeron close" in str(end(backup, client))
    assert [each for each in errors if raised in (each, each.__cause__)]


def test_backup_that_continues_or_is_closed_has_no_failure():
    client, errors = Client(), []
    with launch(MemoryFiles(), client, error_handler=errors.append) as backup:
        client.error = ValueError("reported")
        await_true(lambda: errors, "a report")
        assert backup.failure is None
    assert backup.failure is None
    assert errors[0] is client.error
    assert client.is_closed


def test_a_raising_error_handler_ends_no_backup(caplog):
    client, errors = Client(), []

    def handle(error):
        errors.append(error)
        raise ValueError("of the handler")

    with launch(MemoryFiles(), client, "INVOKER", error_handler=handle) as backup:
        client.error = ValueError("reported")
        backup.invoker.start()
        for _ in range(2):
            backup.invoker.invoke()
        assert errors == [client.error] * 2
        assert not backup.is_closed
    assert "the error handler failed" in caplog.text


def test_a_power_loss_takes_no_entry_of_a_new_backup():
    """Members purge their log once a backup has it: the backup must find it again."""
    files = MemoryFiles()
    with launch(files, Client(), "INVOKER") as backup:
        backup._backup._recording_log.append_term(5, 0, 0, 1)
        assert not files.may_lose(f"{DIRECTORY}/recording.log")
