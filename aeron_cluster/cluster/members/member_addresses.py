"""The network addresses from which members of a cluster may send.

No counterpart upstream: there every sender that reaches a member's consensus endpoint is trusted.

Messages between members are not authenticated, so they are accepted only from the hosts of the
configured consensus endpoints. This only stops senders that cannot forge an address: the consensus
endpoints belong in a private network of the members.

Requests of backups and standbys come from other, configured hosts, and are checked by the
authenticator: see `MEMBER_MESSAGES`. Publications of any other host get no image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.security.source_identity import IPC, canonical_host, host_of, is_literal
from aeron_cluster.codecs.cluster import (
    AppendPosition,
    CanvassPosition,
    CatchupPosition,
    CommitPosition,
    NewLeadershipTerm,
    RequestVote,
    StopCatchup,
    TerminationAck,
    TerminationPosition,
    Vote,
)
from aeron_cluster.errors import MemberIdMismatchError, UnknownSourceError
from aeron_cluster.memory.agents.waiting import NEVER
from aeron_cluster.memory.system.task_executor import Task, TaskExecutor

if TYPE_CHECKING:
    from aeron_cluster.cluster.members.members import Member
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["MEMBER_MESSAGES", "MemberAddresses"]

MEMBER_MESSAGES: Final = frozenset(
    message.template_id
    for message in (
        AppendPosition,
        CanvassPosition,
        CatchupPosition,
        CommitPosition,
        NewLeadershipTerm,
        RequestVote,
        StopCatchup,
        TerminationAck,
        TerminationPosition,
        Vote,
    )
)
"""Template ids of messages for members only; the rest is for backups and standbys too."""

RESOLUTION_INTERVAL_NS: Final = 1_000_000_000
"""The interval of resolving members' names, in ns: the driver's own check interval."""

# A source chooses its ports, and perhaps its addresses: neither must exhaust the memory.
_MAX_KNOWN: Final = 1024
_MAX_NAMED: Final = 64
# The interval of checks for answers of the resolver.
_CHECK_INTERVAL_NS: Final = 10_000_000
_NO_MEMBERS: Final[frozenset[int]] = frozenset()

_Found = tuple[str, ...] | Exception


def _ignore() -> None:
    """Count nothing."""


class MemberAddresses:
    """Decides which sources a configured member may send from.

    Parameters
    ----------
    members : Sequence of Member
        All members, including this one.
    resolve : Callable[[str], Iterable[str]]
        Every literal address of a host: ``Network.resolve``; may block, and raise an `OSError`.
    clock : Clock
    error_handler : Callable[[Exception], object]
        Called with an `UnknownSourceError` once for each rejected host, and again if it belonged to
        a member in between.
    other_hosts : Iterable of str
        Hosts that may query members: addresses, names, or networks as ``10.0.4.0/24``.
    member_id : int
        The id of this member, for its errors.
    log_place : Callable[[], tuple[int, int]]
        Returns its leadership term and log position, in bytes, for errors.
    is_checked : bool
        False: every source counts as a member.
    is_threaded : bool
        Whether `resolve` is called on a thread, which starts with the first look-up.
    resolution_interval_ns : int
        The shortest time between resolutions, which follow a rejected sender, in ns.

    Attributes
    ----------
    rejected_count : int
        The number of rejected messages and images.

    Notes
    -----
    Only for the consensus module's agent. A name without addresses keeps its last ones. A host that
    is not a member's is only reported once the names have been resolved since its first message, so
    a member at a new address is not reported.
    """

    def __init__(
        self,
        members: Sequence[Member],
        resolve: Callable[[str], Iterable[str]],
        clock: Clock,
        error_handler: Callable[[Exception], object],
        *,
        other_hosts: Iterable[str] = (),
        member_id: int,
        log_place: Callable[[], tuple[int, int]],
        is_checked: bool = True,
        is_threaded: bool = False,
        resolution_interval_ns: int = RESOLUTION_INTERVAL_NS,
    ) -> None:
        self.rejected_count = 0
        self._resolve = resolve
        self._clock = clock
        self._report = error_handler
        self._member_id = member_id
        self._log_place = log_place
        self._count_rejected: Callable[[], object] = _ignore
        self._is_checked = is_checked
        self._resolution_interval_ns = resolution_interval_ns
        self._executor = TaskExecutor("aeron-member-names") if is_threaded else None
        self._lookup: Task[Mapping[str, _Found]] | None = None
        # By configured host: its members, its addresses, the error of its resolution.
        self._ids: dict[str, set[int]] = {}
        self._found: dict[str, frozenset[str]] = {}
        self._failures: dict[str, Exception] = {}
        self._members_at: dict[str, frozenset[int]] = {}
        # By source identity, of accepted sources: usually one look-up is enough.
        self._known: dict[str, frozenset[int]] = {}
        # In the order of arrival.
        self._unknown: dict[str, None] = {}
        self._named: set[str] = set()
        self._named_ids: set[tuple[str, int]] = set()
        for member in members:
            self._ids.setdefault(host_of(member.consensus_endpoint), set()).add(member.member_id)
        self._networks: list[IPv4Network | IPv6Network] = []
        for host in other_hosts:
            if "/" in host:
                self._networks.append(ip_network(host, strict=False))
            else:
                self._ids.setdefault(host, set())
        self._is_resolved = False
        self._names = [host for host in self._ids if not is_literal(host)]
        for host in self._ids:
            if host not in self._names:
                self._found[host] = frozenset({canonical_host(host)})
        self._rebuild()
        self._next_resolution_ns = clock.nano_time()
        if is_checked:
            self._resolve_again()

    def __repr__(self) -> str:
        return f"<MemberAddresses {self._describe()} rejected={self.rejected_count}>"

    def count_by(self, count_rejected: Callable[[], object]) -> None:
        """Set a callback for rejections: a counter, once it exists."""
        self._count_rejected = count_rejected

    @property
    def is_resolved(self) -> bool:
        """Whether every name was looked up, even without success: `accepts_image` decides now."""
        return self._is_resolved or not self._names

    def accepts_image(self, source_identity: str) -> bool:
        """Return whether a source may have an image; count and name it if not.

        Parameters
        ----------
        source_identity : str
            As for `is_member`.

        Returns
        -------
        Whether its host belongs to a member, or is one of the other hosts. True until all names
        have been looked up once, since it may turn out to be one.
            up for the first time it may yet turn out to be: True.
        """
        if not self._is_checked or source_identity == IPC:
            return True
        address = canonical_host(host_of(source_identity))
        if self._is_known_host(address) or not self.is_resolved:
            return True
        self._find_members(address)
        if self._is_known_host(address):
            return True
        self.rejected_count += 1
        self._count_rejected()
        return False

    def _is_known_host(self, address: str) -> bool:
        self._poll_answers()
        if address in self._members_at:
            return True
        if not self._networks:
            return False
        return is_literal(address) and any(
            ip_address(address) in network for network in self._networks
        )

    def is_member(self, source_identity: str) -> bool:
        """Return whether a member may send from a source; count it if not.

        Parameters
        ----------
        source_identity : str
            An image's, such as ``10.0.0.2:40123`` or ``[::1]:4000``. One of the same driver,
            ``aeron:ipc``, is a member's: a process with access to the driver may be the member.
        """
        if source_identity in self._known or not self._is_checked:
            return True
        if self.members_at(source_identity):
            return True
        self.rejected_count += 1
        self._count_rejected()
        return False

    def members_at(self, source_identity: str) -> frozenset[int]:
        """Return the ids of the members on a source's host; empty for an unknown one.

        Notes
        -----
        Members on one machine share a host, so these are the ids that a source may claim, not
        proof of one. Without the check, and over IPC, that is every id.
        """
        known = self._known.get(source_identity)
        if known is not None:
            return known
        if not self._is_checked or source_identity == IPC:
            return frozenset().union(*self._ids.values())
        found = self._find_members(canonical_host(host_of(source_identity)))
        if found:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[source_identity] = found
        return found

    def reject_id(self, source_identity: str, member_id: int) -> None:
        """Report a member once if it claims an id that does not belong to its address."""
        host = canonical_host(host_of(source_identity))
        if len(self._named_ids) >= _MAX_NAMED or (host, member_id) in self._named_ids:
            return
        self._named_ids.add((host, member_id))
        ids = sorted(self.members_at(source_identity))
        term_id, position = self._log_place()
        self._report(
            MemberIdMismatchError(
                source_identity,
                "member " + ", ".join(map(str, ids)),
                member_id=member_id,
                leadership_term_id=term_id,
                log_position=position,
            )
        )

    def do_work(self) -> int:
        """Process answers of the resolver, and request those that are due.

        Returns
        -------
        int
            The work count.

        Notes
        -----
        Also for an idle duty cycle: a sender that was rejected once, and is silent now, is still
        reported.
        """
        work_count = self._poll_answers()
        if self._unknown:
            self._resolve_again()
        return work_count

    def next_deadline_ns(self) -> int:
        """Return the time at which `do_work` is due next; 2**63 - 1 for never."""
        if self._lookup is not None:
            return self._clock.nano_time() + _CHECK_INTERVAL_NS
        return self._next_resolution_ns if self._unknown else NEVER

    def _poll_answers(self) -> int:
        if self._lookup is None or not self._lookup.done():
            return 0
        lookup, self._lookup = self._lookup, None
        self._apply_answers(lookup.result())
        return 1

    def close(self) -> None:
        """Stop resolving. Calling it again does nothing."""
        self._lookup = None
        if self._executor is not None:
            self._executor.close()

    # ---- checking a source ----

    def _find_members(self, address: str) -> frozenset[int]:
        self._poll_answers()
        found = self._members_at.get(address, _NO_MEMBERS)
        if found:
            return found
        if len(self._unknown) < _MAX_NAMED:
            self._unknown[address] = None
        self._resolve_again()
        if not self._names:
            self._report_unknown()
        return self._members_at.get(address, _NO_MEMBERS)

    def _report_unknown(self) -> None:
        for address in self._unknown:
            if self._members_at.get(address) or address in self._named:
                continue
            if len(self._named) < _MAX_NAMED:
                self._named.add(address)
                term_id, position = self._log_place()
                self._report(
                    UnknownSourceError(
                        address,
                        self._describe(),
                        member_id=self._member_id,
                        leadership_term_id=term_id,
                        log_position=position,
                    )
                )
        self._unknown.clear()

    def _describe(self) -> str:
        hosts = []
        for host in self._ids:
            if host in self._names:
                found = ", ".join(sorted(self._found.get(host, ())))
                failure = self._failures.get(host)
                hosts.append(f"{host} ({found or failure or 'not resolved yet'})")
            else:
                hosts.append(host)
        return ", ".join((*hosts, *map(str, self._networks)))

    # ---- addresses of names ----

    def _resolve_again(self) -> None:
        now_ns = self._clock.nano_time()
        if not self._names or self._lookup is not None or now_ns < self._next_resolution_ns:
            return
        self._next_resolution_ns = now_ns + self._resolution_interval_ns
        if self._executor is None:
            self._apply_answers(_resolve_all(self._resolve, self._names))
        else:
            self._lookup = self._executor.submit(_resolve_all, self._resolve, self._names)

    def _apply_answers(self, answers: Mapping[str, _Found]) -> None:
        self._is_resolved = True
        for host, answer in answers.items():
            if isinstance(answer, Exception):
                self._failures[host] = answer
            else:
                self._failures.pop(host, None)
                self._found[host] = frozenset(map(canonical_host, answer))
        self._rebuild()
        self._named -= {address for address, ids in self._members_at.items() if ids}
        self._report_unknown()

    def _rebuild(self) -> None:
        members_at: dict[str, set[int]] = {}
        for host, addresses in self._found.items():
            for address in addresses:
                members_at.setdefault(address, set()).update(self._ids[host])
        self._members_at = {address: frozenset(ids) for address, ids in members_at.items()}
        self._known.clear()


def _resolve_all(
    resolve: Callable[[str], Iterable[str]], hosts: Iterable[str]
) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for host in hosts:
        try:
            addresses = tuple(resolve(host))
        except (OSError, ValueError) as error:
            found[host] = error
        else:
            found[host] = addresses or OSError(f"{host}: no address")
    return found
