"""Requests of clients with an older schema version, which lacks some fields."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.control.control_requests import ControlRequests
from aeron_cluster.client.security import allow_all
from aeron_cluster.codecs.archive import BoundedReplayRequest, ReplayRequest, ReplicateRequest2
from aeron_cluster.events.recorder import NO_EVENTS
from tests.unit.codecs.older import of_version

SESSION_ID, TOKEN = 5, 77
RESPONSE_CHANNEL = "aeron:udp?control-mode=response|control=localhost:1"


class Requests:
    """The request dispatcher of an archive, which records the operations it would start."""

    def __init__(self, monkeypatch):
        self.orders = []
        self.errors = []
        session = SimpleNamespace(
            try_activate=lambda: True, encoded_principal=b"", send_ok=lambda *_: None
        )
        self.by_id, self.by_token = session, SimpleNamespace(**vars(session))
        monkeypatch.setattr("aeron_cluster.archive.control.control_requests.Image", SimpleNamespace)
        self.requests = ControlRequests(
            SimpleNamespace(
                authorisation_service=allow_all, error_handler=self.errors.append, events=NO_EVENTS
            ),
            SimpleNamespace(find={SESSION_ID: self.by_id}.get, by_token=self._by_token),
            catalog=None,
            recordings=None,
            replays=SimpleNamespace(start=self.orders.append),
            listings=None,
            maintenance=None,
            replications=SimpleNamespace(start=self._replicate),
        )

    def _by_token(self, token, _recording_id):
        return self.by_token if token == TOKEN else None

    def _replicate(self, order):
        self.orders.append(order)
        return 1

    def order(self, kind, version, **fields):
        """Return the operation started by a request of a schema version."""
        message = of_version(kind.encode(**fields), kind, version)
        self.requests.on_message(memoryview(message), SimpleNamespace(context=SimpleNamespace()))
        assert self.errors == []
        (order,) = self.orders
        return order


@pytest.fixture
def requests(monkeypatch):
    return Requests(monkeypatch)


def replay(kind):
    return {
        "control_session_id": SESSION_ID,
        "correlation_id": 1,
        "recording_id": 2,
        "position": 0,
        "length": 64,
        "replay_stream_id": 3,
        "replay_channel": RESPONSE_CHANNEL,
        "file_io_max_length": 4096,
        "replay_token": TOKEN,
    } | ({"limit_counter_id": 4} if kind is BoundedReplayRequest else {})


@pytest.mark.parametrize("kind", [ReplayRequest, BoundedReplayRequest])
@pytest.mark.parametrize(
    ("version", "max_length", "has_token"), [(6, -1, False), (9, 4096, False), (10, 4096, True)]
)
def test_a_replay_without_a_token_belongs_to_the_session_of_the_request(
    requests, kind, version, max_length, has_token
):
    order = requests.order(kind, version, **replay(kind))
    assert order.file_io_max_length == max_length
    assert order.session is (requests.by_token if has_token else requests.by_id)


def test_unknown_token_is_reported_and_not_answered(requests):
    fields = replay(ReplayRequest) | {"replay_token": TOKEN + 1}
    header = SimpleNamespace(context=SimpleNamespace())
    requests.requests.on_message(memoryview(ReplayRequest.encode(**fields)), header)
    (error,) = requests.errors
    assert str(error).startswith(
        f"Unknown session or token timeout for replayToken={TOKEN + 1}: ReplayRequest: "
    )
    assert requests.orders == []


@pytest.mark.parametrize(
    ("version", "max_length", "session_id", "credentials", "response_channel"),
    [
        (6, -1, -1, b"", ""),
        (7, 4096, -1, b"", ""),
        (8, 4096, 9, b"me", ""),
        (10, 4096, 9, b"me", RESPONSE_CHANNEL),
    ],
)
def test_a_replication_omits_unset_fields(
    requests, version, max_length, session_id, credentials, response_channel
):
    order = requests.order(
        ReplicateRequest2,
        version,
        control_session_id=SESSION_ID,
        correlation_id=1,
        src_recording_id=2,
        dst_recording_id=-1,
        stop_position=-1,
        channel_tag_id=-1,
        subscription_tag_id=-1,
        src_control_stream_id=10,
        file_io_max_length=4096,
        replication_session_id=9,
        src_control_channel="aeron:udp?endpoint=localhost:1",
        live_destination="",
        replication_channel="",
        encoded_credentials=b"me",
        src_response_channel=RESPONSE_CHANNEL,
    )
    assert (order.file_io_max_length, order.replication_session_id) == (max_length, session_id)
    assert (order.encoded_credentials, order.src_response_channel) == (
        credentials,
        response_channel,
    )
