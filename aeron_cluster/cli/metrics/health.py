"""Whether a driver, an archive or a member is alive and ready, by its files and its counters."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.module_counters import ELECTION_STATE_TYPE, MODULE_STATE_TYPE
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory, Presence
from aeron_cluster.cluster.tools.node_counters import has_cluster_id
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import MissingFileError
from aeron_cluster.memory.shared.cnc_file import CNC_FILE_NAME, CncFile
from aeron_cluster.memory.shared.mark_file import SILENT_AFTER_MS
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import IntEnum

    from aeron_cluster.cluster.tools.cluster_directory import Component
    from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor

__all__ = ["Target", "find_target", "liveness_problem", "open_counters", "readiness_problem"]

_ARCHIVE_ERRORS_TYPE: Final = 101
_SERVING: Final = (
    ConsensusModuleState.ACTIVE,
    ConsensusModuleState.SUSPENDED,
    ConsensusModuleState.SNAPSHOT,
)


@dataclass(frozen=True, slots=True)
class Target:
    """The driver, archive or member to examine.

    Parameters
    ----------
    kind : {"driver", "archive", "member"}
    aeron_dir : str
        The directory of the driver, or of the driver that the target uses.
    cluster_dir : str, optional
        Of a member.
    member_id : int
        Of a member; -1 without.
    """

    kind: Literal["driver", "archive", "member"]
    aeron_dir: str
    cluster_dir: str | None = None
    member_id: int = -1


def find_target(directory: str) -> Target:
    """Return what a directory belongs to: a driver's, a member's, or that of a node.

    Raises
    ------
    MissingFileError
        The directory is none of these.
    CorruptError, VersionError
        A mark file is damaged, or of another version.
    """
    if (Path(directory) / CNC_FILE_NAME).exists():
        return Target("driver", directory)
    place = ClusterDirectory(directory)
    header = place.component().header
    return Target("member", header.aeron_directory, place.path, header.member_id)


@contextlib.contextmanager
def open_counters(target: Target) -> Iterator[tuple[CncFile, list[CounterDescriptor]]]:
    """Map the driver's file and read its counters.

    Raises
    ------
    MissingFileError
        The driver's file does not exist.
    CorruptError, VersionError
        The file is damaged, or has another version.
    """
    path = f"{target.aeron_dir}/{CNC_FILE_NAME}"
    try:
        cnc = CncFile.open(Seams().files, path)
    except FileNotFoundError:
        raise MissingFileError(path, "a media driver's file", "the driver is not running") from None
    with cnc:
        reader = cnc.counters_reader()
        try:
            yield cnc, reader.counters()
        finally:
            reader.close()


def liveness_problem(target: Target) -> str | None:
    """Return why the target should be restarted, or None.

    It is alive if its driver and its consensus module were active within ten seconds.

    Raises
    ------
    CorruptError, VersionError
        One of its files is damaged, or of another version.
    """
    try:
        with open_counters(target) as (cnc, _):
            if problem := _driver_problem(cnc):
                return problem
        return _member_problem(target)
    except MissingFileError as error:
        return str(error)


def readiness_problem(target: Target) -> str | None:
    """Return why the target does not serve its clients, or None.

    A leader or follower is ready while no election is running: a follower redirects clients to its
    leader.

    Raises
    ------
    CorruptError, VersionError
        One of its files is damaged, or of another version.
    """
    if problem := liveness_problem(target):
        return problem
    try:
        with open_counters(target) as (_, counters):
            if target.kind == "archive":
                is_there = any(each.type_id == _ARCHIVE_ERRORS_TYPE for each in counters)
                return None if is_there else f"{target.aeron_dir}: no archive on this driver"
            if target.cluster_dir is None:
                return None
            return _election_problem(_component(target.cluster_dir), counters)
    except MissingFileError as error:
        return str(error)


def _component(cluster_dir: str) -> Component:
    return ClusterDirectory(cluster_dir).component()


def _driver_problem(cnc: CncFile) -> str | None:
    now_ms = Seams().clock.epoch_ms()
    if cnc.is_driver_active(now_ms, SILENT_AFTER_MS):
        return None
    if cnc.driver_heartbeat_ms < 0:
        return f"{cnc.path}: the driver was closed"
    age_s = max(0, now_ms - cnc.driver_heartbeat_ms) / 1000
    return f"{cnc.path}: the driver, process {cnc.pid}, is silent for {age_s:.1f} s"


def _member_problem(target: Target) -> str | None:
    if target.cluster_dir is None:
        return None
    component = _component(target.cluster_dir)
    if component.presence.is_alive:
        return None
    state = "was closed" if component.presence is Presence.CLOSED else "is silent, or has ended"
    if component.presence is Presence.FAILED_TO_START:
        state = "failed to start"
    return f"{component.path}: process {component.header.pid} {state}"


def _election_problem(component: Component, counters: list[CounterDescriptor]) -> str | None:
    header = component.header
    if header.component_type is ClusterComponentType.BACKUP:
        return None
    values = {
        each.type_id: each.value
        for each in counters
        if each.type_id in (MODULE_STATE_TYPE, ELECTION_STATE_TYPE)
        and has_cluster_id(each, header.cluster_id)
    }
    state = values.get(MODULE_STATE_TYPE)
    if state is None:
        return f"member {header.member_id} is starting"
    if state not in _SERVING:
        return f"member {header.member_id} is in state {_name(ConsensusModuleState, state)}"
    election = values.get(ELECTION_STATE_TYPE, ElectionState.INIT)
    if election != ElectionState.CLOSED:
        return f"member {header.member_id} is in an election: {_name(ElectionState, election)}"
    return None


def _name(states: type[IntEnum], value: int) -> str:
    try:
        return states(value).name.lower().replace("_", " ")
    except ValueError:  # of another version, or a damaged counter
        return f"unknown ({value})"
