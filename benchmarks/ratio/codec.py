"""Nanoseconds to encode and decode a message in place, ours and Java's in turns.

Stands for what every ingress message and every catalog entry costs before anything is done with it.
A worse figure means that the generated accessors no longer fold into plain loads and stores.

Usage: ``python -m benchmarks.ratio.codec <classes>:<aeron-all.jar>`` (a class path with ``Codec``).
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.extension import load

STARTS = 5
COUNT = 20_000_000
CASES = {"sessionMessageHeaderNs": 1, "recordingDescriptorNs": 20}


def ours() -> dict[str, float]:
    """Measure ours once."""
    loop = load(Path(__file__).parent / "codec_loop.pyx")
    calls = (loop.session_message_header_ns, loop.recording_descriptor_ns)
    result = {}
    for (case, divisor), call in zip(CASES.items(), calls, strict=True):
        nanoseconds, total = call(COUNT // divisor)
        if total <= 0:
            sys.exit(f"{case}: the sum over what was read is {total}")
        result[case] = nanoseconds
    return result


def java(class_path: str) -> dict[str, float]:
    """Start Java once and return the medians of its runs."""
    opens = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
    command = ["java", opens, "-cp", class_path, "Codec", str(COUNT)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    runs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {case: statistics.median(run[case] for run in runs) for case in CASES}


def main() -> None:
    """Print a line for each case: both medians and their ratio."""
    if len(sys.argv) != 2:  # noqa: PLR2004
        sys.exit(__doc__)
    rounds = [(ours(), java(sys.argv[1])) for _ in range(STARTS)]
    for case in CASES:
        mine = statistics.median(own[case] for own, _ in rounds)
        theirs = statistics.median(other[case] for _, other in rounds)
        print(f"{case}: {mine:.2f} ns, Java {theirs:.2f} ns, ratio {mine / theirs:.2f}")


if __name__ == "__main__":
    main()
