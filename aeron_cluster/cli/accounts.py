"""Accounts as a clustered service that applies each request once: an example to copy.

``aeron-cluster node --service aeron_cluster.cli.accounts:Accounts``. A request is an account and an
amount, both 64-bit integers; the amount may be negative. The answer is the balance::

    client.request(ENTRY.pack(account, amount))  # a SurvivingClient's
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.errors import RejectedRequestError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler

if TYPE_CHECKING:
    from aeron_cluster.client.image import Image
    from aeron_cluster.client.publication import ExclusivePublication
    from aeron_cluster.cluster.service.client_session import ClientSession
    from aeron_cluster.cluster.service.cluster import Cluster
    from aeron_cluster.cluster.service.deduplication import Request
    from aeron_cluster.logbuffer.message_view import Header, MessageView

__all__ = ["BALANCE", "ENTRY", "Accounts"]

ENTRY: Final = struct.Struct("<qq")
"""A request: the account and the amount to add to its balance."""

BALANCE: Final = struct.Struct("<q")
"""An answer: the balance."""

_FRAGMENT_LIMIT = 50
_MAX_BALANCE: Final = 2**63 - 1


class Accounts(ClusteredService):
    """Keeps balances, which never become negative."""

    def __init__(self) -> None:
        self.balances: dict[int, int] = {}
        self._cluster: Cluster
        self._requests: Deduplication

    def on_start(self, cluster: Cluster, snapshot_image: Image | None) -> None:
        """Start without accounts, or with the accounts in the snapshot."""
        self._cluster = cluster
        self._requests = Deduplication(cluster)
        if snapshot_image is None:
            return

        def load(message: MessageView, _: object) -> None:
            if not self._requests.load(message):
                account, balance = ENTRY.unpack_from(message)
                self.balances[account] = balance

        assembler = FragmentAssembler(load)
        while not snapshot_image.is_end_of_stream and not snapshot_image.is_closed:
            cluster.idle(snapshot_image.poll(assembler, _FRAGMENT_LIMIT))
        self._requests.check_loaded()

    def on_session_message(
        self,
        session: ClientSession | None,
        timestamp: int,
        message: MessageView,
        header: Header,  # noqa: ARG002 - where it stands in the log plays no part
    ) -> None:
        """Apply a request unless it was applied before; answer it in both cases."""
        self._requests.handle(session, timestamp, message, self._book)

    def _book(self, request: Request) -> bytes:
        if len(request.payload) != ENTRY.size:
            raise RejectedRequestError(f"expected {ENTRY.size} bytes, found {len(request.payload)}")
        account, amount = ENTRY.unpack(request.payload)
        balance = self.balances.get(account, 0) + amount
        if not 0 <= balance <= _MAX_BALANCE:
            raise RejectedRequestError(f"account {account} would have {balance}")
        self.balances[account] = balance
        return BALANCE.pack(balance)

    def on_take_snapshot(self, snapshot_publication: ExclusivePublication) -> None:
        """Write the balances and the table of clients."""
        for entry in self.balances.items():
            while not snapshot_publication.offer(ENTRY.pack(*entry)):
                self._cluster.idle()
        self._requests.write_snapshot(snapshot_publication)
