"""A consensus module with a given client."""

import contextlib

import pytest

from aeron_cluster.archive.archive import Archive
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.module.consensus_module import ConsensusModule
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.cluster.state.module_counters import ELECTION_STATE_TYPE
from aeron_cluster.cluster.state.node_state import NodeState
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import ClosedError
from aeron_cluster.events.printer import EventPrinter
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.machine import World
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.waiting import await_true

S = 1_000_000_000
AERON_DIR = "/dev/shm/aeron"


def test_given_client_is_closed_with_the_module_driving_it():
    world = World(1)
    seams = world.add_machine("node", "10.0.0.1").start_process()
    common = {"seams": seams, "aeron_dir": AERON_DIR, "threading_mode": "INVOKER"}
    with contextlib.ExitStack() as stack:
        driver = stack.enter_context(
            MediaDriver.launch(
                environment={},
                term_buffer_length="64k",
                ipc_term_buffer_length="64k",
                **common,
            )
        )
        driver.invoker.start()
        aeron = stack.enter_context(
            Aeron.connect(
                aeron_dir=AERON_DIR,
                seams=seams,
                use_conductor_invoker=True,
                driver_invoker=driver.invoker.invoke,
            )
        )
        archive = stack.enter_context(
            Archive.launch(
                archive_dir="/data/archive",
                control_channel="aeron:udp?endpoint=node:8010",
                replication_channel="aeron:udp?endpoint=node:0",
                segment_file_length=1 << 18,
                driver_invoker=driver.invoker.invoke,
                **common,
            )
        )
        module = ConsensusModule.launch(
            aeron=aeron,
            cluster_dir="/data/cluster",
            cluster_members=str(local_member(0, "node")),
            ingress_channel="aeron:udp",
            replication_channel="aeron:udp?endpoint=node:0",
            **common,
        )
        invokers = [driver.invoker, archive.invoker, module.invoker]
        for each in invokers[1:]:
            each.start()

        def types():
            return {each.type_id for each in driver.counters.counters()}

        world.run_until(lambda: ELECTION_STATE_TYPE in types(), invokers, timeout_ns=60 * S)
        assert not aeron.is_closed
        assert set(module.ignored.values()) == {0}
        module.close()
        assert aeron.is_closed
        with pytest.raises(ClosedError):
            aeron.add_publication("aeron:ipc", 7)
        # At the driver's next check of its clients, not after their timeout of 10 s.
        world.run_until(lambda: ELECTION_STATE_TYPE not in types(), invokers[:2], timeout_ns=2 * S)


@pytest.mark.parametrize(("stored", "promised"), [(None, 6), (-1, 6), (8, 8)])
def test_the_promise_in_a_mark_file_of_an_earlier_version_is_kept(monkeypatch, stored, promised):
    """Otherwise the member could vote twice in a term; a newer node state file decides.

    A process may be killed between the creation of the node state file and its first promise.
    """

    def fail(*_):
        raise OSError("no driver")

    monkeypatch.setattr(ConsensusModule, "_connect", fail)
    files, directory = MemoryFiles(), "/data/cluster"
    files.make_directory(directory, parents=True)
    content = MarkFileContent(component_type=ClusterComponentType.CONSENSUS_MODULE, member_id=0)
    ClusterMarkFile.claim(files, directory, content, clock=VirtualClock()).close()
    with files.open(f"{directory}/cluster-mark.dat", write=True) as file:
        file.write_at((6).to_bytes(8, "little"), 40)
    if stored is not None:
        with NodeState(files, directory) as state:
            state.propose(stored, 0, 1000)
    with pytest.raises(OSError, match="no driver"):
        ConsensusModule.launch(
            cluster_dir=directory,
            cluster_members=str(local_member(0, "node")),
            ingress_channel="aeron:udp",
            replication_channel="aeron:udp?endpoint=node:0",
            seams=Seams(files=files, clock=VirtualClock()),
            threading_mode="INVOKER",
        )
    with NodeState(files, directory, writable=False) as state:
        assert state.candidate_term.candidate_term_id == promised


def test_an_error_before_the_module_has_a_client_is_reported(tmp_path, monkeypatch):
    """Its events are printed by a thread that begins earlier."""

    failures = [OSError("no space for lines")]

    def fail_once(_):
        if failures:
            raise failures.pop()
        return 0

    errors = []

    def connect(*_):
        await_true(lambda: errors, "a report")
        raise OSError("no driver")

    monkeypatch.setattr(EventPrinter, "do_work", fail_once)
    monkeypatch.setattr(ConsensusModule, "_connect", connect)
    with pytest.raises(OSError, match="no driver"):
        ConsensusModule.launch(
            cluster_dir=str(tmp_path),
            cluster_members=str(local_member(0, "node")),
            ingress_channel="aeron:udp",
            replication_channel="aeron:udp?endpoint=node:0",
            threading_mode="INVOKER",
            event_cluster_log="all",
            error_handler=errors.append,
        )
    assert [str(each) for each in errors] == ["no space for lines"]
