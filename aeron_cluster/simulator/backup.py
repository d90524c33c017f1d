"""A backup of a simulated cluster: a machine of its own, and a process that may die at any call."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.archive.archive import Archive
from aeron_cluster.cluster.assembly import in_pass_order, local_member
from aeron_cluster.cluster.backup import ClusterBackup
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AeronClusterError, AgentTerminationError
from aeron_cluster.memory.agent import AgentInvoker

if TYPE_CHECKING:
    from aeron_cluster.memory.agent import Agent
    from aeron_cluster.memory.seams import Seams
    from aeron_cluster.simulator.cluster import Cluster

__all__ = ["Backup"]

_DIRECTORY: Final = "/data"
_AERON_DIR: Final = "/dev/shm/aeron"  # noqa: S108 - on a simulated disk
_FIRST_HOST: Final = 200
_SMALL: Final = "64k"
_PORT: Final = 9501


class Backup:
    """A `ClusterBackup` with its driver and its archive.

    Parameters
    ----------
    cluster : Cluster
        Whom it backs up.
    number : int
        Which of its backups.
    options : mapping, optional
        ``driver``, ``archive`` and ``backup``: more keywords of `MediaDriver.launch`,
        `Archive.launch` and `ClusterBackup.launch`.

    Attributes
    ----------
    machine : Machine
        Its disk, with ``archive`` and ``cluster`` in ``/data``, its clocks and its network.
    endpoint : str
        Where members reach it.
    backup : ClusterBackup or None
        What runs, where it does.
    errors : list of Exception
        What it reported, in all its processes.
    failure : Exception or None
        Why its process ended by itself, the last time that one did.
    """

    def __init__(
        self,
        cluster: Cluster,
        number: int = 0,
        *,
        options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.machine = cluster.world.add_machine(
            f"backup{number}", f"10.0.0.{_FIRST_HOST + number}"
        )
        self.machine.files.fills = True
        cluster.world.wire.set_faults(None, None, cluster.link_faults)
        self.endpoint = f"{self.machine.name}:{_PORT}"
        self.backup: ClusterBackup | None = None
        self.errors: list[Exception] = []
        self.failure: BaseException | None = None
        self._cluster = cluster
        self._options = options or {}
        self._stack = contextlib.ExitStack()
        self._place = -1

    def __repr__(self) -> str:
        return f"<Backup {self.machine.name} {self.backup!r}>"

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self.backup is not None

    @property
    def live_log_position(self) -> int:
        """How far its process has the log, in bytes; -1 where none runs, or it does not know."""
        return -1 if self.backup is None else self.backup.live_log_position

    # ---- what may be done to it ----

    def start(self) -> None:
        """Start a process: a new one if one runs; one that cannot start has ended."""
        if self.is_running:
            self.kill()
        seams = self.machine.start_process()
        try:
            with contextlib.ExitStack() as stack:
                backup, agents = self._launch(stack, seams)
                invoker = AgentInvoker(agents, error_handler=self._on_error, clock=seams.clock)
                stack.callback(invoker.close)
                invoker.start()
                self._stack = stack.pop_all()
        except (AeronClusterError, OSError) as error:
            self.failure = error
            self.machine.kill_process()
            return
        self.backup = backup
        self._place = self._cluster.loop.add(
            invoker,
            self.machine.network,
            self.machine.files,
            longest_step_ns=self._cluster.longest_step_ns,
        )
        self._cluster.on_started(self, self._place)

    def _launch(
        self, stack: contextlib.ExitStack, seams: Seams
    ) -> tuple[ClusterBackup, list[Agent]]:
        host = self.machine.name
        response = {"control_response_channel": f"aeron:udp?endpoint={host}:0"}
        driver = stack.enter_context(
            MediaDriver.launch(
                seams=seams,
                threading_mode="INVOKER",
                **{
                    "aeron_dir": _AERON_DIR,
                    "environment": {},
                    "term_buffer_length": _SMALL,
                    "ipc_term_buffer_length": _SMALL,
                    **self._options.get("driver", {}),
                },
            )
        )
        below: list[Agent] = list(driver.agents)

        def drive_below() -> None:
            for agent in in_pass_order(below):
                agent.do_work()

        common = {
            "seams": seams,
            "aeron_dir": _AERON_DIR,
            "driver_invoker": drive_below,
            "threading_mode": "INVOKER",
            "error_handler": self.errors.append,
        }
        archive = stack.enter_context(
            Archive.launch(
                **{
                    "archive_dir": f"{_DIRECTORY}/archive",
                    "control_channel": f"aeron:udp?endpoint={host}:{_PORT - 1}",
                    "replication_channel": f"aeron:udp?endpoint={host}:0",
                    "segment_file_length": 256 * 1024,
                    "archive_client": response,
                    **common,
                    **self._options.get("archive", {}),
                }
            )
        )
        below += archive.agents
        members = (
            local_member(each.member_id, each.machine.name) for each in self._cluster.members
        )
        backup = stack.enter_context(
            ClusterBackup.launch(
                **{
                    "cluster_dir": f"{_DIRECTORY}/cluster",
                    "consensus_endpoints": ",".join(each.consensus_endpoint for each in members),
                    "consensus_channel": f"aeron:udp?endpoint={self.endpoint}",
                    **common,
                    **self._options.get("backup", {}),
                }
            )
        )
        return backup, in_pass_order([*driver.agents, *archive.agents, *backup.agents])

    def _on_error(self, _agent: Agent, error: BaseException) -> None:
        if not isinstance(error, Exception) or isinstance(error, AgentTerminationError):
            raise error
        self.errors.append(error)

    def kill(self) -> None:
        """End the process at once, as SIGKILL does: what was written stays."""
        self._forget()
        self.machine.kill_process()

    def close(self) -> None:
        """End the process in order, as SIGTERM does. Where none runs it does nothing."""
        stack = self._stack
        self._forget()
        with contextlib.suppress(AeronClusterError, OSError):
            stack.close()
        self.machine.kill_process()

    def on_stopped(self, error: BaseException | None) -> None:
        """See to it that the process is gone, which the loop found to have ended."""
        if error is None or self.machine.files.is_stopped:
            self.kill()
        else:
            self.failure = error
            self.close()

    def _forget(self) -> None:
        if self._place >= 0:
            self._cluster.loop.remove(self._place)
            self._cluster.on_gone(self._place)
            self._place = -1
        self._stack = contextlib.ExitStack()
        self.backup = None
