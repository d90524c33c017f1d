"""A client that is killed within a claim of the ingress that it shares with other clients.

The claim blocks what the others send. The driver must complete it by padding after its timeout,
whatever the client had done: moved the tail alone, or written a header, in the middle of a term or
at its end. That timeout is shorter than the one of sessions here, so that the others keep theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.session_limits import max_sessions_of
from aeron_cluster.simulator.clients.quiet_client import RareReads
from aeron_cluster.simulator.clients.sharing_client import SharingClient
from aeron_cluster.simulator.endings.conditions import is_quiet
from aeron_cluster.simulator.world.plain_log import (
    PUBLISHER_LIMIT,
    ClaimStep,
    PlainLog,
    latest_stream,
)

if TYPE_CHECKING:
    from aeron_cluster.simulator.clients.sharing_client import SharedDriver
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["OpenClaim", "draw_open_claim", "kill_within_claim"]

_S: Final = 1_000_000_000
_SALT: Final = 0x09E7C1A2
_ONE_IN: Final = 4
_MOST_CLIENTS: Final = 3
_FEWEST_CLIENTS: Final = 2
_FIRST_CLIENT: Final = 5000  # of loads: others have smaller numbers
_LONGEST: Final = 1024  # less than the default MTU
_INGRESS_STREAM: Final = 101
_READS_APART_NS: Final = _S // 10
_TIMEOUT_NS: Final = 60 * _S
# Of the driver: together, and with the time between two requests, less than that of sessions.
_LIVENESS_NS: Final = 4 * _S
_UNBLOCK_NS: Final = 6 * _S
_TIMER_NS: Final = _S // 2
_STEPS: Final = (ClaimStep.ADDED, ClaimStep.ADDED, ClaimStep.BEGUN, ClaimStep.CLAIMED)


@dataclass(frozen=True, kw_only=True)
class OpenClaim:
    """A claim that is left open.

    Parameters
    ----------
    step : ClaimStep
    length : int
        Of the claimed payload, in bytes.
    is_at_end : bool
        Whether the frame does not fit in its term.
    speedup : int
        The factor by which timeouts are shorter.
    """

    step: ClaimStep
    length: int
    is_at_end: bool
    speedup: int = 1

    @property
    def timeouts(self) -> dict[str, int]:
        """The timeouts of the clients' driver, in ns."""
        return {
            "client_liveness_timeout_ns": _LIVENESS_NS // self.speedup,
            "publication_unblock_timeout_ns": _UNBLOCK_NS // self.speedup,
            "timer_interval_ns": _TIMER_NS // self.speedup,
        }

    @property
    def completion_ns(self) -> int:
        """The longest time until it must be completed, in ns."""
        return (_UNBLOCK_NS + 3 * _TIMER_NS) // self.speedup


def draw_open_claim(seed: int, speedup: int = 1) -> OpenClaim | None:
    """Draw a claim that is left open in one run of four; None in the others.

    Parameters
    ----------
    seed : int
        The seed of the run.
    speedup : int
        As of `OpenClaim`.
    """
    random = SeededRandom(seed ^ _SALT)
    if random.below(_ONE_IN):
        return None
    return OpenClaim(
        step=_STEPS[random.below(len(_STEPS))],
        length=1 + random.below(_LONGEST),
        is_at_end=random.below(2) == 0,
        speedup=speedup,
    )


def kill_within_claim(host: RunHost, claim: OpenClaim) -> None:
    """Kill one of two or three clients that share a driver within a claim: the others must go on.

    There are as many as members have sessions for, besides those of the run; nothing is done
    without a place for two.

    Parameters
    ----------
    host : RunHost
        A run whose cluster is at rest.
    claim : OpenClaim

    Raises
    ------
    InvariantError
    TimeoutExpiredError
    """
    cluster = host.cluster
    places = max_sessions_of(cluster) - len(cluster.everyone)
    if places < _FEWEST_CLIENTS:
        return
    host.on_step("clients that share a driver have sessions")
    shared = cluster.add_shared_driver(claim.timeouts)
    random = SeededRandom(cluster.seed ^ _SALT)
    clients = [
        SharingClient(
            cluster,
            number,
            shared,
            load=RareReads(_FIRST_CLIENT + number, random.split(), _READS_APART_NS),
        )
        for number in range(min(places, _MOST_CLIENTS))
    ]
    for client in clients:
        client.start()
    host.await_until(lambda: all(each.responses for each in clients), _TIMEOUT_NS)
    host.on_step("one of them claims space")
    claims: list[tuple[int, int]] = []
    host.await_until(lambda: _claims(shared, claim, claims), _TIMEOUT_NS)
    ended, *others = clients
    ended.kill()
    host.on_step("the driver completes the claim of a client that was killed")
    host.await_until(lambda: _is_completed(shared, *claims[0]), claim.completion_ns)
    host.on_step("clients that share a driver with one that was killed are answered")
    counts = [len(each.responses) for each in others]
    host.await_until(
        lambda: all(len(each.responses) > n for each, n in zip(others, counts, strict=True)),
        _TIMEOUT_NS,
    )
    for client in others:
        if client.session_count > 1:
            raise InvariantError(
                "clients keep their sessions", f"{client} has its session {client.session_count}"
            )
        client.close()
    shared.close()
    host.on_step("members come to the same position without these clients")
    host.await_until(lambda: is_quiet(cluster), _TIMEOUT_NS)


def _claims(shared: SharedDriver, claim: OpenClaim, claims: list[tuple[int, int]]) -> bool:
    """Claim space as a client that is killed then; return whether it does."""
    stream = latest_stream(shared.driver.counters.counters(PUBLISHER_LIMIT), _INGRESS_STREAM)
    if stream is None:
        return False
    with PlainLog(shared.machine.files, stream.registration_id) as log:
        position = log.leave_claim(
            claim.length, claim.step, stream.limit, is_at_end=claim.is_at_end
        )
    if position is not None:
        claims.append((stream.registration_id, position))
    return position is not None


def _is_completed(shared: SharedDriver, registration_id: int, position: int) -> bool:
    """Return whether a claim is completed."""
    with PlainLog(shared.machine.files, registration_id) as log:
        return log.length_at(position) > 0
