"""A backup's reaction to a challenge and to a full disk, and what a failed round leaves."""

import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.client.not_sent import NotSent
from aeron_cluster.cluster.backup import agent
from aeron_cluster.cluster.backup.agent import BackupAgent, _Live
from aeron_cluster.cluster.backup.context import BackupContext
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.archive import StopRecordingSubscriptionRequest, StopReplayRequest
from aeron_cluster.errors import (
    AgentTerminationError,
    ArchiveError,
    ClusterError,
    InsufficientSpaceError,
    TimeoutExpiredError,
)


class Credentials:
    """Raises the given error at the next request."""

    def __init__(self, error=None):
        self.error = error

    def encoded_credentials(self):
        return b"name"

    def on_challenge(self, encoded_challenge):
        if self.error is not None:
            raise self.error
        return b"answer to " + encoded_challenge


class Member:
    """A publication to a member, and the messages sent to it."""

    def __init__(self):
        self.observed = []

    def offer(self, message):
        self.observed.append(codecs.decode(message))
        return 1 if message else NotSent.NOT_CONNECTED

    def close(self):
        pass


class Client:
    """Allocates ids."""

    def __init__(self):
        self.last_id = 0

    def next_correlation_id(self):
        self.last_id += 1
        return self.last_id


def asking(credentials):
    """Return a backup that has queried a member, its steps and the member."""
    context = BackupContext.of(consensus_endpoints="localhost:9002", credentials=credentials)
    backup = BackupAgent(context, Client(), None, lambda _: None, lambda: None)
    backup._query_publication = member = Member()
    steps = backup._query_member()
    next(steps)
    return backup, steps, member


def challenge(backup):
    message = codecs.Challenge.encode(
        correlation_id=backup._correlation_id, cluster_session_id=-2, encoded_challenge=b"it"
    )
    backup._on_message(message, None)


def test_a_challenge_is_answered():
    backup, steps, member = asking(Credentials())
    challenge(backup)
    next(steps)
    query, answer = member.observed
    assert query.encoded_credentials == b"name"
    assert answer.encoded_credentials == b"answer to it"
    assert answer.cluster_session_id == -2
    assert backup._correlation_id == answer.correlation_id != query.correlation_id


def test_failing_credentials_end_the_round():
    # As upstream: "any exception resets, and is rethrown"; the member is queried no further until
    # its timeout.
    failure = ValueError("no such key")
    backup, steps, member = asking(Credentials(failure))
    challenge(backup)
    with pytest.raises(ValueError, match="no such key"):
        next(steps)
    assert len(member.observed) == 1


def test_a_late_challenge_is_skipped():
    backup, _, member = asking(Credentials())
    backup._disconnect()
    challenge(backup)
    assert len(member.observed) == 1


@pytest.mark.parametrize(
    "error",
    [
        ArchiveError("no space", ArchiveErrorCode.STORAGE_SPACE),
        # With only its own recording log, each further round would copy the snapshots again.
        InsufficientSpaceError(errno.ENOSPC, "no space", "recording.log"),
    ],
)
def test_a_full_disk_ends_the_backup(error):
    backup, _, _ = asking(Credentials())

    def steps():
        raise error
        yield

    backup._start = lambda: iter(())
    backup._run_round = steps
    # "Local archive lost or out of space: terminate."
    with pytest.raises(AgentTerminationError, match="no space"):
        backup._task.do_work()


RECORDING = (StopRecordingSubscriptionRequest, {"subscription_id": 7})
REPLAY = (StopReplayRequest, {"replay_session_id": 4711})


@pytest.mark.parametrize(
    ("replay_id", "is_connected", "requested"),
    [
        (4711, True, [RECORDING, REPLAY]),
        (4711, False, [RECORDING]),
        (-1, True, [RECORDING]),  # it failed before the replay began
        (-1, False, [RECORDING]),
    ],
)
@pytest.mark.parametrize("failure", [None, ArchiveError("unknown", 5), TimeoutExpiredError("no")])
def test_a_failed_round_ends_its_recording_and_its_replay(
    monkeypatch, replay_id, is_connected, requested, failure
):
    """The replay would occupy the member's archive, and prevent a purge of its log."""
    backup, _, member = asking(Credentials())
    requests, states, closed = [], [], []

    def send_request(archive, kind, **values):
        yield
        requests.append((archive, kind, values))
        if failure is not None:
            raise failure
        return 0

    def fail():
        raise ClusterError("the round failed")
        yield

    monkeypatch.setattr(agent, "send_request", send_request)
    monkeypatch.setattr(member, "close", lambda: closed.append(member), raising=False)
    source = SimpleNamespace(is_connected=is_connected, close=lambda: closed.append(source))
    backup._start, backup._run_round = (lambda: iter(())), fail
    backup._state_counter = SimpleNamespace(set=states.append)
    backup._archive, backup._source = "the own one", source
    backup._live = _Live(source, 0, 7, replay_id)
    for _ in range(5):
        backup._task.do_work()
    assert [(kind, values) for _, kind, values in requests] == requested
    assert [archive for archive, *_ in requests] == ["the own one", source][: len(requested)]
    assert closed == [member, source]
    assert states == [BackupState.RESET_BACKUP]
