"""Our node continues in the directories of a member of an older Aeron."""

import struct

from tests.golden.mark_files import ACTIVITY_OFFSET
from tests.interop.cluster_node import ClusterNodes
from tests.interop.java_peer import JavaPeers

MARK_FILES = (
    "cluster/cluster-mark.dat",
    "cluster/cluster-mark-service-0.dat",
    "archive/archive-mark.dat",
)


def test_ours_takes_over_the_directories_of_aeron_1_46_7(
    old_class_path, java, shm_dir, free_port, tmp_path
):
    port_base = free_port(10)
    old = JavaPeers(old_class_path, tmp_path)
    try:
        nodes = ClusterNodes("java", old, tmp_path, shm_dir / "old", port_base)
        nodes.start().await_leader().peer.kill()
    finally:
        old.close()
    for name in MARK_FILES:
        path = tmp_path / "cluster" / "node0" / name
        data = bytearray(path.read_bytes())
        # As if the node had been killed ten seconds ago.
        (timestamp,) = struct.unpack_from("<q", data, ACTIVITY_OFFSET)
        struct.pack_into("<q", data, ACTIVITY_OFFSET, timestamp - 10_000)
        path.write_bytes(data)
    with ClusterNodes("ours-one-thread", java, tmp_path, shm_dir / "new", port_base) as ours:
        ours.start().await_leader()
