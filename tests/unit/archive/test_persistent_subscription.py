"""A persistent subscription: recording and live stream as one, on simulated machines."""

import contextlib
from types import SimpleNamespace

import pytest

from aeron_cluster.archive import (
    FROM_LIVE,
    FROM_START,
    AeronArchive,
    PersistentSubscription,
    PersistentSubscriptionContext,
    PersistentSubscriptionListener,
    PersistentSubscriptionState,
)
from aeron_cluster.archive.protocol.error_codes import ArchiveErrorCode
from aeron_cluster.codecs.archive import (
    ListRecordingRequest,
    MaxRecordedPositionRequest,
    ReplayTokenRequest,
    SourceLocation,
)
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import (
    ArchiveError,
    ClosedError,
    ConfigurationError,
    DriverTimeoutError,
    PersistentSubscriptionError,
    PersistentSubscriptionReason,
    RegistrationError,
    StateError,
    TimeoutExpiredError,
)
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.simulator.world.link_faults import LinkFaults
from tests.unit.archive.archive_rig import ArchiveRig
from tests.unit.archive.pair_rig import MS, Pair, S, message

STREAM_ID = 1001
LIVE_PORT = 40470
LIVE = "aeron:udp?control=src:40456|control-mode=dynamic"
REPLAY_CHANNELS = {
    "any port": "aeron:udp?endpoint=dst:0",
    "port": "aeron:udp?endpoint=dst:40457",
    "response": "aeron:udp?control-mode=response|control=src:40458",
}
STATE, DIFFERENCE, LEFT, JOINED = range(114, 118)


class Listener(PersistentSubscriptionListener):
    def __init__(self):
        self.events = []
        self.errors = []

    def on_live_joined(self):
        self.events.append("joined")

    def on_live_left(self):
        self.events.append("left")

    def on_error(self, error):
        self.errors.append(error)


class Following:
    """Publishes and records on one machine, subscribes on the other."""

    def __init__(self, pair):
        self.pair = pair
        self.numbers = []
        self.listener = Listener()
        self.publication, self.recording_id = pair.src.record(
            STREAM_ID, f"{LIVE}|term-length=64k|fc=max|ssc=true"
        )
        self.sent = 0
        self.subscription = None
        self.limit = 10

    def publish(self, count, length=1000):
        """Publish numbers, no faster than the subscription, which is polled meanwhile, reads
        them.
        """
        end = self.sent + count

        def is_sent():
            if self.publication.offer(message(self.sent, length)):
                self.sent += 1
            return self.sent == end

        self.run(is_sent)

    def subscribe(self, **changes):
        values = {
            "aeron": self.pair.dst.aeron,
            "agent_invoker": self.pair.drive,
            "idle_strategy": IdleStrategy("noop"),
            "control_channel": self.pair.src.control_channel,
            "control_response_channel": "aeron:udp?endpoint=dst:0",
            "message_timeout_ns": 2 * S,
            "recording_id": self.recording_id,
            "start_position": FROM_START,
            "live_channel": f"{LIVE}|endpoint=dst:{LIVE_PORT}",
            "live_stream_id": STREAM_ID,
            "replay_channel": REPLAY_CHANNELS["any port"],
            "replay_stream_id": 1002,
            "listener": self.listener,
        } | changes
        self.subscription = PersistentSubscription.create(**values)
        return self.subscription

    def take(self, view, _):
        self.numbers.append(int.from_bytes(bytes(view[:8]), "little"))

    def take_controlled(self, view, header):
        self.take(view, header)
        return Action.CONTINUE

    def run(self, is_done, timeout_ns=60 * S):
        def step():
            if self.subscription is not None:
                self.subscription.poll(self.take, self.limit)
            return is_done()

        self.pair.run_until(step, timeout_ns)

    def run_for(self, duration_ns):
        end_ns = self.pair.world.time.now_ns + duration_ns
        self.run(lambda: self.pair.world.time.now_ns >= end_ns, duration_ns + S)

    def await_live(self, timeout_ns=60 * S):
        self.run(lambda: self.subscription.is_live, timeout_ns)

    def await_all(self):
        self.run(lambda: len(self.numbers) >= self.sent)
        assert self.numbers == list(range(self.sent))

    def await_failure(self, reason):
        self.run(lambda: self.subscription.has_failed)
        error = self.subscription.failure
        assert isinstance(error, PersistentSubscriptionError)
        assert error.reason is reason
        assert self.listener.errors[-1] is error
        assert self.subscription.poll(self.take) == 0
        return error

    def stop_publisher(self):
        """Close the publication, and wait for the end of its recording."""
        end = self.publication.position
        self.publication.close()
        archive = self.pair.src.archive
        self.run(lambda: archive.get_stop_position(self.recording_id) == end)

    def restart_publisher(self):
        """Publish from the end of the recording, and extend it."""
        archive = self.pair.src.archive
        found = archive.list_recording(self.recording_id)
        channel = ChannelUri.parse(f"{LIVE}|term-length=64k|fc=max|ssc=true").initial_position(
            found.stop_position, found.initial_term_id, found.term_buffer_length
        )
        self.publication = self.pair.src.aeron.add_exclusive_publication(channel, STREAM_ID)
        archive.extend_recording(
            self.recording_id,
            f"{LIVE}|session-id={self.publication.session_id}",
            STREAM_ID,
            SourceLocation.LOCAL,
        )
        self.run(lambda: archive.get_stop_position(self.recording_id) == -1)

    def cut_live(self, is_cut=True):
        src, dst = (side.machine.network for side in (self.pair.src, self.pair.dst))
        self.pair.world.wire.block(src, dst, is_cut, port=LIVE_PORT)

    def counters(self):
        """Return the values of the subscription's counters, by type."""
        return {
            each.type_id: each.value
            for each in self.pair.dst.aeron.counters_reader.counters()
            if STATE <= each.type_id <= JOINED
        }

    def replay_sessions(self):
        return self.pair.src.counter("Archive Replay Sessions")

    def close(self):
        if self.subscription is not None:
            self.subscription.close()


@pytest.fixture
def pair():
    with contextlib.closing(Pair()) as made:
        yield made


@pytest.fixture
def following(pair):
    with contextlib.closing(Following(pair)) as made:
        yield made


@pytest.mark.parametrize("replay_channel", REPLAY_CHANNELS)
def test_reads_the_recording_and_then_the_live_stream(pair, following, replay_channel):
    following.publish(300)
    subscription = following.subscribe(replay_channel=REPLAY_CHANNELS[replay_channel])
    assert subscription.state is PersistentSubscriptionState.AWAIT_ARCHIVE_CONNECTION
    assert subscription.join_difference == -(2**63)
    assert following.counters() == {STATE: 0, DIFFERENCE: -(2**63), LEFT: 0, JOINED: 0}
    following.run(lambda: subscription.is_replaying)
    assert not subscription.is_live
    assert following.counters()[STATE] == PersistentSubscriptionState.REPLAY
    while not subscription.is_live:
        assert following.sent < 2000
        following.publish(1)
        following.run_for(5 * MS)
    following.publish(100)
    following.await_all()
    assert subscription.position == following.publication.position
    assert following.listener.events == ["joined"]
    assert following.listener.errors == []
    found = following.counters()
    assert found.pop(DIFFERENCE) == subscription.join_difference > -(2**63)
    assert found == {STATE: PersistentSubscriptionState.LIVE, LEFT: 0, JOINED: 1}
    following.run(lambda: following.replay_sessions() == 0)
    subscription.close()
    subscription.close()
    assert subscription.is_closed
    assert subscription.poll(following.take) == 0
    pair.run_until(lambda: following.counters() == {})
    pair.run_until(lambda: pair.src.counter("Archive Control Sessions") == 1)


def test_starts_live(following):
    following.publish(50)
    subscription = following.subscribe(start_position=FROM_LIVE)
    following.await_live()
    assert subscription.join_difference == 0
    following.publish(30)
    following.run(lambda: len(following.numbers) == 30)
    assert following.numbers == list(range(50, 80))
    assert following.replay_sessions() == 0


def test_starts_at_a_position(following):
    following.publish(100)
    position = following.publication.position
    following.publish(100)
    following.subscribe(start_position=position)
    following.run(lambda: len(following.numbers) == 100)
    following.await_live()
    assert following.numbers == list(range(100, 200))


def test_fragmented_messages_are_complete_wherever_the_live_stream_takes_over(pair, following):
    lengths = [5000, 200, 7000]
    following.publish(10, 5000)
    subscription = following.subscribe()
    sizes = {}

    def take(view, _):
        number = int.from_bytes(bytes(view[:8]), "little")
        following.numbers.append(number)
        sizes[number] = len(view)

    following.take = take
    following.limit = 1
    expected = dict.fromkeys(range(10), 5000)
    while not subscription.is_live or following.sent < 60:
        expected[following.sent] = lengths[following.sent % 3]
        following.publish(1, lengths[following.sent % 3])
        following.run_for(MS)
    for _ in range(4):  # and of the recording's positions
        image = subscription._live_image
        following.publish(3, 7000)
        expected |= dict.fromkeys(range(following.sent - 3, following.sent), 7000)
        subscription.poll(take, 4)
        pair.dst.aeron.async_reject_image(image, "test")
        following.run(lambda: not subscription.is_live)
        following.await_live()
    following.await_all()
    assert sizes == expected
    assert following.listener.events == ["joined", *["left", "joined"] * 4]


@pytest.mark.parametrize("is_controlled", [False, True])
def test_continues_after_the_live_stream_was_cut(following, is_controlled):
    if is_controlled:
        poll = PersistentSubscription.controlled_poll

        def step(_handler, limit):
            return poll(following.subscription, following.take_controlled, limit)

    subscription = following.subscribe()
    if is_controlled:
        subscription.poll = step
    following.await_live()
    for _ in range(2):
        following.cut_live()
        following.publish(100)
        following.run(lambda: not subscription.is_live)
        assert following.listener.events[-1] == "left"
        assert following.counters()[DIFFERENCE] == -(2**63)
        following.run(lambda: len(following.numbers) == following.sent)
        assert subscription.is_replaying
        following.publish(50)
        following.cut_live(False)
        following.await_live()
        following.publish(100)
        following.await_all()
    found = following.counters()
    assert (found[LEFT], found[JOINED]) == (2, 3)
    assert following.listener.events == ["joined", "left", "joined", "left", "joined"]


def test_a_missing_live_stream_is_reported_and_the_replay_continues(following):
    following.publish(20)
    following.cut_live()
    subscription = following.subscribe()
    following.run(lambda: following.listener.errors)
    following.run_for(10 * S)
    [error] = following.listener.errors
    assert isinstance(error, TimeoutExpiredError)
    assert str(error).startswith("No image became available on the live subscription within 2s")
    assert subscription.is_replaying
    assert not subscription.has_failed
    following.publish(50)
    following.await_all()
    following.cut_live(False)
    following.await_live()


@pytest.mark.parametrize("away_ns", [MS, 20 * S])
@pytest.mark.parametrize("is_live", [False, True])
def test_waits_for_a_restarted_publisher(following, is_live, away_ns):
    following.publish(100)
    if is_live:
        following.subscribe()
        following.await_live()
    following.stop_publisher()
    if not is_live:
        following.subscribe()
    following.await_all()
    following.run_for(away_ns)
    following.restart_publisher()
    following.publish(100)
    following.await_live()
    following.publish(100)
    following.await_all()
    assert not following.subscription.has_failed


def test_the_rest_of_a_recording_behind_the_live_stream_is_replayed(following):
    following.publish(10)
    following.stop_publisher()
    following.cut_live()
    subscription = following.subscribe()
    following.run(lambda: subscription.state is PersistentSubscriptionState.AWAIT_LIVE)
    following.restart_publisher()
    following.publish(100)
    following.cut_live(False)
    following.await_live()
    following.await_all()


def test_another_stream_on_the_live_channel_is_not_used(pair, following):
    following.publish(10)
    following.stop_publisher()
    other = pair.src.aeron.add_exclusive_publication(f"{LIVE}|term-length=64k|fc=max", STREAM_ID)
    following.subscribe(message_timeout_ns=10 * S)
    following.run(lambda: following.listener.errors)
    assert "streams that are not the recorded one" in str(following.listener.errors[0])
    assert other.is_connected
    following.restart_publisher()
    following.await_live()
    following.publish(10)
    following.await_all()


@pytest.mark.parametrize(
    ("changes", "reason", "text"),
    [
        ({"recording_id": 9}, "RECORDING_NOT_FOUND", "unknown recording id: 9"),
        (
            {"live_stream_id": 7},
            "STREAM_ID_MISMATCH",
            "Requested live stream with ID: 7 does not match stream ID: 1001 for recording: 0",
        ),
        (
            {"start_position": 1 << 20},
            "INVALID_START_POSITION",
            "ERROR - replay request failed: requested replay start position=1048576 must be less"
            " than the limit position=10560 for recording 0",
        ),
        ({"start_position": 33}, "GENERIC", "is not a multiple of FRAME_ALIGNMENT"),
        ({"start_position": 32}, "INVALID_START_POSITION", "does not point to a valid frame"),
    ],
)
def test_fails_if_the_recording_cannot_be_replayed(pair, following, changes, reason, text):
    following.publish(10)
    following.subscribe(**changes)
    error = following.await_failure(PersistentSubscriptionReason[reason])
    assert text in str(error)
    assert following.listener.errors == [error]
    assert following.counters()[STATE] == PersistentSubscriptionState.FAILED
    pair.run_until(lambda: pair.src.counter("Archive Control Sessions") == 1)
    assert following.numbers == []


def test_fails_before_the_start_and_after_the_end_of_a_recording(pair, following):
    following.publish(200)
    following.stop_publisher()
    with following.subscribe(start_position=1 << 20):
        error = following.await_failure(PersistentSubscriptionReason.INVALID_START_POSITION)
        assert str(error).startswith("requested replay start position=1048576 must be less than")
    pair.src.archive.purge_segments(0, 128 * 1024)
    with following.subscribe(start_position=0):
        error = following.await_failure(PersistentSubscriptionReason.INVALID_START_POSITION)
        assert str(error) == (
            "requested replay start position=0 is less than recording start position=131072 for"
            " recording 0"
        )


def test_fails_if_the_live_stream_was_read_past_the_recording(pair, following):
    following.subscribe()
    following.await_live()
    following.publish(10)
    archive = pair.src.archive
    archive.stop_recording_channel(
        f"{LIVE}|term-length=64k|fc=max|ssc=true|session-id={following.publication.session_id}",
        STREAM_ID,
    )
    following.run(lambda: archive.get_stop_position(0) > 0)
    following.publish(10)
    following.await_all()
    following.publication.close()
    error = following.await_failure(PersistentSubscriptionReason.INVALID_START_POSITION)
    assert "which is earlier than last observed live position=" in str(error)


def test_waits_for_data_that_is_not_recorded_yet(pair):
    """The archive receives the stream from another machine, as the subscription does."""
    src, dst = pair.src, pair.dst
    publication = src.aeron.add_exclusive_publication(f"{LIVE}|term-length=64k|fc=max", STREAM_ID)
    dst.archive.start_recording(f"{LIVE}|endpoint=dst:40480", STREAM_ID, SourceLocation.REMOTE)
    dst.await_signal("START")
    with contextlib.closing(Following(pair)) as following:
        following.publication.close()
        following.publication = publication
        subscription = following.subscribe(
            recording_id=0,
            control_channel=dst.control_channel,
            live_channel=f"{LIVE}|endpoint=dst:{LIVE_PORT}",
        )
        following.publish(10)
        following.await_live()
        network = pair.world.wire.block
        network(src.machine.network, dst.machine.network, port=40480)
        following.publish(10)
        following.await_all()
        subscription._live_subscription.close()  # as if its image were lost
        following.run(lambda: not subscription.is_live)
        following.run_for(S)
        assert not subscription.has_failed, subscription.failure
        assert not subscription.is_live
        network(src.machine.network, dst.machine.network, False, port=40480)
        following.await_live()
        following.publish(10)
        following.await_all()
        assert following.listener.errors == []


def test_an_unreachable_archive_does_not_end_the_live_stream(pair, following):
    """The archive is on the publisher's machine, and its control traffic is cut off."""
    dst = pair.dst
    dst.archive.start_recording(f"{LIVE}|endpoint=dst:40480", STREAM_ID, SourceLocation.REMOTE)
    dst.await_signal("START")
    following.publish(20)
    subscription = following.subscribe(control_channel=dst.control_channel)
    following.await_live()
    pair.world.wire.block(dst.machine.network, dst.machine.network)
    following.run(lambda: subscription._session.archive is None)
    assert subscription.is_live
    following.publish(50)
    following.await_all()
    following.run(lambda: len(following.listener.errors) == 2)
    assert {type(error) for error in following.listener.errors} == {TimeoutExpiredError}
    assert following.listener.events == ["joined"]
    pair.world.wire.block(dst.machine.network, dst.machine.network, False)
    following.run(lambda: subscription._session.archive is not None)
    subscription._live_subscription.close()
    following.run(lambda: following.listener.events == ["joined", "left", "joined"])
    following.publish(50)
    following.await_all()


@pytest.mark.parametrize("state", ["REPLAY", "AWAIT_REPLAY_RESPONSE", "AWAIT_LIVE"])
def test_continues_after_a_restart_of_its_archive(pair, following, state):
    following.publish(100)
    following.cut_live()
    if state == "AWAIT_LIVE":
        end = following.publication.position
        following.stop_publisher()
        following.subscribe(start_position=end)
        following.numbers.extend(range(100))
    else:
        following.subscribe()
    following.limit = 1
    following.run(lambda: following.subscription.state is PersistentSubscriptionState[state])
    src, dst = (side.machine.network for side in (pair.src, pair.dst))
    pair.world.wire.block(src, dst)
    following.run(lambda: following.subscription._session.archive is None)
    assert following.subscription.state is PersistentSubscriptionState.AWAIT_ARCHIVE_CONNECTION
    following.run_for(3 * S)
    pair.world.wire.block(src, dst, False)
    if state == "AWAIT_LIVE":
        following.cut_live(False)
        following.restart_publisher()
        following.await_live(100 * S)
        following.publish(10)
    following.await_all()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_or_duplicated_in_a_bad_network(seed):
    with (
        contextlib.closing(Pair(seed)) as pair,
        contextlib.closing(Following(pair)) as following,
    ):
        following.publish(50)
        pair.world.wire.set_faults(
            None,
            None,
            LinkFaults(loss=0.05, duplicate=0.05, min_delay_ns=MS // 20, max_delay_ns=MS),
        )
        subscription = following.subscribe(replay_channel=[*REPLAY_CHANNELS.values()][seed % 3])
        following.await_live()
        random = pair.world.random
        for number in range(6):
            following.cut_live(number == 2 or random.below(3) > 0)
            following.publish(20 + random.below(60), 100 + random.below(6000))
            following.run_for(15 * S if number == 2 else random.below(25 * S))
            assert not subscription.has_failed, subscription.failure
        following.cut_live(False)
        following.await_live()
        following.await_all()
        assert "left" in following.listener.events


def test_an_aborted_message_is_delivered_again(following):
    following.publish(5, 5000)
    subscription = following.subscribe()
    seen = []

    def take(view, _):
        seen.append(int.from_bytes(bytes(view[:8]), "little"))
        return Action.ABORT if len(seen) % 2 else Action.COMMIT

    def step(*_):
        return PersistentSubscription.controlled_poll(subscription, take, 10)

    subscription.poll = step
    following.run(lambda: len(seen) == 10)
    assert seen == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_an_exception_of_a_handler_is_raised_by_the_poll(following):
    following.publish(3)
    subscription = following.subscribe()

    def fail(view, header):
        following.take(view, header)
        with pytest.raises(StateError, match="within a handler"):
            subscription.poll(following.take)
        raise ValueError("no")

    def is_done():
        with contextlib.suppress(ValueError):
            subscription.poll(fail, 1)
        return len(following.numbers) == 3

    following.pair.run_until(is_done)
    assert following.numbers == [0, 1, 2]
    following.publish(2)
    following.await_all()


def test_a_stream_rejected_by_the_driver_ends_the_subscription(following):
    following.publish(3)
    subscription = following.subscribe(live_channel="aeron:udp?endpoint=nowhere.example:1")
    following.run(lambda: subscription.has_failed)
    assert isinstance(subscription.failure, RegistrationError)
    assert following.numbers == [0, 1, 2]
    following.run(lambda: following.replay_sessions() == 0)


def test_the_end_of_its_client_ends_the_subscription(following):
    following.publish(3)
    subscription = following.subscribe()
    following.await_live()
    following.await_all()
    subscription.aeron.close()
    following.run(lambda: subscription.poll(following.take) >= 0 and subscription.has_failed)
    assert isinstance(subscription.failure, ClosedError)


def test_a_failed_session_is_reported_and_requested_again(following):
    following.publish(3)
    subscription = following.subscribe(control_stream_id=11)
    following.run(lambda: len(following.listener.errors) == 2)
    assert all(isinstance(error, TimeoutExpiredError) for error in following.listener.errors)
    assert not subscription.has_failed


def test_closing_releases_a_pending_replay(following):
    following.publish(100)
    subscription = following.subscribe()
    following.run(lambda: subscription.state is PersistentSubscriptionState.AWAIT_REPLAY_RESPONSE)
    subscription.close()
    following.run(lambda: following.counters() == {})
    following.run(lambda: following.replay_sessions() == 0)


# ---- requests and resources that are rejected ----


def deny(kind):
    """Return an authorisation service that rejects requests of a kind."""
    return lambda _protocol, action, *_: action != kind.template_id


@pytest.mark.parametrize(
    ("kind", "replay_channel", "text"),
    [
        (ListRecordingRequest, "any port", "list recording request failed: unauthorised action"),
        (ReplayTokenRequest, "response", "replay token request failed: unauthorised action"),
        (
            MaxRecordedPositionRequest,
            "any port",
            "get max position request failed: unauthorised action",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_unauthorised_request_ends_the_subscription(kind, replay_channel, text):
    allows = [True]
    options = {"authorisation_service": lambda *given: allows[0] or deny(kind)(*given)}
    with (
        contextlib.closing(Pair(src=options)) as pair,
        contextlib.closing(Following(pair)) as following,
    ):
        following.publish(10)
        allows[0] = False  # the recording exists
        subscription = following.subscribe(replay_channel=REPLAY_CHANNELS[replay_channel])
        following.run(lambda: subscription.has_failed)
        error = subscription.failure
        assert isinstance(error, ArchiveError)
        assert error.code == ArchiveErrorCode.UNAUTHORISED_ACTION
        assert str(error).startswith(text)
        assert following.listener.errors == [error]
        following.run(lambda: following.replay_sessions() == 0)
        pair.run_until(lambda: pair.src.counter("Archive Control Sessions") == 1)


def test_a_replay_channel_rejected_by_the_driver_ends_the_subscription(following):
    following.publish(3)
    subscription = following.subscribe(replay_channel="aeron:udp?endpoint=nowhere.example:0")
    following.run(lambda: subscription.has_failed)
    assert isinstance(subscription.failure, RegistrationError)
    assert following.listener.errors == [subscription.failure]
    assert following.numbers == []


def reject_once(following, monkeypatch, name):
    """Let the driver reject a stream once, since its channel is being closed."""
    subscription, aeron = following.subscription, following.pair.dst.aeron
    get_subscription = aeron.get_subscription
    rejections = [
        RegistrationError("it is being closed", ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE)
    ]

    def get_or_reject(registration_id):
        if rejections and registration_id == getattr(subscription, f"_{name}_subscription_id"):
            raise rejections.pop()
        return get_subscription(registration_id)

    monkeypatch.setattr(aeron, "get_subscription", get_or_reject)
    return rejections[0]


@pytest.mark.parametrize("name", ["replay", "live", "live alone"])
def test_temporarily_rejected_stream_is_reported_and_added_again(following, monkeypatch, name):
    following.publish(30)
    start_position = FROM_START
    if name == "live alone":
        start_position = following.publication.position
        following.numbers.extend(range(30))
    if name == "live alone":
        following.stop_publisher()
    subscription = following.subscribe(start_position=start_position)
    error = reject_once(following, monkeypatch, name.partition(" ")[0])
    following.run(lambda: following.listener.errors)
    assert following.listener.errors == [error]
    assert not subscription.has_failed
    # It is requested again only after a while, and until then nothing else is.
    state = subscription.state
    following.run_for(MS)
    assert subscription.state is state
    assert subscription._edge_request is None
    following.pair.world.time.advance(100 * MS)
    if name == "live alone":
        following.restart_publisher()
    following.await_live()
    following.publish(10)
    following.await_all()
    assert following.listener.errors == [error]


def test_replay_that_does_not_arrive_is_requested_again(pair, following):
    following.publish(30)
    src, dst = (side.machine.network for side in (pair.src, pair.dst))
    pair.world.wire.block(src, dst, port=40457)
    subscription = following.subscribe(replay_channel=REPLAY_CHANNELS["port"])
    replays = set()

    def is_requested_again():
        replays.add(subscription._replay_session_id)
        return len(replays - {None}) == 2

    following.run(is_requested_again)
    assert following.numbers == []
    pair.world.wire.block(src, dst, False, port=40457)
    following.await_all()
    following.await_live()


def test_request_waits_for_the_session(following):
    following.publish(30)
    subscription = following.subscribe()
    following.run(lambda: subscription.state is PersistentSubscriptionState.SEND_REPLAY_REQUEST)
    session = subscription._session
    with contextlib.closing(session._archive):
        session._archive = None
        subscription.poll(following.take)
        assert subscription.state is PersistentSubscriptionState.SEND_REPLAY_REQUEST
    following.await_all()


def test_request_without_room_in_its_stream_is_sent_later(following, monkeypatch):
    following.publish(30)
    subscription = following.subscribe()
    following.run(lambda: subscription.state is PersistentSubscriptionState.SEND_REPLAY_REQUEST)
    with monkeypatch.context() as patch:
        patch.setattr(subscription._session.archive, "request", lambda *_, **__: None)
        following.run_for(10 * MS)
        assert subscription.state is PersistentSubscriptionState.SEND_REPLAY_REQUEST
    following.await_all()


def test_port_of_the_replay_is_requested_once_it_is_known(following):
    following.publish(30)
    subscription = following.subscribe()
    awaited = PersistentSubscriptionState.AWAIT_REPLAY_CHANNEL_ENDPOINT
    following.run(lambda: subscription.state is awaited)
    bound = subscription._replay_subscription
    subscription._replay_subscription = SimpleNamespace(
        try_resolve_channel_endpoint_port=lambda: None
    )
    following.run_for(10 * MS)
    assert subscription.state is awaited
    subscription._replay_subscription = bound
    following.await_all()


def test_recording_is_looked_up_again_if_replay_requests_are_not_received(following):
    following.publish(30)
    subscription = following.subscribe(replay_channel=REPLAY_CHANNELS["response"])
    following.run(lambda: subscription.state is PersistentSubscriptionState.AWAIT_REPLAY_TOKEN)
    subscription._requests.close()
    following.run(lambda: subscription.state is PersistentSubscriptionState.SEND_REPLAY_REQUEST)
    begin_ns = following.pair.world.time.now_ns
    found = PersistentSubscriptionState.SEND_LIST_RECORDING_REQUEST
    following.run(lambda: subscription.state is found)
    assert following.pair.world.time.now_ns - begin_ns < 3 * S
    following.await_all()
    assert not subscription.has_failed


def test_replay_stream_lost_while_the_live_one_is_joined_is_requested_again(pair, following):
    following.publish(30)
    subscription = following.subscribe()
    following.run(lambda: subscription._live_subscription_id is not None)
    following.limit = 0  # the replay stays behind the live stream
    following.publish(5)
    following.run(lambda: subscription.state is PersistentSubscriptionState.ATTEMPT_SWITCH)
    assert len(following.numbers) == 30
    replay_image = subscription._image
    pair.dst.aeron.async_reject_image(replay_image, "test")
    following.run(lambda: subscription.state is not PersistentSubscriptionState.ATTEMPT_SWITCH)
    assert replay_image.is_closed
    following.limit = 10
    following.await_live()
    following.publish(10)
    following.await_all()
    assert not subscription.has_failed


def test_fails_if_the_recording_does_not_reach_its_position_in_time(pair):
    """The archive receives the stream from another machine, and loses it."""
    src, dst = pair.src, pair.dst
    publication = src.aeron.add_exclusive_publication(f"{LIVE}|term-length=64k|fc=max", STREAM_ID)
    dst.archive.start_recording(f"{LIVE}|endpoint=dst:40480", STREAM_ID, SourceLocation.REMOTE)
    dst.await_signal("START")
    with contextlib.closing(Following(pair)) as following:
        following.publication.close()
        following.publication = publication
        subscription = following.subscribe(
            recording_id=0,
            control_channel=dst.control_channel,
            live_channel=f"{LIVE}|endpoint=dst:{LIVE_PORT}",
        )
        following.publish(10)
        following.await_live()
        pair.world.wire.block(src.machine.network, dst.machine.network, port=40480)
        following.publish(10)
        following.await_all()
        subscription._live_subscription.close()  # as if its image were lost
        left_ns = pair.world.time.now_ns
        error = following.await_failure(PersistentSubscriptionReason.INVALID_START_POSITION)
        assert "ERROR - replay request failed: " in str(error)
        assert 2 * S <= pair.world.time.now_ns - left_ns < 5 * S


def test_repeated_part_of_the_live_stream_is_skipped(pair, following):
    """Its publisher continues before the end of the recording."""
    following.publish(30)
    end = following.publication.position
    following.stop_publisher()
    following.cut_live()
    subscription = following.subscribe(start_position=end)
    following.run_for(20 * S)
    assert subscription.state is PersistentSubscriptionState.AWAIT_LIVE
    following.cut_live(False)
    found = pair.src.archive.list_recording(following.recording_id)
    channel = ChannelUri.parse(f"{LIVE}|term-length=64k|fc=max|ssc=true").initial_position(
        end // 30 * 20, found.initial_term_id, found.term_buffer_length
    )
    following.publication = pair.src.aeron.add_exclusive_publication(channel, STREAM_ID)
    following.sent = 20
    following.publish(40)
    following.await_live()
    following.run(lambda: len(following.numbers) == 30)
    assert following.numbers == list(range(30, 60))
    assert subscription.position == following.publication.position


def test_given_counters_are_used_and_closed_with_it(pair, following):
    following.publish(3)
    names = ("state", "join_difference", "live_left", "live_joined")
    counters = {f"{name}_counter": pair.dst.aeron.add_counter(1001, name) for name in names}
    subscription = following.subscribe(**counters)
    following.await_live()
    assert following.counters() == {}
    values = {name: counter.get() for name, counter in counters.items()}
    assert values["state_counter"] == PersistentSubscriptionState.LIVE
    assert values["join_difference_counter"] == subscription.join_difference
    assert (values["live_left_counter"], values["live_joined_counter"]) == (0, 1)
    assert subscription.context.state_counter is counters["state_counter"]
    subscription.close()
    assert all(counter.is_closed for counter in counters.values())


def test_closing_it_while_it_requests_the_recorded_position_leaves_no_replay(pair, following):
    following.publish(30)
    subscription = following.subscribe()
    following.run(lambda: subscription._edge_request is not None)
    assert subscription.is_replaying
    subscription.close()
    following.run(lambda: following.replay_sessions() == 0)
    following.run(lambda: pair.src.counter("Archive Control Sessions") == 1)
    assert following.listener.errors == pair.src.errors == []


@pytest.mark.parametrize("polls", [0, 1, 5])
def test_closing_it_while_its_session_opens_leaves_no_session(pair, following, polls):
    subscription = following.subscribe()
    sessions = pair.src.counter("Archive Control Sessions")
    for _ in range(polls):
        pair.drive()
        subscription.poll(following.take)
    assert subscription.state is PersistentSubscriptionState.AWAIT_ARCHIVE_CONNECTION
    subscription.close()
    following.run_for(10 * S)
    assert pair.src.counter("Archive Control Sessions") == sessions
    assert following.counters() == {}
    assert pair.src.errors == []


REQUIRED = {
    "recording_id": 0,
    "live_channel": LIVE,
    "live_stream_id": STREAM_ID,
    "replay_channel": "aeron:udp?endpoint=localhost:0",
    "replay_stream_id": 1002,
    "control_channel": "aeron:udp?endpoint=localhost:8010",
    "control_response_channel": "aeron:udp?endpoint=localhost:0",
}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"recording_id": None}, "recordingId must be set"),
        ({"live_channel": ""}, "liveChannel must be set"),
        ({"live_stream_id": None}, "liveStreamId must be set"),
        ({"replay_channel": None}, "replayChannel must be set"),
        ({"replay_stream_id": None}, "replayStreamId must be set"),
        ({"recording_id": -2}, "invalid recordingId -2"),
        ({"start_position": -3}, "invalid startPosition -3"),
        ({"replay_channel": "aeron:ipc?control-mode=response"}, "Channel media type mismatch."),
        ({"live_channel": "udp"}, "channel URI"),
        ({"control_channel": None}, "control_channel"),
        ({"start_positon": 3}, "start_positon"),
    ],
)
def test_rejects_contradictory_options(changes, text):
    with pytest.raises(ConfigurationError, match=text):
        PersistentSubscriptionContext.of(**REQUIRED | changes)


def test_options_have_upstreams_defaults():
    context = PersistentSubscriptionContext.of(**REQUIRED)
    assert context.start_position == FROM_LIVE == -2
    assert FROM_START == -1
    assert context.replay_channel == "aeron:udp?endpoint=localhost:0|rejoin=false"
    assert isinstance(context.listener, PersistentSubscriptionListener)


def test_the_states_have_upstreams_numbers():
    assert [each.value for each in PersistentSubscriptionState] == list(range(18))
    assert PersistentSubscriptionState.LIVE == 16


def test_reads_over_ipc_with_its_own_client(tmp_path):
    with contextlib.closing(ArchiveRig(tmp_path)) as rig:
        publication = rig.aeron.add_exclusive_publication("aeron:ipc?term-length=64k", STREAM_ID)
        numbers = []

        def take(view, _):
            numbers.append(int.from_bytes(bytes(view[:8]), "little"))

        def await_that(condition):
            def step():
                subscription.poll(take, 10)
                return condition()

            rig.await_that(step)

        with PersistentSubscription.create(
            **REQUIRED
            | {
                "aeron_dir": str(tmp_path / "driver"),
                "agent_invoker": rig.step,
                "control_channel": "aeron:ipc",
                "control_response_channel": "aeron:ipc",
                "live_channel": "aeron:ipc",
                "replay_channel": "aeron:ipc",
                "start_position": FROM_START,
            }
        ) as subscription:
            assert subscription.aeron is not rig.aeron
            await_that(lambda: subscription.has_failed)
            assert "unknown recording id: 0" in str(subscription.failure)
        assert subscription.aeron.is_closed
        archive = AeronArchive.connect(
            aeron=rig.aeron,
            agent_invoker=rig.step,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
        )
        archive.start_recording("aeron:ipc", STREAM_ID)
        rig.await_that(lambda: publication.is_connected)
        for number in range(20):
            rig.await_that(lambda number=number: publication.offer(message(number, 100)))
        with PersistentSubscription.create(
            **REQUIRED
            | {
                "aeron": rig.aeron,
                "agent_invoker": rig.step,
                "control_channel": "aeron:ipc",
                "control_response_channel": "aeron:ipc",
                "live_channel": "aeron:ipc",
                "replay_channel": "aeron:ipc",
                "start_position": FROM_START,
            }
        ) as subscription:
            await_that(lambda: subscription.is_live and len(numbers) == 20)
            await_that(lambda: publication.offer(message(20, 100)))
            await_that(lambda: len(numbers) == 21)
        assert not rig.aeron.is_closed
        assert numbers == list(range(21))
        archive.close()


class LosingProxy:
    """A client's proxy that loses subscriptions to a port, as if a name was still looked up."""

    def __init__(self, proxy, port):
        self._proxy = proxy
        self._port = str(port)
        self.is_losing = True

    def __getattr__(self, name):
        return getattr(self._proxy, name)

    def add_subscription(self, channel, stream_id):
        if self.is_losing and self._port in channel:
            return self._proxy.next_correlation_id()
        return self._proxy.add_subscription(channel, stream_id)


@pytest.mark.parametrize("is_live", [True, False])
def test_a_subscription_that_the_driver_does_not_answer_is_added_again(following, is_live):
    following.publish(30)
    following.run_for(S)
    conductor = following.pair.dst.aeron._conductor
    conductor.proxy = proxy = LosingProxy(conductor.proxy, LIVE_PORT if is_live else 40999)
    following.subscribe(replay_channel="aeron:udp?endpoint=dst:40999")
    following.run(lambda: following.listener.errors, 30 * S)
    assert isinstance(following.listener.errors[0], DriverTimeoutError)
    proxy.is_losing = False
    following.await_live()
    following.await_all()
