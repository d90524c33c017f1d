"""The result of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeron_cluster.errors import CallbackPlace
    from aeron_cluster.simulator.faults.fault_plan import FaultPlan

__all__ = ["Outcome"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a run.

    Parameters
    ----------
    seed : int
    plan : FaultPlan
    failure : str
        The violated invariant; empty if all hold.
    invariant : str
        The kind of the failure.
    detail : str
        The traceback, if an exception ended the run.
    trace : int
        The trace of the run: the same for the same seed and program.
    virtual_ns : int
        The virtual time of the run.
    counts : dict of str to int
        Counts: requests, answers, terms, processes, lost datagrams and so on.
    found : str
        The failure without the invariant's name, if the user's service failed.
    place : CallbackPlace or None
        The place in the service, then.
    hint : str
        A hint about possible causes outside the service.
    """

    seed: int
    plan: FaultPlan
    failure: str = ""
    invariant: str = ""
    detail: str = ""
    trace: int = 0
    virtual_ns: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    found: str = ""
    place: CallbackPlace | None = None
    hint: str = ""

    @property
    def is_good(self) -> bool:
        """Whether all invariants held."""
        return not self.failure
