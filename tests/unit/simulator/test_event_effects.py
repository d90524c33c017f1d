"""Events of a plan, applied to members: each does what its description says, and no more."""

import errno
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.simulator.faults.aimed_faults import KillAllAtClose
from aeron_cluster.simulator.faults.damage import Damage
from aeron_cluster.simulator.faults.disk_events import FlipBit, FlipRecordedBit
from aeron_cluster.simulator.faults.election_events import MissingFiles, OlderArchive, put_back
from aeron_cluster.simulator.faults.events import (
    DISK_OPERATIONS,
    EndSession,
    LosePower,
    Operate,
    Split,
)
from aeron_cluster.simulator.faults.fault_plan import FaultPlan
from aeron_cluster.simulator.faults.service_events import StallService
from aeron_cluster.simulator.members.service_faults import ServiceFaults
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from aeron_cluster.simulator.world.virtual_clock import VirtualTime
from aeron_cluster.simulator.world.wire import Wire
from tests.unit.simulator.test_added_faults import frame

S = 1_000_000_000


class Member:
    """A member of which only its disk, its services and its counters exist."""

    def __init__(self, host, member_id, files):
        self.host, self.member_id = host, member_id
        self.machine = SimpleNamespace(files=files)
        self.is_leading = member_id == 0
        self.is_running, self.start_count = True, 1
        self.running_module = None
        self.service_faults = ServiceFaults(lambda: 0)
        self.on_service = None
        self.snapshot_count = 0
        self.counters = SimpleNamespace(
            snapshot_count=SimpleNamespace(get=lambda: self.snapshot_count)
        )

    def kill(self):
        self.host.calls.append(("kill", self.member_id))

    def lose_power(self):
        self.host.calls.append(("lose power", self.member_id))


class Host:
    """A run in progress, which records what events request; due actions are called at once."""

    def __init__(self, count=1, files=None):
        self.calls = []
        self.members = [Member(self, each, files or MemoryFiles()) for each in range(count)]
        self.due = []
        self.cluster = SimpleNamespace(members=self.members, now_ns=0)

    def some_members(self, member):
        return self.members if member < 0 else [self.members[member]]

    def later(self, delay_ns, action):
        self.due.append((delay_ns, action))

    def start_later(self, member, delay_ns):
        self.calls.append(("start", member.member_id, delay_ns))

    def on_power_lost(self):
        self.calls.append("power is lost")

    def ignore_services(self):
        self.calls.append("ignore services")

    def toggle(self, request):
        self.calls.append(request)

    def run_due(self):
        due, self.due = self.due, []
        for _, action in due:
            action()


def with_segment(*frames):
    files = MemoryFiles(directories=["/data/archive", "/data/archive/folder"])
    files.replace("/data/archive/0-0.rec", b"".join(frames))
    return files


RESTARTED = [("kill", 0), ("start", 0, 7)]


@pytest.mark.parametrize(
    "event", [FlipBit(0, 0, 3, 7), FlipRecordedBit(0, 0, 3, 7), FlipRecordedBit(0, 0, 3, 7, True)]
)
@pytest.mark.parametrize(
    "files",
    [MemoryFiles(), MemoryFiles(directories=["/data/archive/folder"])],
    ids=["nothing", "an empty directory"],
)
def test_a_bit_of_a_member_without_files_does_not_flip(event, files):
    host = Host(files=files)
    event.begin(host)
    assert host.calls == RESTARTED


@pytest.mark.parametrize(
    ("frames", "flips"),
    [
        ((frame(50, 1, b"x" * 18),), True),
        ((frame(50, 0, b"x" * 18),), False),  # padding
        ((frame(32, 1),), False),  # without a message
        ((frame(50, 1, b"x" * 18)[:31],), False),
        ((frame(31, 1, b"x" * 18),), False),
    ],
)
def test_only_bits_of_messages_are_recorded_ones(frames, flips):
    files = with_segment(*frames)
    before = files.read("/data/archive/0-0.rec")
    host = Host(files=files)
    FlipRecordedBit(0, 0, 3, 7).begin(host)
    after = files.read("/data/archive/0-0.rec")
    changed = [
        each for each, (one, two) in enumerate(zip(before, after, strict=True)) if one != two
    ]
    assert host.calls == RESTARTED
    assert len(changed) == flips
    assert all(32 <= each < 50 for each in changed)


@pytest.mark.parametrize(
    "event",
    [
        MissingFiles(0, 0, part="archive", down_ns=7, missing_ns=9),
        OlderArchive(0, 0, part="archive", down_ns=7, missing_ns=9, age_ns=1, limit_ns=S),
    ],
    ids=["missing", "older"],
)
def test_a_log_that_is_not_there_is_not_taken(event):
    host = Host(files=MemoryFiles(directories=["/data/cluster"]))
    event.begin(host)
    assert host.due == []
    assert host.members[0].machine.files.list("/data") == ["cluster"]


@pytest.mark.parametrize("operation", DISK_OPERATIONS)
def test_an_older_archive_is_put_in_place_of_that_of_a_failing_full_disk(operation):
    event = OlderArchive(0, 0, part="archive", down_ns=7, missing_ns=9, age_ns=1, limit_ns=S)
    host = Host(files=MemoryFiles(directories=["/data/archive"]))
    files = host.members[0].machine.files
    files.replace("/data/archive/0-0.rec", bytes(8192))
    copy = files.copy("/data")
    files.replace("/data/archive/0-0.rec", bytes([1]) * 8192)
    files.capacity = files.used
    files.fail(operation, errno.EIO, after=1, count=3)
    event._exchange(files, copy)
    assert files.read("/data/archive/0-0.rec") == bytes(8192)
    assert files.read("/data/archive.away/0-0.rec") == bytes([1]) * 8192
    put_back(host.members[0])
    assert files.read("/data/archive/0-0.rec") == bytes([1]) * 8192
    with pytest.raises(PlatformError):
        files.replace("/data/archive/1-0.rec", bytes(8192))


def test_a_loss_of_power_is_known_to_the_run():
    host = Host(2)
    LosePower(0, -1, 7).begin(host)
    assert host.calls == [
        ("lose power", 0),
        ("start", 0, 7),
        "power is lost",
        ("lose power", 1),
        ("start", 1, 7),
        "power is lost",
    ]


def test_services_stall_once():
    host = Host()
    StallService(0, 0, 5_000).begin(host)
    assert host.members[0].service_faults.stall_ns == 5_000
    assert host.members[0].service_faults.delay_ns == 0


@pytest.mark.parametrize(
    ("bridge", "reached", "text"),
    [
        (-1, [[0], [1, 2], [1, 2]], "split off members (0,), for 2.000 s"),
        (2, [[0, 2], [1, 2], [0, 1, 2]], "split off members (0,), member 2 sees both sides, for"),
    ],
)
def test_a_split_ends_and_may_have_a_bridge(bridge, reached, text):
    wire = Wire(VirtualTime())
    hosts = [wire.add_host(f"10.0.0.{index}") for index in range(3)]
    sockets = [each.open(bind=Address(f"10.0.0.{index}", 1000)) for index, each in enumerate(hosts)]
    host = Host(3)
    for member, network in zip(host.members, hosts, strict=True):
        member.machine.network = network
    host.cluster.world = SimpleNamespace(wire=wire)

    def received():
        for index, socket in enumerate(sockets):
            for target in sockets:
                socket.send(bytes([index]), target.local_address)
        found = []
        for socket in sockets:
            found.append([])
            while (item := socket.receive()) is not None:
                found[-1].append(item[0][0])
        return found

    event = Split(0, (0,), bridge, 2 * S)
    event.begin(host)
    assert received() == reached
    assert text in str(event)
    assert [delay_ns for delay_ns, _ in host.due] == [2 * S]
    host.run_due()
    assert received() == [[0, 1, 2]] * 3


@pytest.mark.parametrize("is_surviving", [False, True])
def test_a_client_that_survives_ends_its_sessions_itself(is_surviving):
    ended = []
    clients = [
        SimpleNamespace(
            load=SimpleNamespace(is_surviving=is_surviving),
            end_session=lambda number=number: ended.append(number),
        )
        for number in range(2)
    ]
    host = Host()
    host.cluster.clients = clients
    EndSession(0, 5).begin(host)
    assert ended == ([] if is_surviving else [1])


@pytest.mark.parametrize(
    ("request_", "later"),
    [(ControlToggle.SUSPEND, [ControlToggle.RESUME]), (ControlToggle.SNAPSHOT, [])],
)
def test_a_suspended_cluster_is_resumed(request_, later):
    host = Host()
    event = Operate(0, request_, 9)
    event.begin(host)
    assert host.calls == [request_]
    host.run_due()
    assert host.calls == [request_, *later]


def test_all_are_killed_once_a_snapshot_has_a_closing_session():
    host = Host(2)
    leader, follower = host.members
    KillAllAtClose(0, limit_ns=S, down_ns=7).begin(host)
    leader.on_service("offer")
    follower.on_service("close request")
    assert host.calls == []
    leader.on_service("close request")
    assert host.calls == ["ignore services", ControlToggle.SNAPSHOT]
    host.run_due()
    assert len(host.calls) == 2
    leader.snapshot_count = 1
    host.run_due()
    assert host.calls[2:] == [("kill", 0), ("start", 0, 7), ("kill", 1), ("start", 1, 7)]
    assert host.due == []


def test_a_plan_without_damage_says_so():
    assert str(FaultPlan()) == "         nothing goes wrong"
    damaged = str(FaultPlan(damage=Damage.BITS))
    assert damaged.splitlines()[0] == f"         a separate run, damaged: {Damage.BITS.value}"
