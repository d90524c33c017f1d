"""``python -m tests.interop.polls``: read a node's log repeatedly while it is under load.

Every poll is strict and continues at the end of the last one. The rows of all polls together must
equal the log at the end: no false damage, no row lost, duplicated or partly written.
"""

import argparse
import contextlib
import sys
import tempfile
import time
import zlib
from pathlib import Path
from unittest.mock import patch

from aeron_cluster.pipeline import MemberDirectories, read_log
from aeron_cluster.pipeline.sources.archive_counters import ArchiveCounters
from tests.conftest import SHARED_MEMORY, _take_lane
from tests.interop.cluster_node import ClusterNode, ClusterNodes
from tests.interop.conftest import BUILD
from tests.interop.java_peer import JavaPeers, compile_peers, fetch_jar
from tests.waiting import await_true

COLUMNS = ["position", "end_position", "committed", "payload"]
PLACES = ("files", "url", "elsewhere")


class Polls:
    """Reads the log of a node by ranges of positions at its end.

    Parameters
    ----------
    node
    place
        ``files``: local files, with the node's counters; ``url``: a file system addressed by URL;
        ``elsewhere``: files of a node on another machine. The last two are without counters.
    """

    def __init__(self, node: ClusterNode, place: str) -> None:
        scheme = "local://" if place == "url" else ""
        self.member = MemberDirectories(
            f"{scheme}{node.archive_dir}", f"{scheme}{node.cluster_dir}"
        )
        self._place = place
        self.position = 0
        self.count = self.committed = 0
        self.rows: list[tuple[int, int]] = []

    def poll(self) -> int:
        """Read new rows; return their number."""
        with contextlib.ExitStack() as stack:
            if self._place == "elsewhere":
                stack.enter_context(patch.object(ArchiveCounters, "recorded", lambda *_: None))
            found = read_log(self.member, from_position=self.position, columns=COLUMNS)
            table = found.table()
        self.count += 1
        if table.num_rows == 0:
            return 0
        self.position = table["end_position"][-1].as_py()
        self.committed += table["committed"].to_pylist().count(True)
        self.rows += _digest(table)
        return int(table.num_rows)

    def check(self) -> None:
        """Read the whole log of the stopped node: the rows found before must be its start."""
        found = read_log(self.member, columns=COLUMNS)
        table = found.table()
        expected = _digest(table)[: len(self.rows)]
        for seen, right in zip(self.rows, expected, strict=True):
            assert seen == right, f"expected {right}, found {seen}"


def _digest(table) -> list[tuple[int, int]]:
    payloads = (zlib.crc32(each.as_buffer()) for each in table["payload"] if each.is_valid)
    positions = table["position"].to_pylist()
    found = [None if not each.is_valid else next(payloads) for each in table["payload"]]
    return list(zip(positions, found, strict=True))


def poll_under_load(nodes: ClusterNodes, place: str, count: int, rate: int) -> Polls:
    """Poll a node the given number of times while a client sends, and check the rows."""
    node = nodes.start(segment=16 * 1024 * 1024).await_leader()
    client = nodes.client(count=6_000_000, size=32, maxSize=600, window=512, rate=rate)
    polls = Polls(node, place)
    await_true(lambda: polls.poll() > 100, "rows of the client's messages", 60.0)
    for _ in range(count):
        polls.poll()
        assert client.code is None, client.report()
    client.kill()
    node.peer.stop()
    polls.check()
    return polls


def main() -> None:
    """Poll the number of times that the command line gives."""
    parser = argparse.ArgumentParser(prog="python -m tests.interop.polls", description=__doc__)
    parser.add_argument("--polls", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=6_000, help="messages a second")
    parser.add_argument("--kind", default="ours-one-thread", help="kind of the node, such as java")
    parser.add_argument("--place", choices=PLACES, default="files")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        ports = _take_lane(stack)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shared = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=SHARED_MEMORY)))
        java = JavaPeers(compile_peers(fetch_jar(BUILD).parent), folder)
        stack.callback(java.close)
        nodes = stack.enter_context(ClusterNodes(given.kind, java, folder, shared, ports.start))
        begin = time.monotonic()
        polls = poll_under_load(nodes, given.place, given.polls, given.rate)
        sys.stdout.write(
            f"{polls.count} polls in {time.monotonic() - begin:.0f} s: {len(polls.rows)} rows up to"
            f" {polls.position}, {polls.committed} of them known to be committed\n"
        )


if __name__ == "__main__":
    main()
