"""The final checks of a soak: the same as at the end of a run of the simulator.

The log is replayed through the service, and the clients' histories are compared with the result.
"""

from types import SimpleNamespace

from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.checks.invariants import (
    ReferenceLog,
    ServicesSeeTheSame,
    TimersFire,
    check_answers,
    check_logs,
    check_snapshots,
)
from aeron_cluster.simulator.checks.member_disk import read_log, read_snapshots
from aeron_cluster.simulator.members.journal import Journal, observed
from aeron_cluster.simulator.members.service_faults import ServiceFaults
from tests.soak.service import Service


def check(directories, commit_position, operations):
    """Check the logs and snapshots of the members and the histories of the clients.

    Parameters
    ----------
    directories
        The directories of the members, by member id; none of them runs.
    commit_position
        The commit position of all members, in bytes, after the last answer.
    operations
        The operations of each client, in order.

    Raises
    ------
    InvariantError
        A check failed.
    """
    files = SystemFiles()
    check_logs({i: read_log(files, str(path), commit_position) for i, path in directories.items()})
    check_snapshots({i: read_snapshots(files, str(path)) for i, path in directories.items()})
    sources = {
        member_id: OfflineSource.of_member(files, f"{path}/cluster", f"{path}/archive")
        for member_id, path in directories.items()
    }
    journal = Journal(0)
    for member_id, source in sources.items():
        _replay(source, member_id, journal, commit_position)
    run = SimpleNamespace(journals=[journal])
    ServicesSeeTheSame().check(run)
    TimersFire().conclude(run)
    check_answers([ReferenceLog(journal)], operations)
    _check_states(sources)


def _replay(source, member_id, journal, commit_position):
    who = SimpleNamespace(
        member_id=member_id,
        start_count=0,
        on_service=lambda _: None,
        service_faults=ServiceFaults(lambda: 0),
    )
    with OfflineHost(observed(Service(), journal, who), source, member_id=member_id) as host:
        host.run(commit_position)


def _check_states(sources):
    """Check that each snapshot equals a replay of the log from its start, and that all members have
    the last one.
    """
    places = {i: source.snapshots_of(0) for i, source in sources.items()}
    expected = {}
    replayed = Service()
    with OfflineHost(replayed, next(iter(sources.values()))) as host:
        for position in sorted({place.log_position for each in places.values() for place in each}):
            host.run(position)
            expected[position] = replayed.state.encode()
    for member_id, source in sources.items():
        found = {}
        for place in places[member_id]:
            service = Service()
            with OfflineHost(service, source, snapshot=place):
                found[place.log_position] = service.state.encode()
        wrong = [position for position in found if found[position] != expected[position]]
        if wrong or max(found, default=-1) != max(expected):
            raise InvariantError(
                "members reach the same state",
                f"member {member_id}: snapshots at {[*found]}, expected the last at"
                f" {max(expected)}; different from a replay of the log at {wrong}",
            )
