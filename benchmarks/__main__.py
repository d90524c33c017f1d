"""Measure instruction counts first, then ours and Java in turns (``make bench``).

Usage: ``python -m benchmarks [--starts 5] [--only codecs]``. Every round is written to
``build/bench.json``; the printed table is for readers.
"""

import argparse
import importlib
import os
import sys

from benchmarks.build import ROOT, build
from benchmarks.machine import machine
from benchmarks.micro import counts
from benchmarks.ratio import rig
from benchmarks.ratio.peers import Setting
from tests.interop.java_peer import JavaUnavailableError, compile_peers

# Imported after the build, which compiles modules that some of them need.
SUITES = (
    "archive",
    "calls",
    "cluster_echo",
    "cluster_of_three",
    "codecs",
    "embedded",
    "ipc",
    "recovery",
    "udp",
)


def main() -> int:
    """Run every suite; fail only if a hot loop became slower."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5, help="number of starts of each side")
    parser.add_argument("--only", choices=SUITES, action="append", help="this suite")
    arguments = parser.parse_args()
    # As for an installed package: a start reads bytecode and compiles nothing.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    build()
    code = counts.main([])
    try:
        class_path = compile_peers(ROOT / "build" / "java")
    except JavaUnavailableError as error:
        print(f"skipped the ratios: {error}")
        return code
    for name, value in machine().items():
        print(f"{name}: {value}")
    figures = []
    for name in arguments.only or SUITES:
        suite = importlib.import_module(f"benchmarks.ratio.{name}")
        for figure in suite.measure(Setting(class_path, arguments.starts)):
            figures.append(figure)
            print(figure, flush=True)
    (ROOT / "build" / "bench.json").write_text(rig.as_json(figures))
    return code


if __name__ == "__main__":
    sys.exit(main())
