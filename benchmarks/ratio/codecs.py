"""Encoding and decoding of a message, in ns: ours without the GIL, Java's after JIT compilation.

Represents the cost per cluster message, which has a session message header.
"""

import json
import subprocess
import sys

from benchmarks.build import ROOT
from benchmarks.ratio.peers import Setting
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate
from tests.interop.java_peer import OPENS

GOAL = Goal("codec, session message header", "ns", 0.5)
OPERATIONS = 20_000_000
ROUNDS = 5
CODE = f"""
import json
from benchmarks.micro import loops
count = {OPERATIONS}
rounds = [loops.run("session_message_header", count) / count for _ in range({ROUNDS} + 2)]
print(json.dumps(rounds[2:]))
"""


def ours() -> Rounds:
    """Run the loop in a separate process."""
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    return {GOAL.name: json.loads(done.stdout)}


def java(class_path: str) -> Rounds:
    """Run Java's."""
    command = ["java", *OPENS, "-cp", class_path, "Codec", str(OPERATIONS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {GOAL.name: [result["sessionMessageHeaderNs"] for result in results]}


def measure(setting: Setting) -> list[Figure]:
    """Measure both sides in turns."""
    return alternate((GOAL,), ours, lambda: java(setting.class_path), setting.starts)
