"""The memory and processor time of Spark's processes, by the kernel's figures."""

import os
from pathlib import Path

PROC = Path("/proc")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def workers(driver: int) -> list[int]:
    """Return the processes that run Python tasks of a Spark driver on this machine.

    They are forks of a daemon that the driver's JVM starts.
    """
    parents, commands = _below(driver)
    # Planners have daemons too, which run another module.
    daemons = {
        pid
        for pid, command in commands.items()
        if "pyspark.daemon" in command and "pyspark.worker" in command
    }
    return sorted(pid for pid in daemons if parents[pid] in daemons)


def jvms(driver: int) -> list[int]:
    """Return the Java processes below a driver: one, after its session has begun."""
    return sorted(
        pid for pid, command in _below(driver)[1].items() if command[0].rpartition("/")[2] == "java"
    )


def _below(driver: int) -> tuple[dict[int, int], dict[int, list[str]]]:
    """Return the parents of processes, and the commands of those below a driver."""
    parents: dict[int, int] = {}
    commands: dict[int, list[str]] = {}
    for place in PROC.iterdir():
        if not place.name.isdecimal():
            continue
        try:
            # The name, in parentheses, may contain any character.
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
            )
            commands[int(place.name)] = (place / "cmdline").read_text().split("\0")
        except OSError:  # the process has ended
            continue

    def is_below(pid: int) -> bool:
        while pid > 1 and pid != driver:
            pid = parents.get(pid, 0)
        return pid == driver

    return parents, {pid: command for pid, command in commands.items() if is_below(pid)}


def peak(pids: list[int]) -> int:
    """Return the highest peak of the processes' resident memory, in bytes; 0 without processes."""
    highest = 0
    for pid in pids:
        try:
            text = (PROC / str(pid) / "status").read_text()
        except OSError:  # the process has ended
            continue
        for line in text.splitlines():
            if line.startswith("VmHWM:"):
                highest = max(highest, int(line.split()[1]) * 1024)
    return highest


def processor_time(pids: list[int]) -> float:
    """Return the processor time of some processes, in seconds; 0 for an ended one.

    The kernel usually counts in hundredths of a second.
    """
    ticks = 0
    for pid in pids:
        try:
            fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        user, system = fields[11:13]
        ticks += int(user) + int(system)
    return ticks / TICKS_A_SECOND
