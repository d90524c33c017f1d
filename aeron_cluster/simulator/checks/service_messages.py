"""Compare services' offers to the log with the log.

Each member's service offers the same messages in the same order, and each member's consensus module
numbers them. So, whichever member appends, the numbers in the log are sequential, and number n is
the n-th offered message.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.model.plain_messages import first_service_id, service_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["check_service_messages"]

_HEADER_LENGTH: Final = 8 + SessionMessageHeader.block_length
_SHOWN: Final = 32


class _ServiceMessage(NamedTuple):
    number: int
    """The first is 1."""
    payload: bytes

    def __str__(self) -> str:
        return f"{self.number}, {self.payload[:_SHOWN].hex()}"


def check_service_messages(
    log: Sequence[tuple[int, bytes]], offers: Mapping[int, Sequence[bytes]], start_position: int
) -> None:
    """Compare the service messages in a log with the services' offers, by service id.

    Parameters
    ----------
    log : sequence of tuple
        The position after each message, and its bytes.
    offers : mapping of int to sequence of bytes
    start_position : int
        The start of the log: messages purged before it are not checked.

    Raises
    ------
    InvariantError
        A message is missing from the log, duplicated or out of order.
    """
    found: dict[int, list[_ServiceMessage]] = {service_id: [] for service_id in offers}
    for service_id, message in _service_messages(log):
        found.setdefault(service_id, []).append(message)
    for service_id, messages in offers.items():
        offered = [_ServiceMessage(*each) for each in enumerate(messages, 1)]
        logged = found[service_id]
        if start_position > 0:
            offered = offered[logged[0].number - 1 :] if logged else []
        for one, other in zip_longest(logged, offered):
            if one != other:
                raise InvariantError(
                    "a service's message is in the log once",
                    f"service {service_id}: expected {other or 'no more'}, found"
                    f" {one or 'no more'}",
                )


def _service_messages(log: Sequence[tuple[int, bytes]]) -> Iterator[tuple[int, _ServiceMessage]]:
    for _, data in log:
        if int.from_bytes(data[2:4], "little") != SessionMessageHeader.template_id:
            continue
        session_id = SessionMessageHeader.decode(data).cluster_session_id
        if session_id < 0:
            service_id = service_of(session_id)
            number = session_id - first_service_id(service_id)
            yield service_id, _ServiceMessage(number, data[_HEADER_LENGTH:])
