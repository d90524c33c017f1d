"""What a soak is judged by, when all is over: the same checks that the simulator's runs end with.

The log is run once more through the service, and the clients' histories are compared with that.
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
from aeron_cluster.simulator.clients.reference import Reference
from aeron_cluster.simulator.members.journal import Journal, observed
from aeron_cluster.simulator.members.service_faults import ServiceFaults


def check(directories, commit_position, operations):
    """Check what members and clients were left with.

    Parameters
    ----------
    directories
        Of the members, by their ids; none of them runs.
    commit_position
        Of all of them, in bytes, when there was nothing more to be answered.
    operations
        Of each client, in order.

    Raises
    ------
    InvariantError
        Something does not hold.
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
    with OfflineHost(observed(Reference(), journal, who), source, member_id=member_id) as host:
        host.run(commit_position)


def _check_states(sources):
    """See that each snapshot is what the log makes of nothing, and that all have the last one."""
    places = {i: source.snapshots_of(0) for i, source in sources.items()}
    expected = {}
    replayed = Reference()
    with OfflineHost(replayed, next(iter(sources.values()))) as host:
        for position in sorted({place.log_position for each in places.values() for place in each}):
            host.run(position)
            expected[position] = replayed.state.encode()
    for member_id, source in sources.items():
        found = {}
        for place in places[member_id]:
            service = Reference()
            with OfflineHost(service, source, snapshot=place):
                found[place.log_position] = service.state.encode()
        wrong = [position for position in found if found[position] != expected[position]]
        if wrong or max(found, default=-1) != max(expected):
            raise InvariantError(
                "members come to the same state",
                f"member {member_id}: snapshots at {[*found]}, expected the last at"
                f" {max(expected)}; not what the log has at {wrong}",
            )
