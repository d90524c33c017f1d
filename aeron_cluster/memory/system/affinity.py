"""The processors and the name of a thread."""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from aeron_cluster.config import parse_digits
from aeron_cluster.errors import ConfigurationError

__all__ = ["available_cpus", "check_cpus", "name_thread", "parse_cpus", "pin_thread"]

# The largest CONFIG_NR_CPUS of Linux, and so the longest mask of processors, on any architecture.
_CPU_LIMIT: Final = 8192


def parse_cpus(text: str) -> frozenset[int]:
    """Return the processors in a list like ``0,2-3``.

    Raises
    ------
    ConfigurationError
        It is not such a list, a range of it ends before it begins, or it has a number above 8191:
        no Linux kernel can be built for more than 8192 processors.
    """
    found: set[int] = set()
    for part in text.split(","):
        begin, dash, end = part.strip().partition("-")
        first, last = parse_digits(begin), parse_digits(end if dash else begin)
        if first is None or last is None:
            raise ConfigurationError("cpus", "a list such as 0,2-3", text)
        if max(first, last) >= _CPU_LIMIT:
            raise ConfigurationError("cpus", f"processors below {_CPU_LIMIT}", text)
        if first > last:
            raise ConfigurationError("cpus", "ranges from a lower processor to a higher one", text)
        found.update(range(first, last + 1))
    return frozenset(found)


def available_cpus(
    allowed: Iterable[int] | None = None, root: Path = Path("/sys/devices/system/cpu")
) -> list[int]:
    """Return the processors to pin threads to, the most suitable first.

    Isolated processors come before all others, one hardware thread of each core before the second
    ones, and the first processor, which does most of the kernel's work, as late as possible.

    Parameters
    ----------
    allowed : iterable of int, optional
        The processors to choose from; by default all that this process may use.
    root : Path
        The system's directory of processors.
    """
    cpus = sorted(os.sched_getaffinity(0) if allowed is None else allowed)

    def listed(path: Path) -> frozenset[int]:
        text = path.read_text().strip() if path.exists() else ""
        return parse_cpus(text) if text else frozenset()

    isolated = listed(root / "isolated")

    def rank(cpu: int) -> tuple[bool, int, bool, int]:
        siblings = listed(root / f"cpu{cpu}" / "topology" / "thread_siblings_list") or {cpu}
        return cpu not in isolated, sorted(siblings).index(cpu), cpu == 0, cpu

    return sorted(cpus, key=rank)


def pin_thread(cpus: Iterable[int]) -> None:
    """Pin the calling thread to some processors.

    Parameters
    ----------
    cpus : iterable of int
        The processor numbers.

    Raises
    ------
    ConfigurationError
        The process may not use one of them, or the system cannot pin.
    """
    wanted = frozenset(cpus)
    check_cpus(wanted)
    os.sched_setaffinity(0, wanted)


def check_cpus(cpus: Iterable[int]) -> None:
    """Reject processors that `pin_thread` would reject, before there is a thread to pin.

    Raises
    ------
    ConfigurationError
        As for `pin_thread`.
    """
    wanted = frozenset(cpus)
    if sys.platform != "linux":
        raise ConfigurationError("cpus", "no pinning on this system", sorted(wanted))
    allowed = os.sched_getaffinity(os.getpid())
    if not wanted or not wanted <= allowed:
        raise ConfigurationError("cpus", f"some of {sorted(allowed)}", sorted(wanted))


def name_thread(name: str) -> None:
    """Set the name of the calling thread to the first 15 bytes, for `top` and debuggers."""
    if sys.platform == "linux":
        set_name = 15  # PR_SET_NAME
        ctypes.CDLL(None).prctl(set_name, name.encode()[:15], 0, 0, 0)
