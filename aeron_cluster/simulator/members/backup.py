"""A backup of a simulated cluster: a machine, and a process that can be killed anywhere."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from aeron_cluster.archive.archive import Archive
from aeron_cluster.cluster.assembly import in_pass_order, local_member
from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.cluster.backup.counters import BackupState
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.simulator.members.layouts import ProcessPlan
from aeron_cluster.simulator.members.member_process import MemberProcess
from aeron_cluster.simulator.world.machine import AERON_DIR, DIRECTORY
from aeron_cluster.simulator.world.process_host import ProcessHost

if TYPE_CHECKING:
    from aeron_cluster.memory.agents.agent import Agent
    from aeron_cluster.memory.system.seams import Seams
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.world.machine import Machine

__all__ = [
    "PROCESS_NAME",
    "Backup",
    "BackupHost",
    "archive_of_backup",
    "backup_host",
    "consensus_endpoint",
]

PROCESS_NAME: Final = "backup"

_SMALL: Final = "64k"
_PORT: Final = 9501


def backup_host(number: int) -> str:
    """Return the machine's name of a cluster's backup with a number from 0."""
    return f"backup{number}"


def consensus_endpoint(host: str) -> str:
    """Return the endpoint of the backup for members, as ``host:port``."""
    return f"{host}:{_PORT}"


def archive_of_backup(backup: Backup) -> str:
    """Return the endpoint of a backup's archive, as ``host:port``."""
    return f"{backup.machine.name}:{_PORT - 1}"


class BackupHost(ProcessHost, Protocol):
    """The interface of a `Cluster` for its backup."""

    @property
    def members(self) -> tuple[Member, ...]:
        """The members to back up."""


class Backup:
    """A `ClusterBackup` with its driver and its archive, in one process.

    Created by `Cluster.add_backup`.

    Parameters
    ----------
    cluster : BackupHost
        The cluster that it backs up.
    machine : Machine
        The machine: its disk, with ``archive`` and ``cluster`` in ``/data``, clocks and network.
    options : mapping, optional
        ``driver``, ``archive`` and ``backup``: more keywords of `MediaDriver.launch`,
        `Archive.launch` and `ClusterBackup.launch`.

    Attributes
    ----------
    machine : Machine
    process : MemberProcess
        Its process.
    endpoint : str
        The endpoint for members.
    errors : list of Exception
        The reported errors of all its processes.
    options : mapping
    members : tuple of ClusterMember
        The members that it queries.
    """

    def __init__(
        self,
        cluster: BackupHost,
        machine: Machine,
        *,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.machine = machine
        self.endpoint = consensus_endpoint(machine.name)
        self.errors: list[Exception] = []
        self.options = options or {}
        self.members = tuple(
            local_member(each.member_id, each.machine.name) for each in cluster.members
        )
        plan = ProcessPlan(PROCESS_NAME, partial(_Parts, self), needs_driver=False)
        self.process = MemberProcess(cluster, machine, plan)

    def __repr__(self) -> str:
        return f"<Backup {self.machine.name} {self.backup!r}>"

    @property
    def processes(self) -> tuple[MemberProcess, ...]:
        """The process."""
        return (self.process,)

    @property
    def backup(self) -> ClusterBackup | None:
        """The running backup, or None."""
        part = self.process.part
        return part.backup if isinstance(part, _Parts) else None

    @property
    def live_log_position(self) -> int:
        """The position of its copy of the log, in bytes; -1 if unknown."""
        return -1 if self.backup is None else self.backup.live_log_position

    @property
    def is_backing_up(self) -> bool:
        """Whether it publishes that position: it does not while it queries members."""
        return self.backup is not None and self.backup.state is BackupState.BACKING_UP


class _Parts:
    """The components of a backup's process: driver, archive and the backup itself."""

    def __init__(self, of: Backup, seams: Seams) -> None:
        self._errors = of.errors
        with contextlib.ExitStack() as stack:
            host, options = of.machine.name, of.options
            response = {"control_response_channel": f"aeron:udp?endpoint={host}:0"}
            driver = stack.enter_context(
                MediaDriver.launch(
                    seams=seams,
                    threading_mode="INVOKER",
                    **{
                        "aeron_dir": AERON_DIR,
                        "environment": {},
                        "term_buffer_length": _SMALL,
                        "ipc_term_buffer_length": _SMALL,
                        **options.get("driver", {}),
                    },
                )
            )
            below: list[Agent] = list(driver.agents)

            def drive_below() -> None:
                for agent in in_pass_order(below):
                    agent.do_work()

            common = {
                "seams": seams,
                "aeron_dir": AERON_DIR,
                "driver_invoker": drive_below,
                "threading_mode": "INVOKER",
                "error_handler": of.errors.append,
            }
            archive = stack.enter_context(
                Archive.launch(
                    **{
                        "archive_dir": f"{DIRECTORY}/archive",
                        "control_channel": f"aeron:udp?endpoint={archive_of_backup(of)}",
                        "replication_channel": f"aeron:udp?endpoint={host}:0",
                        "segment_file_length": 256 * 1024,
                        "archive_client": response,
                        **common,
                        **options.get("archive", {}),
                    }
                )
            )
            below += archive.agents
            self.backup = stack.enter_context(
                ClusterBackup.launch(
                    **{
                        "cluster_dir": f"{DIRECTORY}/cluster",
                        "consensus_endpoints": ",".join(
                            each.consensus_endpoint for each in of.members
                        ),
                        "consensus_channel": f"aeron:udp?endpoint={of.endpoint}",
                        **common,
                        **options.get("backup", {}),
                    }
                )
            )
            parts = (driver, archive, self.backup)
            self.agents = tuple(in_pass_order([each for part in parts for each in part.agents]))
            self._stack = stack.pop_all()

    def on_agent_error(self, agent: Agent, error: BaseException) -> None:  # noqa: ARG002
        """Handle an exception of one of them."""
        if not isinstance(error, Exception) or isinstance(error, AgentTerminationError):
            raise error
        self._errors.append(error)

    def close(self) -> None:
        """Close it in order."""
        self._stack.close()
