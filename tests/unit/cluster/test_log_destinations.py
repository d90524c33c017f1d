"""The members to which a leader sends its log, and those that its driver rejects."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.log import log_destinations
from aeron_cluster.cluster.log.log_destinations import LogDestinations
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import RegistrationError
from tests.unit.cluster.session_rig import MEMBERS


class Rig:
    """A leader's log; the driver's answers are those of the test."""

    def __init__(self, monkeypatch, channel="aeron:udp"):
        members = parse_members(MEMBERS)
        self.errors = []
        self.added = []
        self.unknown = set()  # endpoints
        self.publication = SimpleNamespace(is_closed=False)
        monkeypatch.setattr(log_destinations, "await_destination", self._await_destination)
        self.destinations = LogDestinations(
            SimpleNamespace(members=members, member=members[1], error_handler=self.errors.append),
            None,
            self.publication,
            None if channel is None else ChannelUri.parse(channel),
        )

    def _await_destination(self, _aeron, publication, destination):
        assert publication is self.publication
        yield
        endpoint = ChannelUri.parse(destination).get("endpoint")
        if endpoint in self.unknown:
            raise RegistrationError("unknown host", 11, 7)
        self.added.append(endpoint)


@pytest.fixture
def rig(monkeypatch):
    return Rig(monkeypatch)


def test_the_log_is_sent_to_every_other_member(rig):
    assert rig.destinations.is_incomplete
    list(rig.destinations.add())
    assert rig.added == ["h0:3", "h2:3"]
    assert not rig.destinations.is_incomplete
    list(rig.destinations.add())
    assert rig.added == ["h0:3", "h2:3"]


def test_one_channel_for_all_needs_no_destinations(monkeypatch):
    rig = Rig(monkeypatch, None)
    assert not rig.destinations.is_incomplete
    list(rig.destinations.add())
    assert rig.added == []


def test_a_rejected_member_is_reported_once_and_added_later(rig):
    rig.unknown = {"h0:3"}
    for _ in range(3):
        list(rig.destinations.add())
        assert rig.added == ["h2:3"]
        assert rig.destinations.is_incomplete
    (error,) = rig.errors
    assert "member 0 cannot be sent the log: " in str(error)
    assert "unknown host" in str(error)
    rig.unknown = set()
    list(rig.destinations.add())
    assert rig.added == ["h2:3", "h0:3"]
    assert not rig.destinations.is_incomplete


def test_members_are_added_by_one_at_a_time(rig):
    steps = rig.destinations.add()
    next(steps)
    assert not rig.destinations.is_incomplete
    steps.close()
    assert rig.destinations.is_incomplete


@pytest.mark.parametrize("is_rejected", [False, True])
def test_nothing_is_added_to_a_closed_log_nor_reported(rig, is_rejected):
    rig.unknown = {"h0:3"} if is_rejected else set()
    steps = rig.destinations.add()
    next(steps)
    rig.publication.is_closed = True
    assert list(steps) == []
    assert rig.added == ([] if is_rejected else ["h0:3"])
    assert rig.errors == []
    assert not rig.destinations.is_incomplete
