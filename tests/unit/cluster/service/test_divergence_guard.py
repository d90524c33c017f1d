"""The effects a container counts for a service, and the comparison with an earlier run."""

import errno
import itertools
import struct

import pytest

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster.service.checkpoint import Checkpoint
from aeron_cluster.cluster.service.deduplication import Deduplication
from aeron_cluster.cluster.service.divergence_guard import DivergenceGuard, read_divergence_file
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.errors import (
    ConfigurationError,
    CorruptError,
    DivergenceError,
    InsufficientSpaceError,
    NondeterminismError,
    ServiceCallbackError,
    VersionError,
)
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.cluster.service.container_rig import (
    EGRESS_STREAM_ID,
    FOLLOWER,
    LEADER,
    TIME,
    Calls,
    ContainerRig,
)

EVERY_EVENT = {"divergence_interval": 1}
EGRESS = "aeron:udp?endpoint=localhost:1"  # without a listener


class ExecutesMessages(Calls):
    """Executes what the messages request."""

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        for act in bytes(message).split():
            getattr(self, act.decode())(session, timestamp)

    def egress(self, session, _):
        session.offer(b"an answer")

    def other(self, session, _):
        session.offer(b"another answer")

    def retry_offer(self, session, _):
        for _attempt in range(3):
            if session.offer(b"an answer"):
                break

    def claim(self, session, _):
        claim = BufferClaim()
        if session.try_claim(6, claim):
            claim.put(b"claims", 32)
            claim.commit()

    def cluster_offer(self, *_):
        assert self.cluster.offer(b"to all")

    def timer(self, _, timestamp):
        assert self.cluster.schedule_timer(7, timestamp + 1)

    def cancel(self, *_):
        assert self.cluster.cancel_timer(7)

    def close(self, session, _):
        assert session.close()

    def fail(self, *_):
        raise ValueError("on purpose")


def guard_of(rig):
    return rig.container.divergence_guard


class Gathering(ExecutesMessages):
    """Sends the same messages, gathered from parts."""

    def egress(self, session, _):
        session.offer_vectored([b"an ", b"answer"])

    def cluster_offer(self, *_):
        assert self.cluster.offer_vectored([b"to", b"", b" all"])


def run(rig, messages, role=LEADER, *, kind=ExecutesMessages, **options):
    """Append messages, all of which the guard counts."""
    rig.start(kind(), **(EVERY_EVENT | options))
    rig.join(role)
    rig.term()
    rig.open(1, EGRESS)
    for message in messages:
        rig.message(1, message)
    rig.timer(99)
    rig.commit()
    return guard_of(rig)


def test_guard_without_an_interval_does_not_exist(rig):
    rig.lead(ExecutesMessages())
    rig.open(1)
    rig.message(1, b"egress timer")
    rig.commit()
    assert guard_of(rig) is None
    assert not list((rig.directory / "cluster").glob("divergence*"))


@pytest.fixture
def second_rig(shm_dir):
    (shm_dir / "second").mkdir()
    rig = ContainerRig(shm_dir / "second")
    yield rig
    rig.close()


ACTS = [b"egress", b"cluster_offer", b"timer", b"cancel", b"close", b"fail", b"claim", b""]


def test_the_guard_counts_the_same_as_leader_and_as_follower(rig, second_rig):
    """The leader's egress has no subscriber, so none of its offers is sent."""
    messages = [*ACTS, b"retry_offer", b"egress other egress", b"close close", b"claim claim"]
    leader = run(rig, messages)
    follower = run(second_rig, messages, FOLLOWER)
    assert leader.hash == follower.hash
    assert leader.effect_count == follower.effect_count > len(messages)
    positions = [each.position for each in leader.checkpoints()]
    assert positions == [each.position for each in follower.checkpoints()]
    for position in positions:
        one, other = leader.checkpoint_at(position), follower.checkpoint_at(position)
        assert not one.differs_from(other), position
        assert one.interval_hash == other.interval_hash


class AnswersLater(Calls):
    """Closes a request's session, and answers the request in the next term."""

    late = None

    def on_start(self, cluster, snapshot_image):
        super().on_start(cluster, snapshot_image)
        self.requests = Deduplication(cluster)

    def on_session_message(self, session, timestamp, message, header):
        super().on_session_message(session, timestamp, message, header)
        request = self.requests.accept(session, timestamp, message)
        if request:
            self.late = request
            assert session.close()

    def on_new_leadership_term_event(self, term):
        super().on_new_leadership_term_event(term)
        if self.late is not None:
            self.requests.answer(self.late, b"late")


def test_the_new_leader_answers_to_a_closing_session_as_its_followers(rig, second_rig):
    for each, role in ((rig, LEADER), (second_rig, FOLLOWER)):
        each.start(AnswersLater(), **EVERY_EVENT)
        each.join(FOLLOWER)
        each.term()
        each.open(1, EGRESS)
        each.message(1, Envelope(EnvelopeKind.OPEN, 77, 5, 0).encode())
        each.message(1, Envelope(EnvelopeKind.REQUEST, 77, 5, 1).encode(b"one"))
        each.commit()
        each.join(role)
        each.term()
        each.commit()
    leader, follower = guard_of(rig), guard_of(second_rig)
    assert leader.effect_count == follower.effect_count == 3
    assert leader.hash == follower.hash


def test_message_gathered_from_parts_counts_as_the_whole(rig, second_rig):
    messages = [b"egress", b"cluster_offer"]
    assert run(rig, messages).hash == run(second_rig, messages, kind=Gathering).hash


@pytest.mark.parametrize("act", [each for each in ACTS if each not in (b"", b"claim")])
def test_each_effect_counts(rig, act):
    guard = run(rig, [b"", act, b""], FOLLOWER)
    before, with_it, after = guard.checkpoints()[-3:]
    assert before.interval_hash == after.interval_hash == 0
    assert with_it.interval_hash != 0
    assert before.hash != with_it.hash == after.hash


class WorksInBackground(ExecutesMessages):
    def do_background_work(self, now_ns):
        self._called("do_background_work", now_ns)
        return 0


OUTSIDE_THE_LOG = ["on_role_change", "do_background_work", "on_take_snapshot"]


@pytest.mark.parametrize("name", OUTSIDE_THE_LOG)
def test_a_failure_outside_of_the_logs_events_is_reported_and_no_effect(rig, second_rig, name):
    """It may happen on one member alone, or at another position."""

    def fail(*_):
        raise ValueError("on purpose")

    guards = []
    for each, failing in ((rig, {}), (second_rig, {name: fail})):
        service = WorksInBackground()
        service.on = failing
        each.start(service, **EVERY_EVENT)
        each.join()
        each.term()
        each.open(1, EGRESS)
        each.message(1, b"egress")
        each.action()
        each.message(1, b"timer")
        each.commit()
        assert [values[2] for values in service.named("on_session_message")] == [
            b"egress",
            b"timer",
        ]
        guards.append(guard_of(each))
    assert rig.errors == []
    assert {(type(each), each.callback) for each in second_rig.errors} == {
        (ServiceCallbackError, name)
    }
    assert guards[0].checkpoints() == guards[1].checkpoints() != ()


def test_retries_of_one_offer_count_once(rig):
    guard = run(
        rig, [b"egress", b"retry_offer", b"egress egress", b"egress other egress"], FOLLOWER
    )
    counts = [each.effect_count for each in guard.checkpoints()][-4:]
    assert [count - counts[0] for count in counts] == [0, 1, 2, 5]


def test_abandoned_claim_of_a_leader_is_not_compared(rig, second_rig):
    leader = run(rig, [b"claim", b""])
    follower = run(second_rig, [b"claim", b""], FOLLOWER)
    position = leader.checkpoints()[-2].position
    one, other = leader.checkpoint_at(position), follower.checkpoint_at(position)
    assert (one.is_unsent, other.is_unsent) == (True, False)
    assert one.claim_hash != other.claim_hash
    assert not one.differs_from(other)


class Claiming(ExecutesMessages):
    """Claims until there is no room, and then another length until there is."""

    def __init__(self, read):
        super().__init__()
        self.read = read

    def claim_all(self, session, _):
        claim = BufferClaim()
        while session.try_claim(1000, claim):
            claim.commit()

    def claim_other(self, session, _):
        claim = BufferClaim()
        while not session.try_claim(1001, claim):
            self.read()
            self.cluster.idle()
        claim.commit()


def test_message_with_a_claim_that_failed_before_another_one_is_not_compared(rig):
    subscription = rig.aeron.add_subscription("aeron:ipc?term-length=64k", EGRESS_STREAM_ID)
    rig.start(Claiming(lambda: subscription.poll(lambda *_: None)), **EVERY_EVENT)
    rig.join(LEADER)
    rig.term()
    rig.open(1)
    rig.commit()
    position = rig.message(1, b"claim_all claim_other")
    other = rig.message(1, b"")
    rig.timer(99)
    rig.commit()
    guard = guard_of(rig)
    assert guard.checkpoint_at(position).is_unsent
    assert not guard.checkpoint_at(other).is_unsent


def test_checkpoints_have_the_same_positions_for_all_commit_batches(rig, second_rig):
    options = {"divergence_interval": 512}
    messages = [b"egress"] * 60
    at_once = run(rig, messages, FOLLOWER, **options)
    second_rig.start(ExecutesMessages(), **options)
    second_rig.join(FOLLOWER)
    second_rig.term()
    second_rig.open(1, EGRESS)
    second_rig.commit()
    for message in messages:
        second_rig.message(1, message)
        second_rig.commit()
    second_rig.timer(99)
    second_rig.commit()
    one_by_one = guard_of(second_rig)
    assert at_once.checkpoints() == one_by_one.checkpoints()
    positions = [each.position for each in at_once.checkpoints()]
    assert len(positions) > 5
    assert all(later // 512 > earlier // 512 for earlier, later in itertools.pairwise(positions))


def file_of(rig):
    return rig.directory / "cluster" / "divergence-0.dat"


def test_file_equals_the_guards_checkpoints(rig):
    guard = run(rig, ACTS)
    cluster_id, service_id, member_id, interval, snapshots, every = read_divergence_file(
        SystemFiles(), file_of(rig)
    )
    assert (cluster_id, service_id, member_id, interval) == (0, 0, 5, 1)
    assert snapshots == ()
    assert every == guard.checkpoints()
    rig.stop()
    assert read_divergence_file(SystemFiles(), file_of(rig))[-1] == every


def test_repeated_run_with_the_same_effects_passes(rig):
    before = run(rig, ACTS).checkpoints()
    rig.stop()
    rig.errors.clear()
    rig.observed.clear()
    guard = run(rig, ACTS, FOLLOWER)
    assert [each.hash for each in guard.checkpoints()] == [each.hash for each in before]
    assert guard.differing is None
    assert all(isinstance(each, ServiceCallbackError) for each in rig.errors)


def test_run_of_another_log_is_not_compared(rig):
    messages = [b"egress", b"egress" + b" " * 64]
    before = run(rig, messages).checkpoints()
    rig.stop()
    guard = run(rig, messages[::-1])
    assert guard.checkpoints()[-1].position == before[-1].position
    assert guard.checkpoints()[-1].hash != before[-1].hash
    assert guard.differing is None


def test_intervals_that_begin_elsewhere_are_not_compared(rig):
    run(rig, [b"egress"] * 6, FOLLOWER)
    rig.stop()
    rig.start(ExecutesMessages(), divergence_interval=512)
    guard = guard_of(rig)
    rig.join(FOLLOWER)
    rig.term()
    rig.open(1, EGRESS)
    for _ in range(6):
        rig.message(1, b"egress")
    rig.timer(99)
    rig.commit()
    assert guard.checkpoints()
    assert guard.differing is None


def test_a_diverging_run_is_reported_with_its_place(rig):
    run(rig, [b"egress", b"timer", b"egress"])
    rig.stop()
    rig.errors.clear()
    rig.observed.clear()
    guard = run(rig, [b"egress", b"other", b"egress"], FOLLOWER)
    rig.until(lambda: rig.errors)
    (error,) = rig.errors
    assert isinstance(error, DivergenceError)
    new, old = guard.differing
    assert new.position == old.position == error.position
    assert error.agreed_position == new.previous_position
    assert set(error.hashes) == {"an earlier run", "this one"}
    assert error.member_id == 5
    assert error.leadership_term_id == new.leadership_term_id
    rig.rest()
    assert len(rig.errors) == 1


def test_recovers_from_a_snapshot(rig):
    rig.start(ExecutesMessages(), **EVERY_EVENT)
    rig.join(FOLLOWER)
    rig.term()
    rig.open(1, EGRESS)
    rig.message(1, b"egress timer")
    at = rig.action()
    rig.commit()
    position, _, recording_id = rig.ack()
    assert position == at
    rig.message(1, b"egress")
    rig.timer(1)
    rig.commit()
    after = guard_of(rig).checkpoints()
    snapshot = guard_of(rig).checkpoint_at(at)
    assert snapshot.is_snapshot
    rig.stop()
    rig.recover(recording_id, position=at, term_id=3)
    rig.observed.clear()
    rig.launch(ExecutesMessages(), **EVERY_EVENT)
    rig.ack()
    guard = guard_of(rig)
    assert guard.hash == snapshot.hash
    assert guard.effect_count == snapshot.effect_count == 2
    rig.join(FOLLOWER)
    rig.message(1, b"egress")
    rig.timer(1)
    rig.commit()
    assert guard.checkpoints() == after
    assert guard.differing is None


def test_restarts_from_a_snapshot_of_another_member():
    guard = DivergenceGuard(interval=64)
    guard.begin(4096)
    assert (guard.hash, guard.position, guard.checkpoints()) == (0, 4096, ())
    guard.mark(7)
    assert guard.checkpoints() == ()


def record(position, **values):
    given = {
        "leadership_term_id": 1,
        "previous_position": position - 64,
        "base_position": 0,
        "hash": 5,
        "interval_hash": 6,
        "log_hash": 4,
        "claim_hash": 7,
        "effect_count": 8,
    }
    return Checkpoint(position=position, **(given | values))


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        ({}, False),
        ({"hash": 1}, True),
        ({"interval_hash": 1}, True),
        ({"log_hash": 1, "hash": 1}, False),
        ({"log_hash": 1, "hash": 1, "base_position": 32}, False),
        ({"claim_hash": 1}, True),
        ({"claim_hash": 1, "is_unsent": True}, False),
        ({"hash": 1, "base_position": 32}, False),
        ({"interval_hash": 1, "previous_position": 0}, False),
        ({"hash": 1, "base_position": 32, "interval_hash": 1}, True),
        ({"effect_count": 1, "is_snapshot": True}, False),
    ],
)
def test_records_differ_only_in_meaningful_fields(values, differs):
    one, other = record(128), record(128, **values)
    assert one.differs_from(other) is differs
    assert other.differs_from(one) is differs


def test_rejects_another_file(tmp_path):
    files = SystemFiles()
    path = tmp_path / "divergence-0.dat"
    for content, error, text in (
        (b"", CorruptError, "length 0"),
        (b"x" * 64, CorruptError, "magic"),
    ):
        path.write_bytes(content)
        with pytest.raises(error, match=text):
            DivergenceGuard.open(files, path)
        assert path.read_bytes() == content
    path.unlink()
    guard = DivergenceGuard.open(files, path)
    guard.begin(0)
    guard.close()
    good = path.read_bytes()
    path.write_bytes(good[:8] + struct.pack("<i", 2 << 16) + good[12:])
    with pytest.raises(VersionError):
        DivergenceGuard.open(files, path)
    path.write_bytes(good[:16] + b"\1" + good[17:])
    with pytest.raises(CorruptError, match="check"):
        DivergenceGuard.open(files, path)


def test_a_damaged_file_is_moved_aside(rig):
    (rig.directory / "cluster").mkdir()
    file_of(rig).write_bytes(b"x" * 100)
    guard = run(rig, [b"egress"])
    assert guard.effect_count == 1
    (error,) = rig.errors
    assert isinstance(error, CorruptError)
    assert error.path == str(file_of(rig))
    assert file_of(rig).with_suffix(".dat.damaged").read_bytes() == b"x" * 100
    assert read_divergence_file(SystemFiles(), file_of(rig))[-1] == guard.checkpoints()


def test_a_torn_checkpoint_is_ignored(rig):
    guard = run(rig, ACTS)
    every = guard.checkpoints()
    rig.stop()
    data = bytearray(file_of(rig).read_bytes())
    torn = 64 + 64 * 80 + 80 * 2 + 33
    data[torn] ^= 1
    file_of(rig).write_bytes(data)
    assert read_divergence_file(SystemFiles(), file_of(rig))[-1] == (*every[:2], *every[3:])


def test_retains_the_newest_checkpoints(rig):
    rig.start(ExecutesMessages(), **EVERY_EVENT)
    guard = DivergenceGuard(interval=1, capacity=4)
    rig.container._conductor.agent.set_guard(guard)
    guard.begin(0)
    rig.join(FOLLOWER)
    rig.term()
    rig.open(1, EGRESS)
    positions = [rig.message(1, b"egress") for _ in range(20)]
    rig.commit()
    kept = guard.checkpoints()
    assert [each.position for each in kept] == positions[-5:-1]
    assert guard.checkpoint_at(positions[-5]) == kept[0]
    assert guard.checkpoint_at(positions[-6]) is None
    assert guard.checkpoint_at(positions[-1]) is None
    assert guard.checkpoint_at(positions[-2] + 32) is None


@pytest.mark.parametrize("options", [{"interval": 0}, {"capacity": 0}, {"capacity": 1 << 25}])
def test_rejects_invalid_values(options):
    with pytest.raises(ConfigurationError):
        DivergenceGuard(**options)


@pytest.mark.parametrize("is_joined", [False, True], ids=["its header", "a checkpoint"])
def test_an_unwritable_file_is_reported_once(rig, is_joined):
    files = MemoryFiles()
    rig.start(ExecutesMessages())
    guard = DivergenceGuard.open(files, "/tmp/divergence-0.dat", interval=1)
    rig.container._conductor.agent.set_guard(guard)
    rig.container._conductor._guard = guard
    guard.begin(0)
    if not is_joined:
        files.fail("write_at", errno.ENOSPC)
    rig.join(FOLLOWER)
    if is_joined:
        files.fail("write_at", errno.ENOSPC)
    rig.term()
    rig.open(1, EGRESS)
    rig.message(1, b"egress")
    rig.message(1, b"egress")
    rig.commit()
    rig.until(lambda: rig.errors)
    (error,) = rig.errors
    assert isinstance(error, InsufficientSpaceError)
    assert guard.effect_count == 2


class Clocked(ExecutesMessages):
    def timer(self, *_):
        import time  # noqa: PLC0415

        self.cluster.schedule_timer(7, int(time.time()))


@pytest.mark.parametrize("policy", ["continue", "terminate"])
def test_a_checked_service_may_not_read_a_clock(rig, policy):
    service = Clocked()
    rig.start(service, check_determinism=True, on_callback_error=policy)
    rig.join(FOLLOWER)
    rig.term()
    rig.open(1, EGRESS)
    position = rig.message(1, b"timer")
    rig.message(1, b"egress")
    rig.commit()
    rig.until(lambda: rig.errors)
    failure = rig.errors[0]
    assert isinstance(failure, ServiceCallbackError)
    cause = failure.__cause__
    assert isinstance(cause, NondeterminismError)
    assert (cause.call, cause.kind) == ("time.time", "clock")
    assert (cause.callback, cause.log_position) == ("on_session_message", position)
    assert rig.container.is_terminated == (policy == "terminate")


def test_a_checked_service_may_wait(rig):
    """Other work of the thread reads clocks and files in the meantime."""

    class Waiting(ExecutesMessages):
        def timer(self, session, timestamp):
            for _ in range(3):
                self.cluster.idle()
            super().timer(session, timestamp)

    service = Waiting()
    rig.start(service, check_determinism=True)
    rig.join(FOLLOWER)
    rig.term(time_unit=0)
    rig.open(1, EGRESS)
    rig.message(1, b"timer egress")
    rig.commit()
    assert rig.errors == []
    assert service.calls[-1] == ("on_session_message", service.sessions[1], TIME, b"timer egress")


def test_background_work_of_a_checked_service_may_do_anything(rig):
    import time  # noqa: PLC0415

    class Busy(ExecutesMessages):
        worked = 0.0

        def do_background_work(self, _now_ns):
            self.worked = time.time()
            return 0

    service = Busy()
    rig.start(service, check_determinism=True)
    rig.until(lambda: service.worked)
    assert rig.errors == []


class Unwritable:
    """A guard whose file cannot be written."""

    def __init__(self, guard):
        self.guard = guard

    def __getattr__(self, name):
        return getattr(self.guard, name)

    def begin(self, _log_position):
        raise InsufficientSpaceError(errno.ENOSPC, "no space", "divergence-0.dat")


def test_a_container_starts_without_the_file_of_its_guard(rig):
    rig.recover()
    rig.launch(ExecutesMessages(), **EVERY_EVENT)
    conductor = rig.container._conductor
    conductor._guard = Unwritable(conductor._guard)
    assert rig.ack() == (0, 0, rig.container.cluster.aeron.client_id)
    (error,) = rig.errors
    assert isinstance(error, InsufficientSpaceError)
