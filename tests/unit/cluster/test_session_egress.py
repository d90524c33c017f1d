"""The publication and the counter of a client's session, and what the driver may answer."""

import pytest

from aeron_cluster.cluster.sessions.session_egress import SessionEgress
from aeron_cluster.errors import DriverTimeoutError, OperationError, RegistrationError
from aeron_cluster.memory.shared.commands import ErrorCode
from tests.unit.cluster.session_rig import Aeron

CHANNEL = "aeron:udp?endpoint=localhost:40123"
BUSY = RegistrationError("no resources", ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE)


@pytest.fixture
def aeron():
    return Aeron()


def egress_of(aeron, channel=CHANNEL, report=None):
    return SessionEgress(
        aeron, channel, 102, cluster_id=3, cluster_session_id=17, info="me", report=report
    )


def test_an_egress_is_connected_once_the_driver_has_added_it(aeron):
    aeron.is_answering = False
    egress = egress_of(aeron)
    assert not egress.poll()
    assert (egress.is_known, egress.is_settled) == (False, False)
    assert repr(egress) == f"<SessionEgress {CHANNEL} stream=102 not connected>"
    aeron.is_answering = True
    assert egress.poll()
    assert (egress.is_known, egress.is_settled, egress.has_window) == (True, True, True)
    assert repr(egress) == f"<SessionEgress {CHANNEL} stream=102 connected>"
    (counter,), (publication,) = aeron.counters, aeron.publications
    assert (counter.value, counter.reference_id) == (17, publication.registration_id)


def test_a_channel_without_resources_at_this_time_is_requested_again(aeron):
    egress = egress_of(aeron)
    aeron.rejections[CHANNEL] = BUSY
    for _ in range(3):
        assert not egress.poll()
        assert egress.failure is None
    del aeron.rejections[CHANNEL]
    assert egress.poll()


@pytest.mark.parametrize(
    "failure",
    [
        RegistrationError("unknown host", ErrorCode.ERROR_UNKNOWN_HOST),
        DriverTimeoutError("no answer"),
        OSError(24, "too many open files"),
        ValueError("of this session alone"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_failed_egress_is_not_requested_again(aeron, failure):
    egress = egress_of(aeron)
    aeron.rejections[CHANNEL] = failure
    for _ in range(2):
        assert not egress.poll()
        assert egress.failure is failure
        aeron.rejections.clear()
    assert aeron.publications == []


@pytest.mark.parametrize(
    "failure",
    [RegistrationError("too many counters", ErrorCode.ERROR_GENERIC), DriverTimeoutError("no")],
    ids=lambda each: type(each).__name__,
)
def test_a_session_without_a_counter_is_connected(aeron, monkeypatch, failure):
    def get_counter(_registration_id):
        raise failure

    monkeypatch.setattr(aeron, "get_counter", get_counter)
    egress = egress_of(aeron)
    for _ in range(2):
        assert egress.poll()
    assert (egress.failure, egress.is_settled) == (None, True)


@pytest.mark.parametrize("is_answering", [True, False])
def test_an_egress_that_cannot_be_closed_is_closed_no_more(aeron, monkeypatch, is_answering):
    """Its sessions are closed in loops, which must go on."""
    attempts, errors, full = [], [], OperationError("the driver's command ring is full")

    def close(*_):
        attempts.append(True)
        raise full

    aeron.is_answering = is_answering
    egress = egress_of(aeron, report=errors.append)
    egress.poll()
    for each in (*aeron.publications, *aeron.counters):
        monkeypatch.setattr(each, "close", close)
    monkeypatch.setattr(aeron, "abandon", close)
    for _ in range(2):
        egress.close()
    assert errors == [full] * 2
    assert len(attempts) == 2
