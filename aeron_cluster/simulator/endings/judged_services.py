"""The end of a run that judges its services: answers are counted, and members restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.simulator.checks.answer_counts import AnswerCount
from aeron_cluster.simulator.checks.member_disk import read_log_start
from aeron_cluster.simulator.endings.answers import await_answers
from aeron_cluster.simulator.endings.conditions import (
    all_lead,
    election_bound_ns,
    has_no_pending_requests,
)
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.simulator.checks.replays import ReplaysAgree
    from aeron_cluster.simulator.cluster import Cluster, Member
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["count_answers", "restore_some"]

_S: Final = 1_000_000_000
_LAST_ANSWERS_NS: Final = _S
_COUNTED_NS: Final = _S
_RESTORED_NS: Final = _S


def count_answers(host: RunHost) -> None:
    """Check that clients with such a promise get one answer per request.

    Raises
    ------
    InvariantError
    """
    cluster = host.cluster
    counted = [
        each
        for each in cluster.clients
        if each.load.is_answered_once and not each.load.is_surviving
    ]
    if not counted:
        return
    host.on_step("clients are answered once")
    for client in counted:
        client.stop()
    host.drive_to(cluster.now_ns + _LAST_ANSWERS_NS)
    begin = cluster.journals[0].end_position
    before = [AnswerCount.of(client) for client in counted]
    for client in counted:
        client.resume()
    host.drive_to(cluster.now_ns + _COUNTED_NS)
    for client in counted:
        client.stop()
    host.drive_to(cluster.now_ns + _LAST_ANSWERS_NS)
    for client, count in zip(counted, before, strict=True):
        count.check(client, cluster, begin)
        client.resume()


def restore_some(host: RunHost, services: Sequence[object], replays: ReplaysAgree | None) -> None:
    """Restore members from a snapshot and from the log, under load.

    Their answers are compared with those of other members, or earlier ones. With several members,
    two followers are restored; a single member is restored twice.

    Parameters
    ----------
    host : RunHost
    services : sequence of callables
        The factories of services, for an error.
    replays : ReplaysAgree or None
        Keeps the snapshots that are invalidated.

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    host.on_step("services take a snapshot")
    before = _snapshot_counts(cluster)
    host.await_until(lambda: all_lead(cluster), election_bound_ns(cluster))
    host.toggle(ControlToggle.SNAPSHOT)
    host.await_until(
        lambda: has_no_pending_requests(cluster) and _snapshot_counts(cluster) != before, 60 * _S
    )
    followers = sorted(cluster.members, key=lambda each: (each.is_leading, each.member_id))
    is_alone = not cluster.is_joined or len(cluster.members) == 1
    host.on_step("services resume from a snapshot")
    followers[0].kill()
    _start(host, followers[0], services)
    host.on_step("services resume from the log")
    member = followers[0 if is_alone else 1]
    member.kill()
    if replays is not None:
        replays.keep_snapshots(member)
    _start(host, member, services, is_restored=_forget_snapshots(member))


def _start(
    host: RunHost, member: Member, services: Sequence[object], *, is_restored: bool = True
) -> None:
    cluster = host.cluster
    member.start()
    host.await_until(lambda: member.is_running and all_lead(cluster), 120 * _S)
    if is_restored:
        await_answers(host, services)
        host.drive_to(cluster.now_ns + _RESTORED_NS)


def _snapshot_counts(cluster: Cluster) -> list[int]:
    return [
        -1 if each.counters is None else each.counters.snapshot_count.get()
        for each in cluster.members
        if each.is_leading
    ]


def _forget_snapshots(member: Member) -> bool:
    """Invalidate the snapshots of a stopped member; False if its log was purged."""
    files = member.machine.files
    if read_log_start(files.copy(DIRECTORY), DIRECTORY) > 0:
        return False
    with RecordingLog(files, f"{DIRECTORY}/cluster") as recording_log:
        while recording_log.invalidate_latest_snapshot():
            pass
    return True
