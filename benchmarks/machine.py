"""The description of the machine, and its properties that affect latencies."""

import platform
import subprocess
from pathlib import Path

from aeron_cluster.cli.doctor.findings import FAST_CLOCKS
from aeron_cluster.cli.doctor.machine import Machine

__all__ = ["cautions", "machine"]

QUIET_LOAD = 0.5


def _first_line(*command: str) -> str:
    """Return the first line of a program's output; empty if the program is missing."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return next(iter((done.stdout + done.stderr).splitlines()), "")


def _listed(cpus: frozenset[int]) -> str:
    """Return processors as the kernel lists them: ``2-3,6``."""
    ranges: list[list[int]] = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][-1] == cpu - 1:
            ranges[-1][1:] = [cpu]
        else:
            ranges.append([cpu])
    return ",".join("-".join(map(str, each)) for each in ranges)


def machine(root: Path = Path("/")) -> dict[str, str]:
    """Describe the machine of the figures; ``root`` is the root of the system's files."""
    found = Machine.read(root)
    return {
        "processor": f"{len(found.cpus)} x {found.model}",
        "virtual": "yes" if found.is_virtual else "no",
        "hardware threads": "on" if found.has_hardware_threads else "off",
        "governor": ", ".join(found.governors) or "none to be seen",
        "isolated processors": _listed(found.isolated_cpus) or "none",
        "isolation of the kernel's work": found.isolating or "none",
        "idle states": found.idle_driver or "none to be seen",
        "clock source": found.clock_source or "unknown",
        "mitigations": "; ".join(found.mitigations) or "none needed",
        "transparent huge pages": found.transparent_huge_pages or "unknown",
        "huge pages": "unknown" if found.huge_pages is None else str(found.huge_pages),
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _first_line("java", "-version") or "none",
        "gcc": _first_line("gcc", "--version") or "none",
        "load average at the start": f"{found.load:.2f}",
    }


def cautions(found: dict[str, str]) -> list[str]:
    """Return the properties of a machine that make its latencies longer or less steady."""
    causes = []
    if found["virtual"] == "yes":
        causes.append("a virtual machine: its host may take its processors away at any time")
    if found["governor"] not in ("performance", "none to be seen"):
        causes.append(f"governor {found['governor']}: expected performance")
    if found["isolated processors"] == "none":
        causes.append("no isolated processors: the kernel runs other threads beside pinned ones")
    if found["hardware threads"] == "on":
        causes.append("hardware threads are on: two threads share a core's caches and units")
    if found["clock source"] not in FAST_CLOCKS:
        causes.append(f"clock source {found['clock source']}: each reading is a system call")
    if float(found["load average at the start"]) > QUIET_LOAD:
        causes.append(f"a load average of {found['load average at the start']} before the start")
    return causes
