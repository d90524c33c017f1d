"""Compare the effects of several members' services at equal log positions.

No counterpart in Aeron. It reads ``divergence-<service id>.dat`` of each member, which may be
running, stopped, or copied from another machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aeron_cluster.cluster.service.divergence_guard import (
    fold_word,
    payload_digest,
    read_divergence_file,
)
from aeron_cluster.errors import DivergenceError, StateError

if TYPE_CHECKING:
    from aeron_cluster.cluster.service.checkpoint import Checkpoint
    from aeron_cluster.cluster.service.offline.source import OfflineSource
    from aeron_cluster.memory.system.seams import Files

__all__ = [
    "Comparison",
    "Difference",
    "MemberCheckpoints",
    "compare",
    "compare_snapshots",
    "read_member",
]


@dataclass(frozen=True, slots=True)
class MemberCheckpoints:
    """The checkpoints of one service of one member, by position.

    Parameters
    ----------
    name : str
        The name of the member: ``member 0``, or the directory of its file.
    service_id : int
    interval : int
        The interval of checkpoints, in bytes of log.
    checkpoints : tuple of Checkpoint
        The checkpoints by position.
    """

    name: str
    service_id: int
    interval: int
    checkpoints: tuple[Checkpoint, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first position at which members differ.

    Parameters
    ----------
    service_id : int
    agreed_position : int
        The last position before it at which they were equal, or the start of the differing interval
        if none is known. In bytes of log.
    position : int
        The first position at which they differ.
    leadership_term_id : int
        The leadership term at that position.
    hashes : dict of str to int
        The hash of each member, by its name.
    diverged : tuple of str
        The members that differ from the majority; empty without a majority.
    is_of_logs : bool
        Whether the logs differ; otherwise the services' effects differ.
    """

    service_id: int
    agreed_position: int
    position: int
    leadership_term_id: int
    hashes: dict[str, int]
    diverged: tuple[str, ...]
    is_of_logs: bool = False

    def error(self) -> DivergenceError:
        """Return it as an exception."""
        return DivergenceError(
            self.service_id,
            self.agreed_position,
            self.position,
            self.leadership_term_id,
            self.hashes,
            is_of_logs=self.is_of_logs,
        )

    def __str__(self) -> str:
        suffix = f"; {' and '.join(self.diverged)} diverged" if self.diverged else ""
        return f"{self.error()}{suffix}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing one service.

    Parameters
    ----------
    service_id : int
    names : tuple of str
        The compared members.
    position_count : int
        The number of positions at which at least two members could be compared.
    first_position, last_position : int
        The lowest and the highest of these positions; -1 if there was none.
    difference : Difference or None
    """

    service_id: int
    names: tuple[str, ...]
    position_count: int
    first_position: int
    last_position: int
    difference: Difference | None


def read_member(files: Files, directory: str) -> list[MemberCheckpoints]:
    """Read the checkpoints of a member's services.

    Parameters
    ----------
    files : Files
        The file seam.
    directory : str
        The cluster directory, or the directory of a node, which contains it as ``cluster``.

    Raises
    ------
    StateError
        There are no checkpoints: the member ran without ``divergence_interval``.
    CorruptError, VersionError
        A file is invalid.
    """
    found: list[MemberCheckpoints] = []
    for place in (directory, f"{directory}/cluster"):
        if not files.exists(place):
            continue
        found += [
            _read(files, f"{place}/{name}", directory)
            for name in sorted(files.list(place))
            if name.startswith("divergence-") and name.endswith(".dat")
        ]
    if not found:
        raise StateError(
            f"{directory}: expected divergence-<service id>.dat, found none: the member's services"
            " run without aeron.cluster.service.divergence.interval"
        )
    return found


def _read(files: Files, path: str, directory: str) -> MemberCheckpoints:
    _, service_id, member_id, interval, snapshots, every = read_divergence_file(files, path)
    name = f"member {member_id}" if member_id >= 0 else directory
    merged = {each.position: each for each in (*snapshots, *every)}
    return MemberCheckpoints(
        name, service_id, interval, tuple(merged[position] for position in sorted(merged))
    )


def compare(members: Sequence[MemberCheckpoints]) -> Comparison:
    """Compare one service of several members.

    Parameters
    ----------
    members : sequence of MemberCheckpoints
        The checkpoints of the same service; each with a different name.

    Returns
    -------
    Comparison
        Only the first difference is reported, since later ones may be consequences.
    """
    service_id = members[0].service_id
    by_position: dict[int, list[tuple[str, Checkpoint]]] = {}
    for member in members:
        for checkpoint in member.checkpoints:
            by_position.setdefault(checkpoint.position, []).append((member.name, checkpoint))
    shared = sorted(position for position, found in by_position.items() if len(found) > 1)
    difference = None
    agreed = -1
    for position in shared:
        groups = _groups(by_position[position])
        if len(groups) > 1:
            difference = _difference(service_id, agreed, position, groups)
            break
        agreed = position
    return Comparison(
        service_id,
        tuple(member.name for member in members),
        len(shared),
        shared[0] if shared else -1,
        shared[-1] if shared else -1,
        difference,
    )


def _groups(found: Iterable[tuple[str, Checkpoint]]) -> list[list[tuple[str, Checkpoint]]]:
    """Return members with the same result, grouped; the largest group first."""
    groups: list[list[tuple[str, Checkpoint]]] = []
    for name, checkpoint in found:
        for group in groups:
            known = group[0][1]
            if not (checkpoint.differs_from(known) or checkpoint.is_of_another_log(known)):
                group.append((name, checkpoint))
                break
        else:
            groups.append([(name, checkpoint)])
    return sorted(groups, key=len, reverse=True)


def _difference(
    service_id: int, agreed: int, position: int, groups: list[list[tuple[str, Checkpoint]]]
) -> Difference:
    flat = [each for group in groups for each in group]
    diverged: tuple[str, ...] = ()
    if 2 * len(groups[0]) > len(flat):
        diverged = tuple(sorted(name for group in groups[1:] for name, _ in group))
    # The logs, all effects, those of the interval, or the claims differ between the groups.
    first, second = groups[0][0][1], groups[1][0][1]
    is_of_logs = first.is_of_another_log(second)
    if is_of_logs:
        shown = "log_hash"
    elif first.base_position == second.base_position and first.hash != second.hash:
        shown = "hash"
    elif first.interval_hash != second.interval_hash:
        shown = "interval_hash"
    else:
        shown = "claim_hash"
    return Difference(
        service_id,
        agreed if agreed >= 0 else max(first.previous_position, second.previous_position),
        position,
        first.leadership_term_id,
        {name: getattr(checkpoint, shown) for name, checkpoint in sorted(flat, key=lambda x: x[0])},
        diverged,
        is_of_logs,
    )


def compare_snapshots(sources: dict[str, OfflineSource], service_id: int) -> Comparison:
    """Compare the snapshots of a service, byte by byte, at equal positions.

    Parameters
    ----------
    sources : dict of str to OfflineSource
        The archives by the member's name, including Java's members.
    service_id : int

    Returns
    -------
    Comparison
        The hashes are those of the snapshots' messages.

    Raises
    ------
    StateError, CorruptError
        A snapshot is unreadable.
    """
    by_position: dict[int, dict[str, int]] = {}
    terms: dict[int, int] = {}
    for name, source in sources.items():
        for place in source.snapshots_of(service_id):
            value = 0
            for message in source.read_snapshot(place):
                value = fold_word(value, payload_digest(message))
            by_position.setdefault(place.log_position, {})[name] = value
            terms[place.log_position] = place.leadership_term_id
    shared = sorted(position for position, found in by_position.items() if len(found) > 1)
    difference = None
    agreed = 0
    for position in shared:
        hashes = by_position[position]
        counts = {value: list(hashes.values()).count(value) for value in hashes.values()}
        if len(counts) > 1:
            common = max(counts, key=lambda value: counts[value])
            diverged: tuple[str, ...] = ()
            if 2 * counts[common] > len(hashes):
                diverged = tuple(sorted(name for name, value in hashes.items() if value != common))
            difference = Difference(service_id, agreed, position, terms[position], hashes, diverged)
            break
        agreed = position
    return Comparison(
        service_id,
        tuple(sources),
        len(shared),
        shared[0] if shared else -1,
        shared[-1] if shared else -1,
        difference,
    )
