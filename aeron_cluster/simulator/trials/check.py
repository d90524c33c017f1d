"""Check a service in simulated clusters, for tests; and the command that repeats a seed."""

from __future__ import annotations

import importlib
import logging
import shlex
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import ConfigurationError, FailedSeedError
from aeron_cluster.simulator.trials.other_hashes import OtherHashes
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.shrinking import shrink
from aeron_cluster.simulator.trials.trial import run_trial

if TYPE_CHECKING:
    from aeron_cluster.simulator.trials.outcome import Outcome
    from aeron_cluster.simulator.trials.settings import LoadMaker

__all__ = ["check", "describe_failure", "replay_command"]

_SEEDS: Final = 10
_MAX_RUNS: Final = 8
_S: Final = 1_000_000_000

ServiceFactory = Callable[[], ClusteredService]


def check(
    service: ServiceFactory | Sequence[ServiceFactory],
    *,
    seeds: int | Iterable[int] = _SEEDS,
    load: LoadMaker | None = None,
    allowed: Sequence[type[BaseException]] = (),
    members: int = 0,
    seconds: float | None = None,
    max_runs: int = _MAX_RUNS,
) -> tuple[Outcome, ...]:
    """Run a service in simulated clusters with all faults; raise an error for a violation.

    Parameters
    ----------
    service : callable or sequence of callables
        The factory of a service, usually its class. It should be defined in a module: one local to
        a function is, with a warning, not compared with itself in a process with other string
        hashes.
    seeds : int or iterable of int
        The number of seeds, from 1, or the seeds. A seed always repeats the same run.
    load : callable, optional
        Creates a `Load` from a client's number and a `Random`. By default clients send seeded
        bytes, as surviving clients if the service uses `Deduplication`.
    allowed : sequence of type
        Exceptions that callbacks may raise: the message counts as applied, on all members.
    members : int
        The number of members; with 0 the seed decides: 1 to 5, mostly 3.
    seconds : float, optional
        The virtual time with faults; by default 27 s.
    max_runs : int
        The highest number of runs for removing unneeded faults from a failing seed.

    Returns
    -------
    tuple of Outcome
        The outcome of each run, with ``counts["requests"]`` and others.

    Raises
    ------
    FailedSeedError
        A seed failed; its text has service, callback, file and line, log position and member, and
        the command that repeats it. An `AssertionError`.
    ConfigurationError
        There is no seed, or a value is out of range.

    Examples
    --------
    >>> def test_orders_survive():  # doctest: +SKIP
    ...     check(Orders, load=make_load, seeds=20)
    """
    factories = (service,) if callable(service) else tuple(service)
    numbers = range(1, seeds + 1) if isinstance(seeds, int) else tuple(seeds)
    if not numbers:
        raise ConfigurationError("seeds", "one at least", seeds)
    duration: dict[str, Any] = {} if seconds is None else {"duration_ns": int(seconds * _S)}
    settings = Settings.of(
        "whole",
        services=factories,
        make_load=load,
        members=members,
        allowed=tuple(allowed),
        is_judged=True,
        **duration,
    )
    for each in factories:
        if not OtherHashes.can_run(each):
            warnings.warn(
                f"{each!r} is not compared with itself in a process with other hashes, which cannot"
                " import it: define it in a module",
                stacklevel=2,
            )
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # components log many expected errors under faults
    try:
        with OtherHashes() as hashes:
            hashes.start()
            outcomes = []
            for seed in numbers:
                outcome = run_trial(seed, settings, other_hashes=hashes)
                if not outcome.is_good:
                    if max_runs > 0:
                        outcome = shrink(outcome, settings, max_runs=max_runs, other_hashes=hashes)
                    raise FailedSeedError(
                        seed,
                        outcome.invariant,
                        describe_failure(outcome, settings),
                        outcome.place,
                    )
                outcomes.append(outcome)
    finally:
        logging.disable(before)
    return tuple(outcomes)


def describe_failure(outcome: Outcome, settings: Settings) -> str:
    """Describe a failure and its place, with the command that repeats it.

    Parameters
    ----------
    outcome : Outcome
        The failed outcome.
    settings : Settings
    """
    lines = [f"seed {outcome.seed} failed: {outcome.found or outcome.failure}"]
    if outcome.place is not None:
        lines.append(f"service {outcome.place.service}; violated: {outcome.invariant}")
    lines.append(f"repeat with: {replay_command(outcome.seed, settings)}")
    if outcome.hint:
        lines.append(outcome.hint)
    if outcome.detail:
        lines.append(outcome.detail)
    if outcome.plan.events:
        lines += ["with these events:", str(outcome.plan)]
    else:
        lines.append("it fails without any fault")
    return "\n".join(lines)


def replay_command(seed: int, settings: Settings) -> str:
    """Return the command that repeats a seed.

    Parameters
    ----------
    seed : int
    settings : Settings
    """
    default = Settings.of(settings.mode, draws=settings.draws)
    parts = ["aeron-cluster", "sim"]
    if settings.mode != "whole":
        parts += ["--mode", settings.mode]
    if settings.draws != Settings.of("whole").draws:
        parts += ["--draws", str(settings.draws)]
    if settings.services != default.services:
        names = [_name_of(each) for each in settings.services]
        if None in names:
            return f"check(..., seeds=[{seed}])"
        for name in names:
            parts += ["--service", str(name)]
    if settings.make_load is not default.make_load:
        name = _name_of(settings.make_load)
        if name is None:
            return f"check(..., seeds=[{seed}])"
        parts += ["--load", name]
    elif settings.is_judged:
        parts += ["--load", "bytes"]
    for each in settings.allowed:
        parts += ["--allow", f"{each.__module__}:{each.__qualname__}"]
    if settings.members != default.members:
        parts += ["--members", str(settings.members)]
    if settings.duration_ns != default.duration_ns:
        parts += ["--seconds", f"{settings.duration_ns / _S:g}"]
    if not settings.is_joined:
        parts.append("--alone")
    return shlex.join([*parts, "--seed", str(seed)])


def _name_of(made: object) -> str | None:
    """Return the name by which the command can import an object, or None."""
    module = getattr(made, "__module__", None)
    name = getattr(made, "__qualname__", None)
    if not module or not name or module == "__main__" or "." in name:
        return None
    found = getattr(importlib.import_module(module), name, None)
    return f"{module}:{name}" if found is made else None
