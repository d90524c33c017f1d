"""What figures are taken on, and what of it a latency notices."""

import os
import platform
import re
import subprocess
from pathlib import Path

__all__ = ["cautions", "machine"]

CPU = "sys/devices/system/cpu"
QUIET_LOAD = 0.5
ISOLATING = ("isolcpus", "nohz_full", "rcu_nocbs")


def _read(path: Path) -> str:
    """Return what a file of the system holds; nothing where it has no such file."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _first_line(*command: str) -> str:
    """Return the first line that a program prints; nothing where it is not there."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return next(iter((done.stdout + done.stderr).splitlines()), "")


def _chosen(text: str) -> str:
    """Return what is in brackets in a list of choices, such as ``always [madvise] never``."""
    found = re.search(r"\[([\w-]+)\]", text)
    return found.group(1) if found else text


def machine(root: Path = Path("/")) -> dict[str, str]:
    """Describe what the figures are taken on; ``root`` is where the system's files begin."""
    info = _read(root / "proc/cpuinfo")
    model = re.search(r"(?m)^model name\s*:\s*(.*)$", info)
    governors = {_read(path) for path in root.glob(f"{CPU}/cpu[0-9]*/cpufreq/scaling_governor")} - {
        ""
    }
    command_line = _read(root / "proc/cmdline").split()
    given = [each for each in command_line if each.split("=")[0] in ISOLATING]
    weaknesses = {path.name: _read(path) for path in sorted(root.glob(f"{CPU}/vulnerabilities/*"))}
    mitigated = [
        f"{name}: {text}"
        for name, text in weaknesses.items()
        if not text.startswith("Not affected")
    ]
    pages = re.search(r"(?m)^HugePages_Total:\s*(\d+)$", _read(root / "proc/meminfo"))
    return {
        "processor": f"{os.cpu_count()} x {model.group(1) if model else 'unknown'}",
        "virtual": "yes" if re.search(r"(?m)^flags\s*:.*\bhypervisor\b", info) else "no",
        "hardware threads": "on" if _read(root / f"{CPU}/smt/active") == "1" else "off",
        "governor": ", ".join(sorted(governors)) or "none to be seen",
        "isolated processors": _read(root / f"{CPU}/isolated") or "none",
        "isolation of the kernel's work": " ".join(given) or "none",
        "idle states": _read(root / f"{CPU}/cpuidle/current_driver") or "none to be seen",
        "clock source": _read(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        )
        or "unknown",
        "mitigations": "; ".join(mitigated) or "none needed",
        "transparent huge pages": _chosen(
            _read(root / "sys/kernel/mm/transparent_hugepage/enabled")
        )
        or "unknown",
        "huge pages": pages.group(1) if pages else "unknown",
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _first_line("java", "-version") or "none",
        "gcc": _first_line("gcc", "--version") or "none",
        "load average at the start": f"{os.getloadavg()[0]:.2f}",
    }


def cautions(found: dict[str, str]) -> list[str]:
    """Return what of a machine makes its latencies longer, or less steady, than they could be."""
    causes = []
    if found["virtual"] == "yes":
        causes.append("a virtual machine: its host takes processors away when it likes")
    if found["governor"] not in ("performance", "none to be seen"):
        causes.append(f"governor {found['governor']}: expected performance")
    if found["isolated processors"] == "none":
        causes.append("no isolated processors: the kernel runs other threads beside pinned ones")
    if found["hardware threads"] == "on":
        causes.append("hardware threads are on: two threads share a core's caches and units")
    if found["clock source"] != "tsc":
        causes.append(f"clock source {found['clock source']}: each reading is a system call")
    if float(found["load average at the start"]) > QUIET_LOAD:
        causes.append(f"a load average of {found['load average at the start']} before the start")
    return causes
