"""A backup's reports to members about its copies, and which members receive none."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.backup.answers import BackupAnswers
from aeron_cluster.cluster.state.recording_log import RecordingLog
from aeron_cluster.codecs.cluster import BackupQuery, BackupResponse
from aeron_cluster.errors import OperationError, RegistrationError
from aeron_cluster.memory.system.seams import SystemFiles

S = 1_000_000_000
MEMBERS = "0,a:1,a:2,a:3,a:4,a:5|1,10.0.0.2:1,10.0.0.2:2,10.0.0.2:3,10.0.0.2:4,10.0.0.2:5"


class Aeron:
    """A client with a driver played by the test."""

    def __init__(self):
        self.publications = []
        self.abandoned = []
        self.is_added = True
        self.error = None
        self.rejection = None
        self.position = 1

    def async_add_exclusive_publication(self, channel, stream_id):
        if self.rejection is not None:
            raise self.rejection
        publication = SimpleNamespace(
            channel=channel, stream_id=stream_id, sent=[], is_closed=False
        )
        publication.offer = lambda message: (
            publication.sent.append(message) or self.position
            if self.position > 0
            else self.position
        )
        publication.close = lambda: setattr(publication, "is_closed", True)
        self.publications.append(publication)
        return len(self.publications) - 1

    def get_exclusive_publication(self, registration_id):
        if self.error is not None:
            raise self.error
        return self.publications[registration_id] if self.is_added else None

    def abandon(self, registration_id):
        self.abandoned.append(registration_id)


class Rig:
    def __init__(self, log):
        self.aeron = Aeron()
        self.errors = []
        self.answers = BackupAnswers(self.aeron, log, self.errors.append)
        self.answers.set_members(MEMBERS)

    def query(self, channel="aeron:udp?endpoint=a:40123", log_position=4096):
        message = BackupQuery(
            correlation_id=7,
            response_stream_id=108,
            version=768,
            log_position=2**63 - 1,
            response_channel=channel,
            encoded_credentials=b"",
        )
        self.answers.on_query(message, log_position, 0)

    def reports(self):
        return [
            BackupResponse.decode(each)
            for publication in self.aeron.publications
            for each in publication.sent
        ]


@pytest.fixture
def rig(tmp_path):
    with RecordingLog(SystemFiles(), str(tmp_path)) as log:
        log.append_term(1, 0, 0, 1000)
        for position in (1024, 2048):
            for service_id in (0, -1):
                log.append_snapshot(position + service_id, 0, 0, position, 1001, service_id)
        yield Rig(log)


@pytest.mark.parametrize(
    ("log_position", "reports"),
    [(4096, 2048), (2048, 2048), (2047, 1024), (1023, None), (-1, None)],
)
def test_reports_the_newest_snapshot_covered_by_its_log(rig, log_position, reports):
    rig.query(log_position=log_position)
    assert rig.answers.do_work(1) == 1
    (answer,) = rig.reports()
    assert (answer.correlation_id, answer.member_id, answer.leader_member_id) == (7, -1, -1)
    positions = [each.log_position for each in answer.snapshots]
    assert positions == ([] if reports is None else [reports, reports])
    assert all(each.is_closed for each in rig.aeron.publications)


@pytest.mark.parametrize(
    "channel",
    [
        "aeron:udp?endpoint=b:40123",
        "aeron:udp?endpoint=10.0.0.3:40123",
        "aeron:udp?endpoint=a:1|control=a:2",
        "aeron:udp?endpoint=a:1|session-id=3",
        "aeron:udp?control=a:1|control-mode=dynamic",
        "aeron:ipc",
        "nonsense",
    ],
)
def test_publications_to_other_hosts_than_members_are_not_added(rig, channel):
    rig.query(channel)
    assert rig.aeron.publications == []


def test_sends_nothing_before_it_knows_the_members(rig):
    rig.answers.set_members("0,b:1,b:2,b:3,b:4,b:5")
    rig.query()
    assert rig.aeron.publications == []


def test_answers_are_limited_in_number(rig):
    rig.aeron.is_added = False
    for _ in range(40):
        rig.query()
    assert len(rig.aeron.publications) == 16


def test_unsent_reports_are_abandoned_after_a_timeout(rig):
    rig.aeron.position = -1
    rig.query()
    rig.query("aeron:udp?endpoint=10.0.0.2:5")
    assert rig.answers.do_work(4 * S) == 0
    rig.aeron.is_added = False
    rig.query()
    assert rig.answers.do_work(5 * S) == 3
    assert [each.is_closed for each in rig.aeron.publications] == [True, True, False]
    assert rig.aeron.abandoned == [2]


def test_rejection_by_the_driver_is_reported(rig):
    rig.aeron.error = RegistrationError("of the test")
    rig.query()
    assert rig.answers.do_work(1) == 1
    assert rig.errors == [rig.aeron.error]


def test_closing_abandons_everything(rig):
    rig.aeron.position = -1
    rig.query()
    rig.answers.do_work(1)
    rig.answers.close()
    rig.answers.close()
    assert [each.is_closed for each in rig.aeron.publications] == [True]


def test_a_report_that_cannot_be_requested_is_no_pending_one(rig):
    """Its channel comes from the member, and may be too long."""
    rig.aeron.rejection = OperationError("the command does not fit")
    for _ in range(40):
        rig.query()
    assert rig.errors == [rig.aeron.rejection] * 40
    rig.aeron.rejection = None
    rig.query()
    assert rig.answers.do_work(1) == 1
    assert len(rig.reports()) == 1


@pytest.mark.parametrize("failing", ["offer", "close"])
def test_a_failed_call_of_an_answers_publication_ends_that_answer_alone(rig, failing):
    error = OperationError("the driver's command ring is full")

    def fail(*_):
        raise error

    rig.query()
    rig.query()
    setattr(rig.aeron.publications[0], failing, fail)
    assert rig.answers.do_work(1) == 2
    assert rig.answers.do_work(2) == 0
    assert rig.errors == [error]
    assert [each.is_closed for each in rig.aeron.publications] == [failing == "offer", True]


@pytest.mark.parametrize("is_added", [True, False])
def test_answers_that_cannot_be_dropped_are_reported(rig, is_added):
    error = OperationError("the driver's command ring is full")

    def fail(*_):
        raise error

    rig.aeron.position, rig.aeron.is_added, rig.aeron.abandon = -1, is_added, fail
    for _ in range(2):
        rig.query()
        rig.aeron.publications[-1].close = fail
    rig.answers.do_work(1)
    for _ in range(2):
        rig.answers.close()
    assert rig.errors == [error] * 2
