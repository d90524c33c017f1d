"""The members of a cluster, and one member's knowledge of the others.

Upstream: ClusterMember.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from ipaddress import ip_network

from aeron_cluster.cluster.security.source_identity import is_literal
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.frame_layout import NULL_VALUE
from aeron_cluster.config import parse_digits
from aeron_cluster.errors import ConfigurationError

__all__ = [
    "NULL_VALUE",
    "Member",
    "any_port",
    "check_endpoints",
    "check_hosts",
    "find_member",
    "ingress_endpoints",
    "parse_members",
]


_NAME = re.compile(r"[\w.-]+")
_MAX_ID = 2**31 - 1
_MAX_PORT = 65535
_REQUIRED = ("ingress", "consensus", "log", "catchup", "archive")
_FORM = "id,ingress,consensus,log,catchup,archive[,archive response[,egress response]]"


@dataclass(slots=True)
class Member:
    """One member: its endpoints, and its latest position, term and vote.

    Parameters
    ----------
    member_id : int
        Unique in the cluster.
    ingress_endpoint, consensus_endpoint, log_endpoint, catchup_endpoint, archive_endpoint : str
        ``host:port`` each.
    archive_response_endpoint, egress_response_endpoint : str
        ``host:port`` or empty.

    Attributes
    ----------
    leadership_term_id, candidate_term_id : int
        The terms it last sent, or :data:`NULL_VALUE`.
    log_position : int
        The append position it last sent, in bytes, or :data:`NULL_VALUE`.
    time_of_last_append_ns : int
        The time of that position, on the cluster's clock.
    vote : bool or None
        Its vote: for, against, or None.
    is_graceful_closed_leader : bool
        Whether it was the leader, and announced its close.
    """

    member_id: int
    ingress_endpoint: str
    consensus_endpoint: str
    log_endpoint: str
    catchup_endpoint: str
    archive_endpoint: str
    archive_response_endpoint: str = ""
    egress_response_endpoint: str = ""
    leadership_term_id: int = field(default=NULL_VALUE, compare=False)
    candidate_term_id: int = field(default=NULL_VALUE, compare=False)
    log_position: int = field(default=NULL_VALUE, compare=False)
    time_of_last_append_ns: int = field(default=NULL_VALUE, compare=False)
    vote: bool | None = field(default=None, compare=False)
    is_graceful_closed_leader: bool = field(default=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> Member:
        """Parse one member from its comma-separated form.

        Raises
        ------
        ConfigurationError
            A field is missing, empty or surplus, or the id or a port is not a valid number.
        """
        parts = text.split(",")
        if not len(_REQUIRED) + 1 <= len(parts) <= len(_REQUIRED) + 3:
            raise ConfigurationError("cluster member", _FORM, text)
        # -1 means no member, and ids have 32 bits in messages.
        if (member_id := parse_digits(parts[0])) is None or member_id > _MAX_ID:
            raise ConfigurationError(
                "cluster member id", f"a number from 0 to {_MAX_ID}", parts[0], text
            )
        for name, endpoint in zip(_REQUIRED, parts[1:], strict=False):
            host, colon, port = endpoint.rpartition(":")
            if not endpoint or endpoint != endpoint.strip() or (colon and not host):
                raise ConfigurationError(f"{name} endpoint", "host:port", endpoint, text)
            if colon and ((number := parse_digits(port)) is None or number > _MAX_PORT):
                raise ConfigurationError(
                    f"{name} endpoint", f"a port from 0 to {_MAX_PORT}", port, text
                )
        ingress, consensus, log, catchup, archive = parts[1:6]
        archive_response, egress_response = (*parts[6:], "", "")[:2]
        return cls(
            member_id, ingress, consensus, log, catchup, archive, archive_response, egress_response
        )

    def fresh(self) -> Member:
        """Return a copy of this member with unknown progress."""
        return replace(
            self,
            leadership_term_id=NULL_VALUE,
            candidate_term_id=NULL_VALUE,
            log_position=NULL_VALUE,
            time_of_last_append_ns=NULL_VALUE,
            vote=None,
            is_graceful_closed_leader=False,
        )

    @property
    def endpoints(self) -> str:
        """The endpoints in their comma separated form, without the id."""
        parts = [
            self.ingress_endpoint,
            self.consensus_endpoint,
            self.log_endpoint,
            self.catchup_endpoint,
            self.archive_endpoint,
        ]
        optional = [self.archive_response_endpoint, self.egress_response_endpoint]
        while optional and not optional[-1]:
            optional.pop()
        return ",".join(parts + optional)

    def __str__(self) -> str:
        return f"{self.member_id},{self.endpoints}"


def parse_members(text: str) -> tuple[Member, ...]:
    """Parse the members of a cluster, joined by ``|``; a trailing one is tolerated.

    Raises
    ------
    ConfigurationError
        A member is invalid, an id is duplicate, or the list is empty.
    """
    members = tuple(Member.parse(part) for part in text.removesuffix("|").split("|"))
    seen: set[int] = set()
    for member in members:
        if member.member_id in seen:
            raise ConfigurationError("cluster members", "each id once", member.member_id, text)
        seen.add(member.member_id)
    return members


def check_endpoints(name: str, endpoints: Iterable[str]) -> None:
    """Reject an endpoint that is not valid in a channel: it could never be reached.

    Parameters
    ----------
    name : str
        The name of the property.
    endpoints : iterable of str

    Raises
    ------
    ConfigurationError
        An endpoint is invalid; the error names the first one.
    """
    for endpoint in endpoints:
        try:
            ChannelUri("udp").with_params(endpoint=endpoint).socket_address("endpoint")
        except ConfigurationError:
            expected = "host:port each, separated by commas"
            raise ConfigurationError(name, expected, endpoint) from None


def check_hosts(name: str, hosts: Iterable[str]) -> None:
    """Reject entries that are neither a host nor a network.

    Parameters
    ----------
    name : str
        The name of the property.
    hosts : iterable of str

    Raises
    ------
    ConfigurationError
        An entry is neither; the error names the first one.
    """
    for host in hosts:
        if is_literal(host) or _NAME.fullmatch(host) or _is_network(host):
            continue
        expected = "addresses, names, or networks as 10.0.4.0/24, separated by commas"
        raise ConfigurationError(name, expected, host)


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def find_member(members: tuple[Member, ...], member_id: int) -> Member:
    """Return the member with an id.

    Raises
    ------
    ConfigurationError
        No member has it.
    """
    for member in members:
        if member.member_id == member_id:
            return member
    known = ", ".join(str(member.member_id) for member in members)
    raise ConfigurationError("cluster member id", f"one of {known}", member_id)


def any_port(endpoint: str) -> str:
    """Return an endpoint with port 0: the same host, and a port that the system chooses."""
    return f"{endpoint.rpartition(':')[0]}:0"


def ingress_endpoints(members: tuple[Member, ...]) -> str:
    """Return the clients' endpoints: ``id=host:port`` separated by commas, in member order."""
    return ",".join(f"{member.member_id}={member.ingress_endpoint}" for member in members)
