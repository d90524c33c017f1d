"""An extension of a consensus module, in place of services.

``io.aeron.cluster.ConsensusModuleExtension``. An extension has messages of its own schema, in
the ingress and in the log, and is notified of what the module does; it runs on the module's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.codecs.cluster import CloseReason
    from aeron_cluster.config import Configuration

__all__ = ["ConsensusControlState", "ConsensusModuleControl", "ConsensusModuleExtension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusModuleControl:
    """The interface of a module to its extension.

    Parameters
    ----------
    options : Configuration
        The module's options, by the names of ``CONSENSUS_MODULE_OPTIONS``.
    aeron : Aeron
        The module's client, which is driven with the module.
    counters : ModuleCounters
        The counters: commit position, role, state and so on.
    cluster_time : callable
        Returns the time that messages in the log are stamped with, in the cluster's unit.
    """

    options: Configuration
    aeron: Aeron
    counters: ModuleCounters
    cluster_time: Callable[[], int]

    @property
    def member_id(self) -> int:
        """The member id."""
        return int(self.options.member_id)

    @property
    def commit_position(self) -> int:
        """The commit position known to this member, in bytes."""
        return self.counters.commit_position.get()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusControlState:
    """A leadership term, as this member takes part in it.

    Parameters
    ----------
    leadership_term_id, leader_member_id : int
    log_position : int
        The position at which this member begins in it, in bytes.
    log_publication : ExclusivePublication or None
        The publication of the leader's extension; None on a follower, and in a replay.
    log_subscription : Subscription or None
        From which the leader's extension reads the log, from `log_position` on, no further than it
        is committed; a follower's is notified by `ConsensusModuleExtension.on_log_message`.
    """

    leadership_term_id: int
    leader_member_id: int
    log_position: int
    log_publication: ExclusivePublication | None = None
    log_subscription: Subscription | None = None

    @property
    def is_leader(self) -> bool:
        """Whether this member leads."""
        return self.log_publication is not None


class ConsensusModuleExtension:
    """Override what you want to handle; every method does nothing here.

    Notes
    -----
    All calls come on the module's thread, and none of them may wait: what is to be done later is
    done in one of the three kinds of work. An `AgentTerminationError` ends the module.
    """

    def on_start(self, control: ConsensusModuleControl, snapshot: Sequence[bytes] | None) -> None:
        """Begin, before the first election.

        Parameters
        ----------
        control : ConsensusModuleControl
            The module; keep it.
        snapshot : sequence of bytes, or None
            The result of `on_take_snapshot` for the last snapshot; None if there is none.
        """

    def do_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do what there is to do in each pass, also during elections; return a work count."""
        return 0

    def slow_tick_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do what is due once a millisecond at most; return a work count."""
        return 0

    def consensus_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do what there is to do while the member leads or follows; return a work count."""
        return 0

    def on_prepare_for_new_leadership(self) -> None:
        """Drop what was not committed: an election begins."""

    def on_election_complete(self, state: ConsensusControlState) -> None:
        """Handle a change of role: leader or follower."""

    def on_new_leadership_term(self, state: ConsensusControlState) -> None:
        """Handle a term that begins in the log that is read."""

    def on_session_opened(self, cluster_session_id: int) -> None:
        """Handle a client's session that the log opened."""

    def on_session_closed(self, cluster_session_id: int, close_reason: CloseReason) -> None:
        """Handle a client's session that the log closed."""

    def on_ingress_message(self, message: bytes, image: Image) -> bool:  # noqa: ARG002
        """Handle a client's message of another schema than the cluster's.

        Parameters
        ----------
        message : bytes
            From its SBE header on.
        image : Image
            The image that received it.

        Returns
        -------
        bool
            False to be given it again, with all that follows.
        """
        return True

    def on_log_message(self, message: bytes, log_position: int) -> None:
        """Handle a message of another schema in the log: on a follower, and in all replays.

        Parameters
        ----------
        message : bytes
            From its SBE header on.
        log_position : int
            After it, in bytes.
        """

    def on_take_snapshot(self) -> Iterable[bytes]:
        """Return what `on_start` is to get, as messages; each is written when there is room."""
        return ()

    def close(self) -> None:
        """Release everything: the module ends."""
