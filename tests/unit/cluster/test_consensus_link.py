"""The publications to the other members, and the images of those that are none."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.consensus_link import ConsensusLink
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import (
    ClosedError,
    ClusterError,
    DriverTimeoutError,
    MaxPositionExceededError,
    MessageError,
    RegistrationError,
)
from tests.unit.cluster.session_rig import MEMBERS

OWN, PEERS = 0, (1, 2)


class Publication:
    """A publication that returns the given result of each offer, or raises it."""

    def __init__(self, channel):
        self.channel = channel
        self.results = []
        self.sent = []
        self.is_closed = False

    def offer(self, message):
        result = self.results.pop(0) if self.results else 64
        if isinstance(result, Exception):
            raise result
        if result > 0:
            self.sent.append(message)
        return result


class Rig:
    """A member's link, with a driver and an agent played by the test."""

    def __init__(self, members=MEMBERS, **options):
        members = parse_members(members)
        self.is_answering = True
        self.failures = {}  # by endpoint
        self.requested = []
        self.peers = {}
        self.rejected = []
        self.subscription = SimpleNamespace(images=[], give_up_image=self._give_up)
        self.errors = []
        defaults = {
            "member_id": OWN,
            "consensus_channel": "aeron:udp?term-length=64k",
            "consensus_stream_id": 108,
            "consensus_control_enable": False,
        }
        context = SimpleNamespace(
            options=SimpleNamespace(**defaults | options),
            member=members[OWN],
            error_handler=self.errors.append,
        )
        self.link = ConsensusLink(
            context=context,
            aeron=self,
            agent=self,
            members=members,
            accepts_image=lambda source: source.startswith("10.0.0."),
        )

    # ---- the driver ----

    def async_add_exclusive_publication(self, channel, _stream_id):
        self.requested.append(channel)
        return len(self.requested) - 1

    def get_exclusive_publication(self, registration_id):
        channel = self.requested[registration_id]
        if (failure := self.failures.get(channel.get("endpoint"))) is not None:
            raise failure
        return Publication(channel) if self.is_answering else None

    def async_add_subscription(self, channel, _stream_id, **_):
        self.requested.append(channel)
        return 0

    def get_subscription(self, _registration_id):
        return self.subscription

    def _give_up(self, *values):
        self.rejected.append(values)

    # ---- the agent ----

    def set_consensus(self, subscription):
        assert subscription is self.subscription

    def set_peer(self, index, publication):
        self.peers[index] = publication

    def open(self):
        list(self.link.open())
        return self


@pytest.mark.parametrize(
    ("options", "own", "peers"),
    [
        (
            {"consensus_channel": "aeron:udp"},
            "aeron:udp?endpoint=h0:2",
            "aeron:udp?endpoint=h{}:2",
        ),
        (
            {"consensus_channel": "aeron:udp", "consensus_control_enable": True},
            "aeron:udp?endpoint=h0:2",
            "aeron:udp?control=h0:0|endpoint=h{}:2",
        ),
        # Several members behind one address: all receive at the given endpoint.
        (
            {"consensus_channel": "aeron:udp?endpoint=10.0.0.9:7"},
            "aeron:udp?endpoint=10.0.0.9:7",
            "aeron:udp?endpoint=h{}:2",
        ),
    ],
)
def test_channels_of_a_member(options, own, peers):
    rig = Rig(**options).open()
    expected = [own, *(peers.format(each) for each in PEERS)]
    assert rig.requested == [ChannelUri.parse(each) for each in expected]


FAILURES = [
    RegistrationError("unknown host", 11, 7),
    DriverTimeoutError("no answer"),
    OSError(24, "too many open files"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda each: type(each).__name__)
def test_an_unreachable_member_is_reported_once_and_added_once_it_is_reachable(failure):
    rig = Rig()
    rig.failures["h1:2"] = failure
    rig.open()
    for _ in range(3):
        rig.link.connect()
    (error,) = rig.errors
    assert isinstance(error, ClusterError)
    assert str(error) == f"member 1 at h1:2 cannot be reached: {failure}"
    assert list(rig.peers) == [2]  # the other one is connected
    assert not rig.link.send(1, b"message")
    rig.failures.clear()
    rig.link.connect()
    assert sorted(rig.peers) == [1, 2]
    assert rig.link.send(1, b"message")
    assert rig.peers[1].sent == [b"message"]
    assert not rig.link.is_connecting


def test_a_member_is_not_added_twice():
    rig = Rig()
    rig.is_answering = False
    rig.open()
    requested = len(rig.requested)
    assert rig.link.is_connecting
    rig.link.connect()
    rig.is_answering = True
    assert rig.link.do_work() == 2
    rig.link.connect()
    assert len(rig.requested) == requested


@pytest.mark.parametrize(
    "failure",
    [
        ClosedError("closed"),
        MaxPositionExceededError("at the end"),
        MessageError("message length", "at most 100 bytes", 101),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_message_that_cannot_be_sent_is_reported_and_the_next_one_sent(failure):
    rig = Rig().open()
    rig.peers[1].results = [failure, failure]
    assert not rig.link.send(1, b"one")
    assert not rig.link.send(1, b"two")
    assert len(rig.errors) == 1
    assert rig.link.send(1, b"three")
    assert rig.peers[1].sent == [b"three"]


def test_a_message_is_sent_again_after_a_rotation_of_the_term():
    rig = Rig().open()
    rig.peers[1].results = [-3]
    assert rig.link.send(1, b"message")
    rig.peers[1].results = [-2] * 10
    assert not rig.link.send(1, b"back pressure")
    rig.peers[1].is_closed = True
    assert not rig.link.send(1, b"closed")
    assert (rig.peers[1].sent, rig.errors) == ([b"message"], [])


def test_images_of_no_member_are_rejected_at_their_position():
    rig = Rig()
    rig.link.drop_rejected_images()  # it is not open yet
    rig.open()
    rig.subscription.images = [
        SimpleNamespace(correlation_id=number, position=64 * number, source_identity=source)
        for number, source in enumerate(["10.0.0.1:4000", "192.0.2.1:4000", "10.0.0.2:4000"])
    ]
    rig.link.drop_rejected_images()
    assert rig.rejected == [(1, 64, "rejected: not a member's host")]
