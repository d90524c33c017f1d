"""The properties of a machine, read from system files: processors, clock, memory, limits."""

from __future__ import annotations

import os
import platform
import re
import socket  # noqa: TID251 - a datagram to itself, not of a driver
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.affinity import parse_cpus

__all__ = ["Machine", "SharedMemory", "loopback_problem"]

_CPU: Final = "sys/devices/system/cpu"
_CLOCK: Final = "sys/devices/system/clocksource/clocksource0"
_ISOLATING: Final = ("isolcpus", "nohz_full", "rcu_nocbs")
_PROBE: Final = b"aeron-cluster doctor"
_PROBE_TIMEOUT_S: Final = 0.5
_UNLIMITED: Final = -1


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """The file system of ``/dev/shm``, in bytes."""

    length: int
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The properties of a machine; those that the system does not show are empty or None.

    Parameters
    ----------
    model : str
        The model of the processor.
    cpus : tuple of int
        The processors that this process may use.
    cpu_quota : float, optional
        The number of processors that the control group may use on average.
    is_virtual, has_hardware_threads : bool
    governors : tuple of str
    isolated_cpus : frozenset of int
    isolating : str
        The isolating parameters of the kernel's command line.
    idle_driver : str
    clock_source : str
    clock_sources : tuple of str
        The available clock sources.
    mitigations : tuple of str
    transparent_huge_pages : str
    huge_pages : int, optional
    swap_kib : int
    receive_buffer_limit, send_buffer_limit : int, optional
        The longest socket buffers that a process may request, in bytes.
    open_files, locked_memory : tuple of int, optional
        The soft and the hard limit of this process; -1: none. Locked memory in bytes.
    shared_memory : SharedMemory, optional
    load : float
        The load average of the last minute.
    """

    model: str
    cpus: tuple[int, ...]
    cpu_quota: float | None
    is_virtual: bool
    has_hardware_threads: bool
    governors: tuple[str, ...]
    isolated_cpus: frozenset[int]
    isolating: str
    idle_driver: str
    clock_source: str
    clock_sources: tuple[str, ...]
    mitigations: tuple[str, ...]
    transparent_huge_pages: str
    huge_pages: int | None
    swap_kib: int
    receive_buffer_limit: int | None
    send_buffer_limit: int | None
    open_files: tuple[int, int] | None
    locked_memory: tuple[int, int] | None
    shared_memory: SharedMemory | None
    load: float

    @classmethod
    def read(cls, root: Path = Path("/")) -> Machine:
        """Read the properties of this machine.

        Parameters
        ----------
        root : Path
            Where ``proc``, ``sys`` and ``dev`` are.
        """
        info = _read(root / "proc/cpuinfo")
        memory = _read(root / "proc/meminfo")
        limits = _read(root / "proc/self/limits")
        model = re.search(r"(?m)^model name\s*:\s*(.*)$", info)
        weak = {path.name: _read(path) for path in sorted(root.glob(f"{_CPU}/vulnerabilities/*"))}
        governors = {
            _read(each) for each in root.glob(f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor")
        }
        arguments = _read(root / "proc/cmdline").split()
        return cls(
            model=model[1] if model else platform.machine(),
            cpus=_allowed_cpus(_read(root / "proc/self/status")),
            cpu_quota=_cpu_quota(root / "sys/fs/cgroup"),
            is_virtual=re.search(r"(?m)^flags\s*:.*\bhypervisor\b", info) is not None,
            has_hardware_threads=_read(root / f"{_CPU}/smt/active") == "1",
            governors=tuple(sorted(governors - {""})),
            isolated_cpus=_listed(_read(root / f"{_CPU}/isolated")),
            isolating=" ".join(each for each in arguments if each.split("=")[0] in _ISOLATING),
            idle_driver=_read(root / f"{_CPU}/cpuidle/current_driver"),
            clock_source=_read(root / f"{_CLOCK}/current_clocksource"),
            clock_sources=tuple(_read(root / f"{_CLOCK}/available_clocksource").split()),
            mitigations=tuple(
                f"{name}: {text}"
                for name, text in weak.items()
                if not text.startswith("Not affected")
            ),
            transparent_huge_pages=_chosen(
                _read(root / "sys/kernel/mm/transparent_hugepage/enabled")
            ),
            huge_pages=_number(memory, r"(?m)^HugePages_Total:\s*(\d+)$"),
            swap_kib=_number(memory, r"(?m)^SwapTotal:\s*(\d+) kB$") or 0,
            receive_buffer_limit=_number(_read(root / "proc/sys/net/core/rmem_max"), r"^(\d+)$"),
            send_buffer_limit=_number(_read(root / "proc/sys/net/core/wmem_max"), r"^(\d+)$"),
            open_files=_limit(limits, "Max open files"),
            locked_memory=_limit(limits, "Max locked memory"),
            shared_memory=_shared_memory(root / "dev/shm"),
            load=float((_read(root / "proc/loadavg").split() or ["0"])[0]),
        )


def _read(path: Path) -> str:
    """Return the content of a system file; empty if it does not exist."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _number(text: str, pattern: str) -> int | None:
    found = re.search(pattern, text)
    return int(found[1]) if found else None


def _chosen(text: str) -> str:
    """Return the choice in brackets in a list such as ``always [madvise] never``."""
    found = re.search(r"\[([\w-]+)\]", text)
    return found[1] if found else text


def _listed(text: str) -> frozenset[int]:
    try:
        return parse_cpus(text) if text else frozenset()
    except ConfigurationError:
        return frozenset()


def _allowed_cpus(status: str) -> tuple[int, ...]:
    found = re.search(r"(?m)^Cpus_allowed_list:\s*(\S+)$", status)
    return tuple(sorted(_listed(found[1]))) if found else tuple(range(os.cpu_count() or 1))


def _cpu_quota(group: Path) -> float | None:
    """Return the quota of the control group, in processors: version 2, then version 1."""
    quota, _, period = _read(group / "cpu.max").partition(" ")
    if not quota:
        quota = _read(group / "cpu/cpu.cfs_quota_us")
        period = _read(group / "cpu/cpu.cfs_period_us")
    if quota.isdecimal() and period.isdecimal() and int(period):
        return int(quota) / int(period)
    return None


def _limit(limits: str, name: str) -> tuple[int, int] | None:
    found = re.search(rf"(?m)^{name}\s+(\S+)\s+(\S+)", limits)
    if found is None:
        return None
    soft, hard = (_UNLIMITED if each == "unlimited" else int(each) for each in found.groups())
    return soft, hard


def _shared_memory(place: Path) -> SharedMemory | None:
    try:
        found = os.statvfs(place)
    except OSError:
        return None
    return SharedMemory(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


def loopback_problem() -> str | None:
    """Return why a datagram to this machine itself does not arrive; None if it arrives."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
            there.bind(("127.0.0.1", 0))
            there.settimeout(_PROBE_TIMEOUT_S)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
                here.sendto(_PROBE, there.getsockname())
            received = there.recv(len(_PROBE))
    except TimeoutError:
        return "a datagram to 127.0.0.1 did not arrive"
    except OSError as error:
        return f"a datagram to 127.0.0.1 failed: {error.strerror or error}"
    return None if received == _PROBE else "a datagram to 127.0.0.1 arrived changed"
