import struct
import subprocess

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles


class Member:
    """A member's directory, with its counters and mark files.

    It creates them itself, on an existing driver, and does nothing else.
    """

    def __init__(self, directory, aeron_dir):
        self.directory = directory
        self.aeron_dir = aeron_dir
        self.marks = []
        self.counters = {}
        self.aeron = None

    def mark(self, kind=ClusterComponentType.CONSENSUS_MODULE, *, is_ready=True, **content):
        given = {"member_id": 3, "aeron_directory": str(self.aeron_dir), "cluster_id": 0}
        mark = ClusterMarkFile.claim(
            SystemFiles(),
            str(self.directory),
            MarkFileContent(component_type=kind, control_channel="aeron:ipc", **given | content),
            clock=SystemClock(),
        )
        if is_ready:
            mark.signal_ready()
        self.marks.append(mark)
        return mark

    def service(self, service_id, **content):
        return self.mark(
            ClusterComponentType.CONTAINER,
            service_id=service_id,
            service_name=f"service-{service_id}",
            **content,
        )

    def count(self, type_id, value, *, cluster_id=0, key=b"", label=""):
        if self.aeron is None:
            self.aeron = Aeron.connect(aeron_dir=self.aeron_dir)
        counter = self.aeron.add_counter(type_id, label, struct.pack("<i", cluster_id) + key)
        counter.set(value)
        self.counters[type_id] = counter
        return counter

    def close(self):
        for mark in self.marks:
            mark.close()
        if self.aeron is not None:
            self.aeron.close()


@pytest.fixture
def member(tmp_path, shm_dir):
    directory = tmp_path / "cluster"
    directory.mkdir()
    made = Member(directory, shm_dir / "driver")
    yield made
    made.close()


@pytest.fixture
def driver(member):
    with MediaDriver.launch(
        aeron_dir=member.aeron_dir, threading_mode="SHARED", shared_idle_strategy="sleep-ms"
    ) as running:
        yield running


@pytest.fixture
def dead_process():
    """Return the id of an ended process."""
    process = subprocess.Popen(["true"])
    process.wait(30)
    return process
