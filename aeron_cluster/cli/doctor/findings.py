"""Problems of a machine that stop a node or increase its latency, and their remedies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from aeron_cluster.cli.options.member import format_size
from aeron_cluster.config import DRIVER_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aeron_cluster.cli.doctor.machine import Machine

__all__ = ["FAST_CLOCKS", "Finding", "Verdict", "examine"]

_K: Final = 1024
_M: Final = _K * _K
_DEFAULTS: Final = {each.name: each.default for each in DRIVER_OPTIONS}

FAST_CLOCKS: Final = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")
"""Clock sources that are read without a system call."""
RECEIVE_WINDOW: Final[int] = _DEFAULTS["aeron.rcv.initial.window.length"]
"""The default receiver window in bytes; a socket's receive buffer must be at least as long."""
RECOMMENDED_SOCKET_BUFFER: Final = 2 * _M
"""A socket buffer length that Aeron's documentation recommends; it fits a burst of that length."""
MIN_SHARED_MEMORY: Final = 256 * _M
"""The log buffer of a node's log (192 MiB), the ingress of a session, and the driver's files."""
RECOMMENDED_SHARED_MEMORY: Final = 1024 * _M
MIN_OPEN_FILES: Final = 1024
RECOMMENDED_OPEN_FILES: Final = 4096
_MIN_CPUS: Final = 2
_QUIET_LOAD: Final = 0.5
_UNLIMITED: Final = -1


class Verdict(Enum):
    """The severity of a finding."""

    OK = "ok"
    SLOWER = "slower"
    """Latency is higher, or varies more, than necessary."""
    FAILS = "fails"
    """A node or a client does not start, or loses messages."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of the machine.

    Parameters
    ----------
    name : str
    verdict : Verdict
    found : str
    effect : str
        Its effect; empty if there is no problem.
    remedy : str
        The command that fixes it; empty if no command can.
    """

    name: str
    verdict: Verdict
    found: str
    effect: str = ""
    remedy: str = ""


def examine(machine: Machine, loopback: str | None) -> list[Finding]:
    """Return the findings about a machine.

    Parameters
    ----------
    machine : Machine
    loopback : str, optional
        Why a datagram to the machine itself does not arrive; None if it arrives.
    """
    return [
        *_processors(machine),
        *_clock(machine),
        *_memory(machine),
        *_sockets(machine, loopback),
        *_limits(machine),
    ]


def _processors(machine: Machine) -> Iterator[Finding]:
    count = len(machine.cpus)
    found = f"{count} x {machine.model}"
    if machine.cpu_quota is not None and machine.cpu_quota < count:
        yield Finding(
            "cores",
            Verdict.SLOWER,
            f"{found}, a quota of {machine.cpu_quota:g}",
            "a thread that spins uses up the quota, and the kernel then stops all of them for tens"
            " of milliseconds",
            "docker update --cpus 0 --cpuset-cpus 2,3 NAME",
        )
    elif count < _MIN_CPUS:
        yield Finding(
            "cores",
            Verdict.SLOWER,
            found,
            "node, clients and everything else share one processor; none of them can spin",
        )
    else:
        yield Finding("cores", Verdict.OK, found)
    if machine.is_virtual:
        yield Finding(
            "virtual machine",
            Verdict.SLOWER,
            "yes",
            "its host may interrupt processors; no setting here shows or prevents that",
        )
    if machine.has_hardware_threads:
        yield Finding(
            "hardware threads",
            Verdict.SLOWER,
            "on",
            "two threads share the caches and units of a core",
            "echo off | sudo tee /sys/devices/system/cpu/smt/control",
        )
    yield _isolation(machine)
    yield _governor(machine)
    if machine.load > _QUIET_LOAD * count:
        yield Finding(
            "load",
            Verdict.SLOWER,
            f"{machine.load:.2f} on {count} processors",
            "other processes use the processors",
            "top -b -n 1 | head -n 15",
        )


def _isolation(machine: Machine) -> Finding:
    isolated = machine.isolated_cpus & set(machine.cpus)
    if isolated:
        return Finding("isolation", Verdict.OK, f"processors {_list(sorted(isolated))}")
    last = machine.cpus[-1] if machine.cpus else 0
    first = max(1, last - 1)
    cpus = f"{first}-{last}" if first < last else f"{last}"
    remedy = (
        ""
        if len(machine.cpus) <= _MIN_CPUS
        else "sudo sed -i"
        f" 's/^GRUB_CMDLINE_LINUX=\"/&isolcpus={cpus} nohz_full={cpus} rcu_nocbs={cpus} /'"
        " /etc/default/grub && sudo update-grub && sudo reboot"
    )
    return Finding(
        "isolation",
        Verdict.SLOWER,
        machine.isolating or "no isolated processors",
        "the kernel runs other threads and its own work on the processors of pinned threads",
        remedy,
    )


def _governor(machine: Machine) -> Finding:
    if set(machine.governors) <= {"performance"}:
        return Finding("governor", Verdict.OK, ", ".join(machine.governors) or "not visible")
    return Finding(
        "governor",
        Verdict.SLOWER,
        ", ".join(machine.governors),
        "an idle processor starts at a low frequency",
        "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    )


def _clock(machine: Machine) -> Iterator[Finding]:
    if not machine.clock_source or machine.clock_source in FAST_CLOCKS:
        yield Finding("clock source", Verdict.OK, machine.clock_source or "not visible")
        return
    fast = next((each for each in FAST_CLOCKS if each in machine.clock_sources), None)
    yield Finding(
        "clock source",
        Verdict.SLOWER,
        machine.clock_source,
        "each reading of the clock is a system call; every pass of a thread reads it several times",
        f"echo {fast} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
        if fast
        else "",
    )


def _memory(machine: Machine) -> Iterator[Finding]:
    if (shared := machine.shared_memory) is None:
        yield Finding(
            "shared memory",
            Verdict.FAILS,
            "no /dev/shm",
            "drivers create their directories in it by default",
            "sudo mkdir -p /dev/shm && sudo mount -t tmpfs -o size=2g,mode=1777 tmpfs /dev/shm",
        )
    else:
        found = f"{format_size(shared.free)} of {format_size(shared.length)} free in /dev/shm"
        remedy = "sudo mount -o remount,size=2g /dev/shm   (a container: docker run --shm-size=2g)"
        if shared.free < MIN_SHARED_MEMORY:
            yield Finding(
                "shared memory",
                Verdict.FAILS,
                found,
                f"a node with default buffers needs {format_size(MIN_SHARED_MEMORY)}, and"
                " does not start",
                remedy,
            )
        elif shared.free < RECOMMENDED_SHARED_MEMORY:
            yield Finding(
                "shared memory",
                Verdict.SLOWER,
                found,
                "room for few sessions: each uses up to 96 MiB for ingress and egress",
                remedy,
            )
        else:
            yield Finding("shared memory", Verdict.OK, found)
    pages = machine.transparent_huge_pages or "not visible"
    if machine.huge_pages:
        pages += f", {machine.huge_pages} reserved"
    if pages.startswith("always"):
        yield Finding(
            "huge pages",
            Verdict.SLOWER,
            pages,
            "the kernel may stop a thread that touches memory to compact it into huge pages",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        )
    else:
        yield Finding("huge pages", Verdict.OK, pages)
    if machine.swap_kib:
        yield Finding(
            "swap",
            Verdict.SLOWER,
            format_size(machine.swap_kib * _K),
            "pages of logs can be swapped out: no memory is locked",
            "sudo swapoff -a",
        )


def _sockets(machine: Machine, loopback: str | None) -> Iterator[Finding]:
    for name, limit, setting in (
        ("receive buffers", machine.receive_buffer_limit, "rmem_max"),
        ("send buffers", machine.send_buffer_limit, "wmem_max"),
    ):
        remedy = f"sudo sysctl -w net.core.{setting}={RECOMMENDED_SOCKET_BUFFER}"
        if limit is None:
            yield Finding(name, Verdict.OK, "not visible")
        elif limit < RECEIVE_WINDOW and setting == "rmem_max":
            yield Finding(
                name,
                Verdict.FAILS,
                format_size(limit),
                f"shorter than the receiver window of {format_size(RECEIVE_WINDOW)}:"
                " subscriptions over UDP are rejected",
                remedy,
            )
        elif limit < RECOMMENDED_SOCKET_BUFFER:
            yield Finding(
                name,
                Verdict.SLOWER,
                format_size(limit),
                "bursts are lost and sent again while a thread is not scheduled, and longer windows"
                " (aeron.rcv.initial.window.length) are rejected"
                if setting == "rmem_max"
                else "bursts are limited, and longer buffers (aeron.socket.so_sndbuf) are rejected",
                remedy,
            )
        else:
            yield Finding(name, Verdict.OK, format_size(limit))
    if loopback is None:
        yield Finding("loopback", Verdict.OK, "a datagram to 127.0.0.1 arrives")
    else:
        yield Finding(
            "loopback",
            Verdict.FAILS,
            loopback,
            "members and clients on this machine do not reach each other",
            "sudo ip link set lo up; sudo iptables -I INPUT -i lo -j ACCEPT;"
            " sudo iptables -I OUTPUT -o lo -j ACCEPT",
        )


def _limits(machine: Machine) -> Iterator[Finding]:
    if machine.open_files is not None:
        soft, hard = machine.open_files
        found = _limit_text(soft)
        remedy = (
            f"ulimit -n {RECOMMENDED_OPEN_FILES}"
            if hard == _UNLIMITED or hard >= RECOMMENDED_OPEN_FILES
            else f"sudo prlimit --pid $$ --nofile={RECOMMENDED_OPEN_FILES}"
        ) + f"   (systemd: LimitNOFILE={RECOMMENDED_OPEN_FILES})"
        effect = "each stream and each open segment of a recording is a file"
        if soft == _UNLIMITED or soft >= RECOMMENDED_OPEN_FILES:
            yield Finding("open files", Verdict.OK, found)
        elif soft < MIN_OPEN_FILES:
            yield Finding("open files", Verdict.FAILS, found, effect, remedy)
        else:
            yield Finding("open files", Verdict.SLOWER, found, effect, remedy)
    if machine.locked_memory is not None:
        soft = machine.locked_memory[0]
        found = "unlimited" if soft == _UNLIMITED else format_size(soft)
        # Drivers and nodes lock no memory; a service may.
        yield Finding("locked memory", Verdict.OK, found)


def _limit_text(limit: int) -> str:
    return "unlimited" if limit == _UNLIMITED else f"{limit:,}"


def _list(cpus: Sequence[int]) -> str:
    return ",".join(map(str, cpus))
