"""The documented default of each timeout and interval of a cluster.

From the documents ("heartbeat ... 10 seconds (aeron.cluster.leader.heartbeat.timeout)", "after 200
ms, it sends the quorum position") and the constants of Aeron 1.51.0 (ConsensusModule.Configuration,
ClusterBackup.Configuration, AeronCluster.Configuration, ClusteredServiceContainer.Configuration).
"""

import pytest

from aeron_cluster.cluster.context.timers import POLL_LIMIT
from aeron_cluster.config import (
    BACKUP_OPTIONS,
    CLUSTER_CLIENT_OPTIONS,
    CONSENSUS_MODULE_OPTIONS,
    SERVICE_CONTAINER_OPTIONS,
    SURVIVING_CLIENT_OPTIONS,
    duration_ns,
    resolve,
)

TABLES = {
    "module": CONSENSUS_MODULE_OPTIONS,
    "container": SERVICE_CONTAINER_OPTIONS,
    "client": CLUSTER_CLIENT_OPTIONS,
    "surviving client": SURVIVING_CLIENT_OPTIONS,
    "backup": BACKUP_OPTIONS,
}
AERONS = [
    ("module", "aeron.cluster.session.timeout", "10s"),
    ("module", "aeron.cluster.leader.heartbeat.timeout", "10s"),
    ("module", "aeron.cluster.leader.heartbeat.interval", "200ms"),
    ("module", "aeron.cluster.startup.canvass.timeout", "60s"),
    ("module", "aeron.cluster.election.timeout", "1s"),
    ("module", "aeron.cluster.election.status.interval", "100ms"),
    ("module", "aeron.cluster.termination.timeout", "10s"),
    ("module", "aeron.cluster.cycle.threshold", "100ms"),
    ("module", "aeron.cluster.total.snapshot.threshold", "1s"),
    ("module", "aeron.cluster.wheel.tick.resolution", "8ms"),
    ("module", "aeron.cluster.standby.snapshot.notification.processing.delay", "0ns"),
    ("module", "aeron.cluster.replication.progress.timeout", "10s"),
    ("module", "aeron.cluster.replication.progress.interval", None),  # a tenth of the timeout
    ("container", "aeron.cluster.service.cycle.threshold", "100ms"),
    ("container", "aeron.cluster.service.snapshot.threshold", "1s"),
    ("client", "aeron.cluster.message.timeout", "5s"),
    ("backup", "aeron.cluster.backup.interval", "3600s"),
    ("backup", "aeron.cluster.backup.response.timeout", "5s"),
    ("backup", "aeron.cluster.backup.progress.timeout", "10s"),
    ("backup", "aeron.cluster.backup.cool.down.interval", "30s"),
    ("backup", "aeron.cluster.replication.progress.timeout", "10s"),
    ("backup", "aeron.cluster.replication.progress.interval", None),
]
# Unknown to Aeron.
OWN = [
    ("module", "aeron.cluster.consensus.source.resolution.interval", "1s"),
    ("module", "aeron.cluster.snapshot.interval", "0ns"),
    ("surviving client", "aeron.cluster.client.resend.timeout", "1s"),
    ("surviving client", "aeron.cluster.client.silence.timeout", "5s"),
    ("surviving client", "aeron.cluster.client.keep.alive.interval", "1s"),
    ("surviving client", "aeron.cluster.client.reconnect.min.interval", "50ms"),
    ("surviving client", "aeron.cluster.client.reconnect.max.interval", "5s"),
    ("surviving client", "aeron.cluster.client.reconnect.timeout", "0ns"),
]
COUNTS = [
    ("module", "aeron.cluster.max.sessions", 10),
    ("module", "aeron.cluster.service.count", 1),
    ("module", "aeron.cluster.ingress.fragment.limit", 50),
    ("module", "aeron.cluster.log.fragment.limit", 50),
    ("module", "aeron.cluster.ticks.per.wheel", 128),
    ("module", "aeron.cluster.file.sync.level", 0),
    ("module", "aeron.cluster.appointed.leader.id", -1),
    ("module", "aeron.cluster.log.stream.id", 100),
    ("module", "aeron.cluster.ingress.stream.id", 101),
    ("client", "aeron.cluster.egress.stream.id", 102),
    ("module", "aeron.cluster.replay.stream.id", 103),
    ("module", "aeron.cluster.service.stream.id", 104),
    ("module", "aeron.cluster.consensus.module.stream.id", 105),
    ("container", "aeron.cluster.snapshot.stream.id", 106),
    ("module", "aeron.cluster.snapshot.stream.id", 107),
    ("module", "aeron.cluster.consensus.stream.id", 108),
]


def found(table, name):
    (option,) = [each for each in TABLES[table] if each.name == name]
    return resolve(TABLES[table], {}, {}, {})[option.keyword]


@pytest.mark.parametrize(("table", "name", "default"), AERONS + OWN)
def test_duration_has_its_documented_default(table, name, default):
    assert found(table, name) == (None if default is None else duration_ns(name, default))


@pytest.mark.parametrize(("table", "name", "default"), COUNTS)
def test_count_has_its_documented_default(table, name, default):
    assert found(table, name) == default


def test_each_duration_of_a_cluster_is_listed():
    durations = {
        (table, option.name)
        for table, options in TABLES.items()
        for option in options
        if option.kind == "duration_ns"
    }
    assert durations == {(table, name) for table, name, _ in AERONS + OWN}


def test_at_most_20_timers_expire_in_a_poll():
    assert POLL_LIMIT == 20
