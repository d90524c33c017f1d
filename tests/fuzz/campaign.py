"""A campaign: inputs for all targets, in parts, by processes that may crash.

A part is a target, a seed and a number of inputs. It is repeated by these alone, so a part whose
process ended, by a sanitizer's report or by taking too long, is what is reported.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path

from tests.fuzz.target import Target

__all__ = ["Campaign", "Part", "Ran", "all_targets", "parts_of", "run_part", "serve", "totals"]

ROOT = Path(__file__).parents[2]
MODULES = (
    "messages",
    "texts",
    "datagrams",
    "commands",
    "archive",
    "cluster",
    "files",
    "access",
    "payloads",
)
# Inputs of a part of the largest share; of smaller shares in proportion.
_PART = 20_000
_LARGEST_SHARE = 16
WORKER = (sys.executable, "-m", "tests.fuzz", "--worker")


@dataclass(frozen=True)
class Part:
    """Some inputs of a target.

    Attributes
    ----------
    target : str
    seed : int
    count : int
    """

    target: str
    seed: int
    count: int


@dataclass
class Ran:
    """What a part had.

    Attributes
    ----------
    part : Part
    accepted, rejected : int
    seconds : float
        The processor time.
    findings : dict of str to str
        Errors that are not typed, by their place.
    crash : str
        How the process ended, if it did.
    """

    part: Part
    accepted: int = 0
    rejected: int = 0
    seconds: float = 0.0
    findings: dict[str, str] = field(default_factory=dict)
    crash: str = ""

    @property
    def is_good(self) -> bool:
        """Whether nothing was found."""
        return not self.findings and not self.crash


def all_targets(modules: Iterable[str] = MODULES) -> dict[str, Target]:
    """Return the targets by name."""
    found: dict[str, Target] = {}
    for module in modules:
        for target in import_module(f"tests.fuzz.targets.{module}").TARGETS:
            assert target.name not in found, target.name
            found[target.name] = target
    return found


def parts_of(
    targets: Sequence[Target], inputs: int, seed: int, known: Mapping[str, int] | None = None
) -> Iterator[Part]:
    """Divide inputs between targets by their shares, and each one's into parts, in turns.

    Parameters
    ----------
    targets : sequence of Target
    inputs : int
        The number for all.
    seed : int
        The first seed.
    known : mapping of str to int, optional
        How many inputs of each target were fed before, which count.
    """
    total = sum(each.share for each in targets)
    left = {
        each.name: max(-(-inputs * each.share // total) - (known or {}).get(each.name, 0), 0)
        for each in targets
    }
    while any(left.values()):
        for each in targets:
            count = min(left[each.name], max(_PART * each.share // _LARGEST_SHARE, 1))
            if count:
                left[each.name] -= count
                yield Part(each.name, seed, count)
        seed += 1_000_000


def run_part(targets: dict[str, Target], part: Part) -> Ran:
    """Run a part in this process."""
    begin = _processor_time()
    result = targets[part.target].run(part.seed, part.count)
    found = {place: each.text for place, each in result.findings.items()}
    seconds = _processor_time() - begin
    return Ran(part, result.accepted, result.rejected, round(seconds, 3), found)


def _processor_time() -> float:
    """Return the processor time of this process and of its children, in s."""
    return sum(os.times()[:4])


class _Worker:
    """A process that runs parts, one at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.part: Part | None = None
        self.began = 0.0

    def begin(self, part: Part) -> None:
        assert self.process.stdin is not None
        self.part, self.began = part, time.monotonic()
        self.process.stdin.write(json.dumps(asdict(part)) + "\n")
        self.process.stdin.flush()

    def end(self) -> Ran:
        """Read the result; without one the process has crashed."""
        assert self.process.stdout is not None
        assert self.part is not None
        line = self.process.stdout.readline()
        part, self.part = self.part, None
        if line:
            values = json.loads(line)
            return Ran(part, **{name: it for name, it in values.items() if name != "part"})
        code = self.process.wait()
        return Ran(part, crash=f"the process ended with {code}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Campaign:
    """Runs parts with several processes.

    Parameters
    ----------
    jobs : int
    limit_s : float
        The longest that a part may take, in s.
    on_ran : callable
        Called with each result.
    command : sequence of str
        Starts a process that calls `serve`.
    """

    def __init__(
        self,
        jobs: int,
        limit_s: float,
        on_ran: Callable[[Ran], None],
        command: Sequence[str] = WORKER,
    ) -> None:
        self._jobs = jobs
        self._command = command
        self._limit_s = limit_s
        self._on_ran = on_ran

    def run(self, parts: Iterable[Part]) -> None:
        """Run all parts."""
        left = iter(parts)
        workers: list[_Worker] = []
        with selectors.DefaultSelector() as selector:

            def start() -> None:
                part = next(left, None)
                if part is None:
                    return
                worker = _Worker(self._command)
                workers.append(worker)
                selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
                worker.begin(part)

            def drop(worker: _Worker) -> None:
                selector.unregister(worker.process.stdout)
                workers.remove(worker)
                worker.kill()

            try:
                for _ in range(self._jobs):
                    start()
                while workers:
                    for key, _ in selector.select(1.0):
                        worker = key.data
                        ran = worker.end()
                        self._on_ran(ran)
                        if ran.crash:
                            drop(worker)
                            start()
                        elif (part := next(left, None)) is not None:
                            worker.begin(part)
                        else:
                            drop(worker)
                    now = time.monotonic()
                    for worker in [each for each in workers if now - each.began > self._limit_s]:
                        assert worker.part is not None
                        self._on_ran(Ran(worker.part, crash=f"not within {self._limit_s:g} s"))
                        drop(worker)
                        start()
            finally:
                for worker in workers:
                    worker.kill()


def serve(targets: dict[str, Target] | None = None) -> None:
    """Run the parts that standard input names, until its end."""
    # What a parser prints must not be taken for a result.
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    targets = all_targets() if targets is None else targets
    for line in sys.stdin:
        ran = run_part(targets, Part(**json.loads(line)))
        results.write(json.dumps(asdict(ran)) + "\n")
        results.flush()


def totals(ran: Iterable[Ran]) -> dict[str, Counter[str]]:
    """Return the sums of each target."""
    found: dict[str, Counter[str]] = {}
    for each in ran:
        sums = found.setdefault(each.part.target, Counter())
        sums["inputs"] += each.accepted + each.rejected
        sums["accepted"] += each.accepted
        sums["milliseconds"] += round(1000 * each.seconds)
        sums["found"] += len(each.findings) + bool(each.crash)
    return found
