"""The driver's clients and the counters that they added.

The parts of DriverConductor around AeronClient and CounterLink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.driver_client import DriverClient
from aeron_cluster.memory.shared.commands import ErrorCode

if TYPE_CHECKING:
    from aeron_cluster.driver.clients import commands
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.streams.driver_counters import DriverCounters
    from aeron_cluster.memory.system.seams import Clock

__all__ = ["DriverClients"]


class DriverClients:
    """Manages each client from its first add command until it is closed or times out.

    Parameters
    ----------
    counters : DriverCounters
    proxy : ClientProxy
        Notified of the results.
    clock : Clock
    timeout_ns : int
        After how long without a heartbeat a client is dead, in ns.

    Attributes
    ----------
    by_id : dict of int to DriverClient
    """

    def __init__(
        self, counters: DriverCounters, proxy: ClientProxy, clock: Clock, timeout_ns: int
    ) -> None:
        self._counters = counters
        self._proxy = proxy
        self._clock = clock
        self._timeout_ns = timeout_ns
        self.by_id: dict[int, DriverClient] = {}
        self._static_counters: dict[tuple[int, int], int] = {}

    def get_or_add(self, client_id: int) -> DriverClient:
        """Return the client, which is created with its first resource."""
        client = self.by_id.get(client_id)
        if client is None:
            client = DriverClient(
                client_id, self._counters, self._timeout_ns, self._clock.nano_time()
            )
            self.by_id[client_id] = client
            self._proxy.on_counter_ready(client_id, client.heartbeat_counter_id)
        return client

    def forget(self, client: DriverClient) -> None:
        """Free the counters of a client that closed or timed out."""
        del self.by_id[client.client_id]
        for registration_id, counter_id in client.counter_ids.items():
            self._proxy.on_unavailable_counter(registration_id, counter_id)
            self._counters.free(counter_id)
        self._proxy.on_unavailable_counter(client.client_id, client.heartbeat_counter_id)
        self._counters.free(client.heartbeat_counter_id)

    def on_add_counter(self, command: commands.AddCounter) -> None:
        """Create a counter of a client, freed with it."""
        client = self.get_or_add(command.client_id)
        counter_id = self._counters.allocate(
            command.type_id,
            command.key,
            command.label.decode("ascii", "replace"),
            registration_id=command.correlation_id,
            owner_id=command.client_id,
        )
        client.counter_ids[command.correlation_id] = counter_id
        self._proxy.on_counter_ready(command.correlation_id, counter_id)

    def on_add_static_counter(self, command: commands.AddStaticCounter) -> None:
        """Create a static counter, or return the existing one."""
        key = (command.type_id, command.registration_id)
        counter_id = self._static_counters.get(key)
        if counter_id is None:
            other = self._counters.manager.find(command.type_id, command.registration_id)
            if other is not None:
                # As in upstream, only the client is notified.
                self._proxy.on_error(
                    command.correlation_id,
                    ErrorCode.ERROR_GENERIC,
                    "cannot add static counter, because a non-static counter exists "
                    f"(counterId={other}) for typeId={command.type_id} and "
                    f"registrationId={command.registration_id}",
                )
                return
            self.get_or_add(command.client_id)
            counter_id = self._counters.allocate(
                command.type_id,
                command.key,
                command.label.decode("ascii", "replace"),
                registration_id=command.registration_id,
            )
            self._static_counters[key] = counter_id
        self._proxy.on_static_counter(command.correlation_id, counter_id)

    def on_remove_counter(self, command: commands.RemoveCounter) -> None:
        """Free a counter of a client."""
        for client in self.by_id.values():
            counter_id = client.counter_ids.pop(command.registration_id, None)
            if counter_id is not None:
                self._proxy.on_operation_success(command.correlation_id)
                self._proxy.on_unavailable_counter(command.registration_id, counter_id)
                self._counters.free(counter_id)
                return
        raise CommandError(
            f"unknown counter: {command.registration_id}", ErrorCode.ERROR_UNKNOWN_COUNTER
        )
