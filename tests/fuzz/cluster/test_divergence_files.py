"""Damaged logs, snapshot files and checkpoints: read, or rejected with a typed error."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard, read_divergence_file
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import read_snapshot_file, write_snapshot_file
from aeron_cluster.errors import AeronClusterError, CorruptError, VersionError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.cluster.recorded_log import RecordedLog, closed, message, opened, term, timer

FILES = SystemFiles()
damages = st.lists(
    st.tuples(st.integers(0, 40_000), st.binary(min_size=1, max_size=40)), max_size=6
)
settled = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def damage(data, changes):
    """Return a copy with changes, each at an offset modulo its length."""
    damaged = bytearray(data)
    for offset, change in changes:
        begin = offset % len(damaged)
        damaged[begin : begin + len(change)] = change
    return bytes(damaged[: len(data)])


class Sink(ClusteredService):
    """Reads all messages."""

    def __init__(self):
        self.observed = 0

    def on_session_message(self, _session, _timestamp, message, _header):
        self.observed += sum(bytes(message))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    numbered = [message(1, bytes([index]) * (index * 300 % 5000)) for index in range(20)]
    return RecordedLog(
        tmp_path_factory.mktemp("log") / "archive",
        [term(), opened(1), *numbered, timer(1), closed(1)],
    )


@settled
@given(changes=damages)
def test_a_damaged_log_is_replayed_or_rejected(log, changes):
    path = log.path / "0-0.rec"
    whole = path.read_bytes()
    try:
        path.write_bytes(damage(whole[: log.positions[-1]], changes) + whole[log.positions[-1] :])
        with contextlib.suppress(AeronClusterError), OfflineHost(Sink(), log.source) as host:
            assert host.run() <= log.positions[-1]
    finally:
        path.write_bytes(whole)


@settled
@given(changes=damages)
def test_a_damaged_snapshot_file_is_read_or_rejected(tmp_path, changes):
    path = tmp_path / "state"
    messages = [bytes([index]) * (index * 300 % 5000) for index in range(20)]
    write_snapshot_file(FILES, str(path), messages)
    assert list(read_snapshot_file(FILES, str(path))) == messages
    whole = path.read_bytes()
    path.write_bytes(damage(whole, changes))
    with contextlib.suppress(CorruptError):
        assert sum(map(len, read_snapshot_file(FILES, str(path)))) <= len(whole)


@settled
@given(changes=damages)
def test_damaged_checkpoints_are_skipped(tmp_path, changes):
    path = tmp_path / "divergence-0.dat"
    path.unlink(missing_ok=True)
    guard = DivergenceGuard.open(FILES, path, interval=64, capacity=8)
    guard.begin(0)
    guard.mark_snapshot(1)
    whole = guard.checkpoints()
    guard.close()
    path.write_bytes(damage(path.read_bytes(), changes))
    with contextlib.suppress(CorruptError, VersionError):
        assert set(read_divergence_file(FILES, path)[-1]) <= set(whole)
