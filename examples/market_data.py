"""Record market data in an archive, and replay it into numpy: no object a message.

Run it, with media driver and archive in the same process::

    python -m examples.market_data 100000

The number is how many quotes are recorded. They arrive on an IPC channel here; the same works with
the channel of a feed, such as ``aeron:udp?endpoint=224.0.1.1:40456|interface=localhost``.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aeron_cluster import AeronArchive, ArchivingMediaDriver, IdleStrategy

QUOTE = np.dtype([("time", "<i8"), ("price", "<f8"), ("quantity", "<i8")])
CHANNEL, REPLAY_CHANNEL = "aeron:ipc?term-length=1m|alias=quotes", "aeron:ipc"
STREAM_ID, REPLAY_STREAM_ID = 1001, 1002


def quotes(count: int, seed: int = 1) -> NDArray[np.void]:
    """Return quotes of a random walk, a microsecond apart."""
    random = np.random.default_rng(seed)
    found = np.empty(count, QUOTE)
    found["time"] = np.arange(count) * 1000
    found["price"] = 100 + random.normal(0, 0.01, count).cumsum()
    found["quantity"] = random.integers(1, 100, count)
    return found


def record(archive: AeronArchive, published: NDArray[np.void]) -> int:
    """Publish quotes, each a message, and return the id of their recording once it has all."""
    idle = IdleStrategy("backoff")
    recorder = archive.start_recording(CHANNEL, STREAM_ID)
    with archive.aeron.add_exclusive_publication(CHANNEL, STREAM_ID) as publication:
        for quote in published:
            while not publication.offer(quote.tobytes()):
                idle.idle()
        recording_id = archive.find_last_matching_recording(
            0, "alias=quotes", STREAM_ID, publication.session_id
        )
        while archive.get_recording_position(recording_id) < publication.position:
            idle.idle()
    archive.stop_recording(recorder)
    return recording_id


def replay(archive: AeronArchive, recording_id: int) -> NDArray[np.void]:
    """Return the quotes of a recording; a batch is a view of the log, so what is kept is copied."""
    idle = IdleStrategy("backoff")
    position = archive.get_start_position(recording_id)
    stop_position = archive.get_stop_position(recording_id)
    parts = []
    with archive.replay(
        recording_id, REPLAY_CHANNEL, REPLAY_STREAM_ID, length=stop_position - position
    ) as subscription:
        while position < stop_position:
            batch = subscription.poll_batch()
            if batch is None:
                idle.idle()
                continue
            with batch:
                parts.append(batch.records(QUOTE).copy())
                position = int(batch.headers["position"][-1])
    return np.concatenate(parts)


def main(arguments: list[str]) -> None:
    """Record so many quotes, replay them, and print their average price by volume."""
    published = quotes(int(arguments[0]) if arguments else 100_000)
    with (
        tempfile.TemporaryDirectory(prefix="aeron-cluster-example-") as directory,
        ArchivingMediaDriver.launch(
            driver={"threading_mode": "SHARED"},
            archive={
                "archive_dir": str(Path(directory, "archive")),
                "control_channel": "aeron:udp?endpoint=localhost:0",
                "replication_channel": "aeron:udp?endpoint=localhost:0",
                "threading_mode": "SHARED",
            },
        ) as both,
        AeronArchive.connect(
            aeron_dir=both.driver.aeron_dir,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
        ) as archive,
    ):
        replayed = replay(archive, record(archive, published))
    price = np.average(replayed["price"], weights=replayed["quantity"])
    is_equal = bool((replayed == published).all())
    print(f"{len(replayed):,} quotes, average price by volume {price:.4f}, equal: {is_equal}")


if __name__ == "__main__":
    main(sys.argv[1:])
