"""What the end of a run uses of it: a last loss, and checks that need more virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.state.control_toggle import ControlToggle
    from aeron_cluster.simulator.cluster import Cluster, Member

__all__ = ["RunHost"]


class RunHost(Protocol):
    """A run after its faults, for the checks at its end, each of which drives it."""

    @property
    def cluster(self) -> Cluster:
        """The cluster of the run."""

    def on_step(self, step: str, /) -> None:
        """Name what is awaited or checked next."""

    def drive_to(self, until_ns: int, /) -> None:
        """Advance time to a point, in ns; what ended is started again when it is due."""

    def await_until(
        self,
        is_done: Callable[[], object],
        timeout_ns: int,
        found: Callable[[], str] | None = None,
        /,
    ) -> None:
        """Advance time until a condition holds.

        Parameters
        ----------
        is_done : callable
        timeout_ns : int
            The longest time, in ns.
        found : callable, optional
            Describes what was found instead.

        Raises
        ------
        TimeoutExpiredError
        """

    def prevent_restart(self, member: Member, /) -> None:
        """Prevent the restart of a killed member."""

    def start(self, member: Member, /) -> None:
        """Start a member at once."""

    def toggle(self, request: ControlToggle, /) -> None:
        """Send a request to the leaders, as an operator does."""

    def on_power_lost(self) -> None:
        """Record that disks may have lost unsynced data."""

    def on_requested_end(self) -> None:
        """Expect the end of all members: an operator requests it."""

    def on_refusal(self, member: Member | None, /) -> None:
        """Do not judge a member that is started in a way in which it cannot run.

        Parameters
        ----------
        member : Member or None
            None after it was killed.
        """
