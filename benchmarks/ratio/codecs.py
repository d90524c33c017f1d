"""Encoding and decoding of two messages, in ns: ours without the GIL, Java's after JIT compilation.

Represents the cost per cluster message (session message header) and per listing of an archive
(recording descriptor). Java's descriptor creates String objects of three texts, ours returns
pointers into the message: each side does what its user needs.
"""

import json
import subprocess
import sys

from benchmarks.build import ROOT
from benchmarks.ratio.peers import Setting
from benchmarks.ratio.rig import Figure, Goal, Rounds, alternate
from tests.interop.java_peer import OPENS

GOALS = (
    Goal("codec, session message header", "ns", 0.5),
    Goal("codec, recording descriptor", "ns", 0.5),
)
OPERATIONS = 20_000_000
ROUNDS = 5
CODE = f"""
import json
from benchmarks.micro import loops
for name, count in (("session_message_header", {OPERATIONS}),
                    ("recording_descriptor", {OPERATIONS // 20})):
    print(json.dumps([loops.run(name, count) / count for _ in range({ROUNDS} + 2)][2:]))
"""


def ours() -> Rounds:
    """Run the loops in a separate process."""
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {goal.name: line for goal, line in zip(GOALS, lines, strict=True)}


def java(class_path: str) -> Rounds:
    """Run Java's."""
    command = ["java", *OPENS, "-cp", class_path, "Codec", str(OPERATIONS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    names = ("sessionMessageHeaderNs", "recordingDescriptorNs")
    return {
        goal.name: [result[name] for result in results]
        for goal, name in zip(GOALS, names, strict=True)
    }


def measure(setting: Setting) -> list[Figure]:
    """Measure both sides in turns."""
    return alternate(GOALS, ours, lambda: java(setting.class_path), setting.starts)
