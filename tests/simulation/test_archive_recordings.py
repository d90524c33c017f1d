"""Recordings of snapshots that stay requested after their end are detected by an operator."""

import pytest

from aeron_cluster.archive.recording.recordings import Recordings
from aeron_cluster.cluster.service import service_snapshot
from aeron_cluster.cluster.snapshots import snapshot_round
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator import Cluster
from aeron_cluster.simulator.checks.archive_recordings import ArchivesRecordTheLogAlone
from aeron_cluster.simulator.clients.reference import ReferenceService

LOG = 100


def run(*, backup=False):
    """Take a snapshot, and return the streams that each archive records afterwards."""
    with Cluster(5, ReferenceService, members=2) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        if backup:
            cluster.add_backup()
        assert leader.module.try_toggle(ControlToggle.SNAPSHOT)
        cluster.run_until(
            lambda: all(each.counters.snapshot_count.get() for each in cluster.members)
        )
        if backup:
            cluster.run_until(lambda: cluster.backups[0].live_log_position > 0)
        ArchivesRecordTheLogAlone().conclude(cluster)
        (operator,) = cluster.operators
    assert not operator.process.leaks
    return operator


def test_archives_record_the_log_alone_after_a_snapshot():
    operator = run(backup=True)
    assert not operator.errors


def without_end(send_request):
    def send(archive, kind, **values):
        if "auto_stop" in values:
            values["auto_stop"] = False
        return send_request(archive, kind, **values)

    return send


@pytest.mark.parametrize("module", [snapshot_round, service_snapshot])
def test_a_snapshot_that_stays_requested_is_detected(monkeypatch, module):
    monkeypatch.setattr(module, "send_request", without_end(module.send_request))
    with pytest.raises(InvariantError, match=r"the log alone: .*alias=snapshot.* still requested"):
        run()


def test_a_counter_of_an_ended_recording_is_detected(monkeypatch):
    def end_without_close(recordings, active, *given):
        active.counter = None
        end(recordings, active, *given)

    end = Recordings._end
    monkeypatch.setattr(Recordings, "_end", end_without_close)
    with pytest.raises(InvariantError, match=r"the log alone: .* is still counted"):
        run()
