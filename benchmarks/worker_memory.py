"""How much memory Spark's Python workers took at most, as the kernel says it."""

from pathlib import Path

PROC = Path("/proc")


def workers(driver: int) -> list[int]:
    """Return the processes that run tasks in Python, of a driver whose tasks are on this machine.

    They are forks of a daemon that the driver's JVM starts.
    """
    parents: dict[int, int] = {}
    commands: dict[int, list[str]] = {}
    for place in PROC.iterdir():
        if not place.name.isdecimal():
            continue
        try:
            # The name, in parentheses, may have anything in it.
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
            )
            commands[int(place.name)] = (place / "cmdline").read_text().split("\0")
        except OSError:  # it has ended
            continue

    def is_below(pid: int) -> bool:
        while pid > 1 and pid != driver:
            pid = parents.get(pid, 0)
        return pid == driver

    # Planners have daemons, too, which are told another module.
    daemons = {
        pid
        for pid, command in commands.items()
        if "pyspark.daemon" in command and "pyspark.worker" in command and is_below(pid)
    }
    return sorted(pid for pid in daemons if parents[pid] in daemons)


def peak(pids: list[int]) -> int:
    """Return the highest peak of resident memory of some processes, in bytes; 0 for none."""
    highest = 0
    for pid in pids:
        try:
            text = (PROC / str(pid) / "status").read_text()
        except OSError:  # it has ended
            continue
        for line in text.splitlines():
            if line.startswith("VmHWM:"):
                highest = max(highest, int(line.split()[1]) * 1024)
    return highest
