"""An extension of a consensus module, in place of services.

``io.aeron.cluster.ConsensusModuleExtension``. An extension uses messages of its own schema in
ingress and log, and is notified of the module's events; it runs on the module's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec

from aeron_cluster.errors import AgentTerminationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aeron_cluster.archive.client.archive_client import AeronArchive
    from aeron_cluster.client.aeron import Aeron
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.client.security import AuthorisationService
    from aeron_cluster.client.subscription import Subscription
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.cluster.state.module_counters import ModuleCounters
    from aeron_cluster.codecs.cluster import CloseReason, ClusterTimeUnit
    from aeron_cluster.config import Configuration

__all__ = [
    "ClusterClientSession",
    "ConsensusControlState",
    "ConsensusModuleControl",
    "ConsensusModuleExtension",
    "notify_extension",
]

_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterClientSession:
    """A client's session at the time when it was looked up.

    ``io.aeron.cluster.ClusterClientSession``.

    Parameters
    ----------
    cluster_session_id : int
    is_open : bool
        Whether messages of its client are accepted.
    encoded_principal : bytes
        The principal from its authentication.
    response_channel : str
    response_stream_id : int
        The response channel and stream of its client.
    send : Callable[[bytes], bool]
        Send a message to its client; False if it must be sent again later, and on every member but
        the leader.
    keep_alive : Callable[[], None]
        Restart its timeout. The module does so for messages of its own schema, an extension for
        those that it accepts.
    """

    cluster_session_id: int
    is_open: bool
    encoded_principal: bytes
    response_channel: str
    response_stream_id: int
    send: Callable[[bytes], bool]
    keep_alive: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusModuleControl:
    """The interface of a module to its extension.

    Parameters
    ----------
    options : Configuration
        The module's options, by the names of ``CONSENSUS_MODULE_OPTIONS``.
    aeron : Aeron
        The module's client, driven with the module.
    counters : ModuleCounters
        The module's counters, such as commit position, role and state.
    archive : AeronArchive
        The module's client of its archive, which the module polls: only for calls that do not wait,
        such as `AeronArchive.request` and `AeronArchive.take_answer`.
    authorisation_service : AuthorisationService
        The service that authorises requests of the module's clients.
    member : Member
        The own member, with its endpoints.
    time_unit : ClusterTimeUnit
        The unit of the cluster time.
    cluster_time : callable
        Returns the cluster time.
    client_session : callable
        Returns the `ClusterClientSession` of an id, or None.
    close_client_session : callable
        Closes the session of an id, for the reason ``SERVICE_ACTION``: the leader appends it to the
        log, and the others wait for the log.
    """

    options: Configuration
    aeron: Aeron
    counters: ModuleCounters
    archive: AeronArchive
    authorisation_service: AuthorisationService
    member: Member
    time_unit: ClusterTimeUnit
    cluster_time: Callable[[], int]
    client_session: Callable[[int], ClusterClientSession | None]
    close_client_session: Callable[[int], None]

    @property
    def cluster_id(self) -> int:
        """The id of the cluster."""
        return int(self.options.cluster_id)

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
    """The part of this member in a leadership term.

    Parameters
    ----------
    leadership_term_id, leader_member_id : int
    log_position : int
        The position at which this member joins the term, in bytes.
    log_publication : ExclusivePublication or None
        The publication of the leader's extension; None on a follower, and in a replay.
    log_subscription : Subscription or None
        The subscription from which the leader's extension reads the log, from `log_position` up to
        the commit position; a follower's extension receives
        `ConsensusModuleExtension.on_log_message` instead.
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
    """A base class; override the methods to handle. The default methods do nothing.

    Attributes
    ----------
    supported_schema_id : int or None
        The id of the schema of its messages: clients' messages of other schemas are dropped, as
        malformed ones. None (the default) for all but the cluster's own.

    Notes
    -----
    All methods are called on the module's thread, and none may block: later work belongs in one of
    the three work methods. An `AgentTerminationError` ends the module.
    """

    supported_schema_id: int | None = None

    def on_start(self, control: ConsensusModuleControl, snapshot: Sequence[bytes] | None) -> None:
        """Begin, before the first election.

        Parameters
        ----------
        control : ConsensusModuleControl
            The module; to be stored.
        snapshot : sequence of bytes, or None
            The result of `on_take_snapshot` in the last snapshot; None without a snapshot.
        """

    def do_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do work in each duty cycle, also during elections; return a work count."""
        return 0

    def slow_tick_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do work every 10 ms, and in the next duty cycle after one with work; return a count."""
        return 0

    def consensus_work(self, now_ns: int) -> int:  # noqa: ARG002
        """Do work while the member is leader or follower; return a work count."""
        return 0

    def on_prepare_for_new_leadership(self) -> None:
        """Drop uncommitted changes: an election begins.

        A former leader's log subscription is closed after this call, so what is committed and not
        read yet has to be read here.
        """

    def on_election_complete(self, state: ConsensusControlState) -> None:
        """Handle a change of role: leader or follower."""

    def on_new_leadership_term(self, state: ConsensusControlState) -> None:
        """Handle the start of a term in the log."""

    def on_session_opened(self, cluster_session_id: int) -> None:
        """Handle a client's session that the log opened."""

    def on_session_closed(self, cluster_session_id: int, close_reason: CloseReason) -> None:
        """Handle a client's session that the log closed."""

    def on_ingress_message(self, message: bytes, image: Image) -> bool:  # noqa: ARG002
        """Handle a client's message of another schema than the cluster's.

        Parameters
        ----------
        message : bytes
            The message, beginning with its SBE header.
        image : Image
            The header with the image that received it.

        Returns
        -------
        bool
            False to receive it again, with all later messages.
        """
        return True

    def on_log_message(self, message: bytes, log_position: int) -> None:
        """Handle a log message of another schema: on a follower, and in all replays.

        Parameters
        ----------
        message : bytes
            The message, beginning with its SBE header.
        log_position : int
            The position after it, in bytes.
        """

    def on_take_snapshot(self) -> Iterable[bytes]:
        """Return the messages for `on_start`; each is written when there is space."""
        return ()

    def close(self) -> None:
        """Release all resources: the module ends."""


def notify_extension(
    report: Callable[[Exception], object],
    function: Callable[_P, object],
    *arguments: _P.args,
    **keywords: _P.kwargs,
) -> None:
    """Notify an extension of something in the log; what it raises is only reported.

    The log has it already: neither an election nor another delivery changes that. As upstream,
    where an image reports what its handler throws.

    Raises
    ------
    AgentTerminationError
        The extension raised it, to end the module.
    """
    try:
        function(*arguments, **keywords)
    except AgentTerminationError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's
        report(error)
