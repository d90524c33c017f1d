"""The processor of each spinning thread, chosen from those of the machine.

Threads belong to groups. On a machine with few processors the threads of a group, such as those of
a node, share one; groups share one only if there are fewer processors than groups. A thread with
its own processor spins; threads that share one yield.
"""

import contextlib
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MIN_CPUS = 2
Groups = Sequence[tuple[str, ...]]
APPEAR_S = 20.0


@dataclass(frozen=True)
class Layout:
    """The processor of each thread, by the thread's name."""

    cpu_of: dict[str, int]
    rest: frozenset[int]  # processors of the threads that do not spin

    def idle_of(self, *names: str) -> str:
        """Return the idle strategy of these threads: spin if each has its own processor."""
        others = [cpu for name, cpu in self.cpu_of.items() if name not in names]
        own = [self.cpu_of[name] for name in names]
        is_alone = len(set(own)) == len(own) and not set(own) & set(others)
        return "spin" if is_alone else "yield"

    def __str__(self) -> str:
        return ", ".join(f"{name} on {cpu}" for name, cpu in self.cpu_of.items())


def lay_out(groups: Groups, cpus: Sequence[int], optional: Sequence[str] = ()) -> Layout:
    """Give each thread a processor.

    Parameters
    ----------
    groups : sequence of tuple of str
        Names of threads.
    cpus : sequence of int
        At least two, the best first.
    optional : sequence of str
        Threads that spin if a processor remains for them, and sleep otherwise.

    Raises
    ------
    ValueError
        There are too few processors, or one occurs twice.
    """
    if len(set(cpus)) < MIN_CPUS or len(set(cpus)) < len(cpus):
        raise ValueError(f"cpus: expected {MIN_CPUS} or more different ones, found {list(cpus)}")
    names = [name for group in groups for name in group]
    if len(cpus) >= len(names):
        cpu_of = dict(zip(names, cpus, strict=False))
        left = cpus[len(names) :]
        cpu_of |= dict(zip(optional, left, strict=False))
    else:
        cpu_of = {
            name: cpus[index % len(cpus)] for index, group in enumerate(groups) for name in group
        }
    # Garbage collectors and compilers run on other processors than the spinning threads, if
    # possible.
    return Layout(cpu_of, frozenset(cpus) - set(cpu_of.values()) or frozenset(cpus))


def threads_of(pid: int) -> dict[int, str]:
    """Return the names of a process's threads, by their ids."""
    found = {}
    for folder in Path(f"/proc/{pid}/task").iterdir():
        try:
            found[int(folder.name)] = (folder / "comm").read_text().rstrip("\n")
        except FileNotFoundError:
            continue  # the process has ended
    return found


def pin(pid: int, layout: Layout, patterns: dict[str, str]) -> None:
    """Pin the named threads of a process to their processors, all others to the remaining ones.

    A thread without a name of its own has its parent's name and is pinned like it.

    Parameters
    ----------
    pid : int
    layout : Layout
    patterns : dict
        The pattern of each spinning thread's name in the system, by its name in the layout.

    Raises
    ------
    LookupError
        No thread with such a name appeared before the timeout.
    """
    deadline = time.monotonic() + APPEAR_S
    while True:
        threads = threads_of(pid)
        missing = {
            name: pattern
            for name, pattern in patterns.items()
            if not any(re.match(pattern, comm) for comm in threads.values())
        }
        if not missing:
            break
        if time.monotonic() > deadline:
            raise LookupError(
                f"process {pid}: expected threads {missing}, found {sorted(threads.values())}"
            )
        time.sleep(0.005)
    for tid, comm in threads.items():
        cpus = {
            layout.cpu_of[name] for name, pattern in patterns.items() if re.match(pattern, comm)
        }
        # The thread may have ended meanwhile; the spinning ones are checked below.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(tid, cpus or layout.rest)
    for name, pattern in patterns.items():
        pinned = [tid for tid, comm in threads.items() if re.match(pattern, comm)]
        if not any(os.sched_getaffinity(tid) == {layout.cpu_of[name]} for tid in pinned):
            raise LookupError(f"process {pid}: {name} is not on processor {layout.cpu_of[name]}")
