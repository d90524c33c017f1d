"""``aeron-cluster sim``."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.options.durations import Seconds
from aeron_cluster.cli.sim.campaign import run_seeds
from aeron_cluster.cli.sim.record import Record, RunInProgress, Tally
from aeron_cluster.cli.sim.steering import read_weights, steered
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.seams import SystemClock, SystemRandom
from aeron_cluster.simulator.trials.check import describe_failure, replay_command
from aeron_cluster.simulator.trials.other_hashes import OtherHashes
from aeron_cluster.simulator.trials.outcome import Outcome
from aeron_cluster.simulator.trials.settings import DRAWS, MAX_DRAWS, Settings
from aeron_cluster.simulator.trials.shrinking import shrink
from aeron_cluster.simulator.trials.trial import run_trial

__all__ = ["sim"]

_S: Final = 1_000_000_000
_SEED_BITS: Final = 32
_MAKE_LOAD: Final = "make_load"
_BYTES: Final = "bytes"
_HOW_TO_LOAD: Final = """\
Clients send random bytes: {module} has no make_load. To send requests in a format, define it:

    from aeron_cluster.simulator import Load

    class Orders(Load):
        # is_surviving = True      for a service that uses Deduplication
        # is_answered_once = True  for one that promises an answer to each request
        due_ns = 0

        def next_request(self, now_ns):
            if now_ns < self.due_ns:
                return None
            self.due_ns = now_ns + 50_000_000  # in ns: twenty a second
            return b"what a client of yours sends"

    def make_load(number, random):
        return Orders()

See docs/simulator.md.
"""


@click.command()
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="module:Class",
    help="Your service; may be repeated. By default, one with checked answers.",
)
@click.option(
    "--load",
    metavar="module:function",
    help="A function that returns a client's Load, from its number and a Random. By default"
    " make_load of the first service's module; without one, or with bytes, random bytes.",
)
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    metavar="module:Class",
    help="An exception that callbacks of your service may raise, as builtins:ValueError; may be"
    " repeated.",
)
@click.option(
    "--seeds",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of seeds.",
)
@click.option("--first", type=int, help="The first seed; by default random, or the record's next.")
@click.option("--seed", type=int, help="Run only this seed, and print its events.")
@click.option("--trace", is_flag=True, help="With --seed: print services' events and counts.")
@click.option(
    "--members",
    default=0,
    show_default=True,
    type=click.IntRange(0, 7),
    help="Number of members; 0: drawn by the seed, 1 to 5, mostly 3, or 7.",
)
@click.option(
    "--draws",
    default=DRAWS,
    show_default=True,
    type=click.IntRange(1, MAX_DRAWS),
    help="1: before seeds drew members, services and types of clients; 2: before sessions closed;"
    " 3: before something was lost in the end; 4: before elections were struck; 5: before logs"
    " were lost; 6: before members were killed in their snapshots; 7: before clients were given"
    " one member's endpoint; 8: before seeds of consensus had surviving clients;"
    " 10: before sessions timed out one after the other; 11: before sessions were limited, and"
    " requests rejected; 12: before clients were superseded.",
)
@click.option("--alone", is_flag=True, help="Make each member a separate cluster.")
@click.option(
    "--mode",
    default="whole",
    show_default=True,
    type=click.Choice(["whole", "consensus"]),
    help="All faults under load, or faults of elections and recovery with little load.",
)
@click.option(
    "--seconds",
    type=Seconds(0.001, 86400),
    help="Virtual time with faults; by default the mode's (30, or 6).",
)
@click.option("--minutes", type=Seconds(0.01, 10_000), help="Run new seeds for this many minutes.")
@click.option(
    "--steer",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="For every second run, choose of four seeds the one whose faults reached rare code before,"
    " by weights from FILE.",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="Number of processes; by default one for each core."
)
@click.option("--shrink/--no-shrink", "is_shrunk", default=True, help="Shrink failing plans.")
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File to which a row for the run is added, with the commit; it is written every 200 seeds"
    " and every minute.",
)
def sim(
    services: tuple[str, ...],
    load: str | None,
    allowed: tuple[str, ...],
    seeds: int,
    first: int | None,
    seed: int | None,
    trace: bool,
    members: int,
    draws: int,
    alone: bool,
    mode: str,
    seconds: float | None,
    minutes: float | None,
    steer: Path | None,
    jobs: int | None,
    is_shrunk: bool,
    is_json: bool,
    record: Path | None,
) -> None:
    """Run your service in simulated clusters under faults.

    Each seed is a separate cluster with drivers, archives, consensus modules, services and clients,
    in virtual time: networks with loss and delay, partitions, processes killed at any call,
    power failures, disks that fail or fill up, wrong clocks. Invariants are checked. The same seed
    repeats the same run, on any machine.

    Your services are checked too: no callback may raise or read a clock, all members must have the
    same effects, and recovery from a snapshot and replay of the log must produce the same state. A
    failure is reported with callback, line, log position, member, and the command to repeat it.

    Exit codes: 0 if all invariants hold, 1 if one is violated, 2 for a usage error.

    \b
    Examples:
      aeron-cluster sim --seeds 1000
      aeron-cluster sim --service my_service:MyService --load my_service:make_load --minutes 5
      aeron-cluster sim --service my_service:MyService --seed 4711 --trace
    """  # noqa: D301 - \b is click's mark
    console = Console(highlight=False, soft_wrap=True, stderr=is_json)
    try:
        settings = _settings(services, load, mode, members, draws, seconds, allowed, is_alone=alone)
        weights = None if steer is None else read_weights(steer, mode)
        book = None if record is None else Record(record)
    except ConfigurationError as error:
        fail(error)
    if seed is not None:
        with _quiet():
            outcome = _run_one(console, seed, settings, is_shrunk=is_shrunk, is_traced=trace)
        tally = Tally()
        tally.add(outcome)
        if is_json:
            click.echo(json.dumps(_summary(tally, settings)))
        sys.exit(ExitCode.NO if tally.failures else 0)
    if first is None:
        first = book.next_seed(mode) if book else SystemRandom().next() % (1 << _SEED_BITS)
    numbers: Iterable[int] = itertools.count(first)
    if weights is not None:
        numbers = steered(numbers, settings, weights)
    count = seeds if minutes is None else None
    row = None
    if book is not None:
        row = RunInProgress(book, _commit(), mode, SystemClock().nano_time())
    with _ended_by_sigterm():
        tally, is_interrupted = _run_many(console, numbers, count, settings, jobs, minutes, row)
    _print_tally(console, tally, settings, is_shrunk=is_shrunk)
    if is_json:
        click.echo(json.dumps(_summary(tally, settings)))
    if is_interrupted:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.NO if tally.failures else 0)


def _settings(
    services: tuple[str, ...],
    load: str | None,
    mode: str,
    members: int,
    draws: int,
    seconds: float | None,
    allowed: tuple[str, ...],
    *,
    is_alone: bool,
) -> Settings:
    given: dict[str, Any] = {"is_joined": not is_alone}
    if members:
        given["members"] = members
    if seconds is not None:
        given["duration_ns"] = int(seconds * _S)
    if services:
        given["services"] = tuple(_named(each, "--service") for each in services)
        for each, made in zip(services, given["services"], strict=True):
            if not (isinstance(made, type) and issubclass(made, ClusteredService)):
                raise ConfigurationError("--service", "a class derived from ClusteredService", each)
        given["is_judged"] = True
        given["allowed"] = tuple(_exception(each) for each in allowed)
        if load is None:
            module = given["services"][0].__module__
            if hasattr(importlib.import_module(module), _MAKE_LOAD):
                load = f"{module}:{_MAKE_LOAD}"
            else:
                click.echo(_HOW_TO_LOAD.format(module=module), err=True)
        elif load == _BYTES:
            load = None
    elif allowed:
        raise ConfigurationError("--allow", "a --service that raises it", allowed[0])
    if load is not None:
        given["make_load"] = _named(load, "--load")
    return Settings.of(mode, draws=draws, **given)


def _exception(what: str) -> type[BaseException]:
    made = _named(what, "--allow")
    if not (isinstance(made, type) and issubclass(made, BaseException)):
        raise ConfigurationError("--allow", "an exception's class", what)
    return made


def _named(what: str, option: str) -> Any:  # noqa: ANN401 - whatever the name means
    place, colon, name = what.partition(":")
    if not colon or not place or not name:
        raise ConfigurationError(option, "module:name", what)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(importlib.import_module(place), name)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(option, "a name that Python finds", what, str(error)) from error


def _run_one(
    console: Console, seed: int, settings: Settings, *, is_shrunk: bool, is_traced: bool
) -> Outcome:
    with OtherHashes() as hashes:
        outcome = run_trial(seed, settings, other_hashes=hashes)
    console.print(str(outcome.plan), markup=False)
    console.print(
        f"seed {seed}: {outcome.virtual_ns / _S:.3f} s of virtual time, trace {outcome.trace:016x}"
    )
    if is_traced:
        for name, count in sorted(outcome.counts.items()):
            console.print(f"  {name}: {count}", markup=False)
    if outcome.is_good:
        console.print("all held")
        return outcome
    return _explain(console, outcome, settings, is_shrunk=is_shrunk)


def _run_many(
    console: Console,
    seeds: Iterable[int],
    count: int | None,
    settings: Settings,
    jobs: int | None,
    minutes: float | None,
    row: RunInProgress | None,
) -> tuple[Tally, bool]:
    """Run so many seeds, or for so many minutes, and record those up to the first that is left.

    Returns
    -------
    Tally
        The results of these.
    bool
        Whether some are left, by Ctrl-C or SIGTERM.
    """
    jobs = jobs or len(os.sched_getaffinity(0))
    clock = SystemClock()
    began_ns = clock.nano_time()
    end_ns = began_ns + int((minutes or 0) * 60 * _S)

    begun: list[int] = []

    def numbers() -> Iterator[int]:
        for seed in itertools.islice(seeds, count):
            if minutes is not None and clock.nano_time() >= end_ns:
                return
            if not begun:
                console.print(f"seeds from {seed}", highlight=False)
            begun.append(seed)
            yield seed

    tally = Tally()
    ended: dict[int, Outcome] = {}
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    is_interrupted = False
    with bar:
        task = bar.add_task("seeds", total=count)
        try:
            for outcome in run_seeds(numbers(), settings, jobs=jobs):
                # In their order: the next record begins after the last one.
                ended[outcome.seed] = outcome
                while tally.count < len(begun) and begun[tally.count] in ended:
                    tally.add(ended.pop(begun[tally.count]))
                if row is not None:
                    row.update(begun, tally, clock.nano_time())
                failed = f", {len(tally.failures)} failed" if tally.failures else ""
                bar.update(task, advance=1, description=f"seeds{failed}")
        except KeyboardInterrupt:
            is_interrupted = True
    if row is not None:
        row.write(begun, tally)
    took_s = (clock.nano_time() - began_ns) / _S
    virtual_s = tally.virtual_ns / _S
    console.print(
        f"{tally.count} seeds, {virtual_s / 3600:.2f} h of virtual time in {took_s:.0f} s"
        f" ({virtual_s / max(took_s, 1e-9) / jobs:.0f} times real time a core, on {jobs}):"
        f" {tally.counts['requests']:,} requests, {tally.counts['processes']:,} processes,"
        f" {len(tally.failures)} failed"
    )
    if is_interrupted:
        left = [*begun[tally.count :], *itertools.islice(seeds, 1)]
        console.print(f"interrupted: seeds from {left[0]} on are left")
    return tally, is_interrupted


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Handle SIGTERM as Ctrl-C: what is done is recorded."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Do not print the log messages that faults cause."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _print_tally(console: Console, tally: Tally, settings: Settings, *, is_shrunk: bool) -> None:
    kinds: dict[str, Outcome] = {}
    for outcome in tally.failures:
        console.print(f"seed {outcome.seed}: {outcome.found or outcome.failure}", markup=False)
        kinds.setdefault(outcome.invariant, outcome)
    for outcome in kinds.values():
        if outcome.virtual_ns > 0:  # 0 if its process died
            with _quiet():
                _explain(console, outcome, settings, is_shrunk=is_shrunk)


def _explain(console: Console, outcome: Outcome, settings: Settings, *, is_shrunk: bool) -> Outcome:
    if is_shrunk:
        with OtherHashes() as hashes:
            outcome = shrink(outcome, settings, other_hashes=hashes)
    console.print(f"\n{describe_failure(outcome, settings)}", markup=False)
    return outcome


def _summary(tally: Tally, settings: Settings) -> dict[str, object]:
    """Return a summary of the runs as an object for JSON."""
    return {
        "seeds": tally.count,
        "virtual_seconds": tally.virtual_ns / _S,
        "counts": dict(tally.counts),
        "failures": [
            {
                "seed": each.seed,
                "invariant": each.invariant,
                "failure": each.found or each.failure,
                "again": replay_command(each.seed, settings),
                "hint": each.hint,
                "place": None if each.place is None else asdict(each.place),
            }
            for each in tally.failures
        ],
    }


def _commit() -> str:
    git = shutil.which("git")
    if git is None:
        return os.environ.get("GITHUB_SHA", "unknown")[:7]
    found = subprocess.run(  # noqa: S603 - a fixed command
        [git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"
