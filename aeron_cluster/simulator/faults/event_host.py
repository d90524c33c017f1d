"""The interface of a run for the events of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from aeron_cluster.cluster.state.control_toggle import ControlToggle
    from aeron_cluster.simulator.cluster import Cluster
    from aeron_cluster.simulator.members.member import Member
    from aeron_cluster.simulator.members.member_process import MemberProcess

__all__ = ["EventHost"]


class EventHost(Protocol):
    """A run in progress, for its events."""

    @property
    def cluster(self) -> Cluster:
        """The cluster of the run."""

    def some_members(self, member: int, /) -> Sequence[Member]:
        """Return one member, or all for -1."""

    def some_processes(self, member: int, /) -> Iterator[MemberProcess]:
        """Find the processes of a member, of all members for -1, of all backups for -2."""

    def later(self, delay_ns: int, action: Callable[[], object], /) -> None:
        """Call a function after a delay, in ns."""

    def start_later(self, member: Member, delay_ns: int, /) -> None:
        """Start a member's processes after a delay, in ns, and not before."""

    def start_process_later(self, process: MemberProcess, delay_ns: int, /) -> None:
        """Start a process after a delay, in ns, and not before."""

    def set_down_time(self, member: Member, duration_ns: int, /) -> None:
        """Set how long a member's processes are down when they end next, in ns."""

    def set_process_down_time(self, process: MemberProcess, duration_ns: int, /) -> None:
        """Set how long a process is down when it ends next, in ns."""

    def ignore_services(self) -> None:
        """Cancel events that wait for an action of a service."""

    def on_power_lost(self) -> None:
        """Record that disks may have lost unsynced data."""

    def hold_faults(self, event: Hashable, until_ns: int, /) -> None:
        """Let the faults last until a time, in ns, for an event; 0 once it has ended."""

    def free_disks(self) -> None:
        """Free space on all disks."""

    def toggle(self, request: ControlToggle, /) -> None:
        """Send a request to the leaders, as an operator does."""

    def on_requested_end(self) -> None:
        """Expect the end of all members: an operator requests it."""
