"""The cost of calls from Python, of a client and of codecs, measured by pyperf in pinned processes.

A worse figure means that reading arguments, creating objects or releasing the GIL became slower.
``python -m benchmarks.micro`` runs this, stores the run and compares it with the previous one; run
directly it takes the options of a ``pyperf.Runner``.
"""

import time
from collections.abc import Callable

import pyperf

from aeron_cluster.codecs.archive import RecordingDescriptor
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import SessionMessageHeader
from benchmarks.ratio import calls

PROGRAM = ("-m", "benchmarks.micro.python_calls")
CHANNEL = "aeron:udp?endpoint=localhost:24100|term-length=64m|mtu=8k|session-id=17"


def encoded_header() -> bytes:
    """Encode the header of each session message."""
    return SessionMessageHeader.encode(
        leadership_term_id=7, cluster_session_id=11, timestamp=1_700_000_000_000
    )


def encoded_descriptor() -> bytes:
    """Encode the longest response of an archive."""
    return RecordingDescriptor.encode(
        control_session_id=1,
        correlation_id=2,
        recording_id=3,
        start_timestamp=1_700_000_000_000,
        stop_timestamp=1_700_000_001_000,
        start_position=0,
        stop_position=1 << 30,
        initial_term_id=5,
        segment_file_length=128 << 20,
        term_buffer_length=64 << 20,
        mtu_length=1408,
        session_id=17,
        stream_id=1001,
        stripped_channel="aeron:udp?endpoint=localhost:24100",
        original_channel=CHANNEL,
        source_identity="127.0.0.1:53721",
    )


def client_call(name: str) -> Callable[[int], float]:
    """Return a function that runs a call the given number of times, and returns the seconds."""

    def timed(count: int) -> float:
        elapsed_s = 0.0
        with calls.rounds() as loops:
            loop, prepare = loops[name]
            for _ in range(count):
                prepare()
                start_s = time.perf_counter()
                loop()
                elapsed_s += time.perf_counter() - start_s
        return elapsed_s

    return timed


def main() -> None:
    """Measure each call; each worker process of pyperf measures one."""
    runner = pyperf.Runner(program_args=PROGRAM)
    runner.metadata["description"] = "aeron_cluster: calls of the client, codecs"
    for goal in calls.GOALS:
        runner.bench_time_func(
            goal.name.partition(", over ")[0],
            client_call(goal.name),
            inner_loops=calls.COUNT,
        )
    header, descriptor = encoded_header(), encoded_descriptor()
    runner.bench_func("session message header, encode", encoded_header)
    runner.bench_func("session message header, decode", SessionMessageHeader.decode, header)
    runner.bench_func("recording descriptor, encode", encoded_descriptor)
    runner.bench_func("recording descriptor, decode", RecordingDescriptor.decode, descriptor)
    # A driver's clients use few channels repeatedly, so parsed ones are cached.
    parse = vars(ChannelUri)["parse"].__func__.__wrapped__
    runner.bench_func("channel URI, parse", parse, ChannelUri, CHANNEL)
    runner.bench_func("channel URI, parse, cached", ChannelUri.parse, CHANNEL)


if __name__ == "__main__":
    main()
