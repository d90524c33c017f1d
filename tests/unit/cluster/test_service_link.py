from functools import partial
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.log.service_link import ServiceLink
from aeron_cluster.codecs.cluster import JoinLog, ServiceAck, ServiceTerminationPosition, decode
from aeron_cluster.errors import ClusterError
from aeron_cluster.memory.agents.waiting import Task


class Publication:
    def __init__(self):
        self.sent = []
        self.rejections = 0

    def offer(self, message):
        if self.rejections:
            self.rejections -= 1
            return False
        self.sent.append(decode(message))
        return len(self.sent)

    def close(self):
        self.sent.append("closed")


@pytest.fixture
def link():
    context = SimpleNamespace(options=SimpleNamespace(service_count=2, member_id=7))
    link = ServiceLink(context, None)
    link._publication = Publication()
    return link


def ack(service_id, ack_id=0, log_position=0, relevant_id=-1):
    return ServiceAck(
        log_position=log_position,
        timestamp=1,
        ack_id=ack_id,
        relevant_id=relevant_id,
        service_id=service_id,
    )


def drive(task, passes=5):
    for _ in range(passes):
        task.do_work()


def join(link, log_position, is_gone=lambda: False):
    return link.join_log(
        log_position=log_position,
        max_log_position=640,
        log_session_id=5,
        log_stream_id=103,
        log_channel="aeron:ipc?session-id=5",
        is_startup=True,
        role=0,
        is_gone=is_gone,
    )


def test_waits_for_every_service(link):
    task = Task(link.await_acks(0))
    link.on_ack(ack(1, relevant_id=8))
    drive(task)
    assert not task.is_done
    link.on_ack(ack(0, relevant_id=9))
    drive(task)
    assert [each.relevant_id for each in task.result] == [9, 8]


def test_numbers_all_acknowledgements_in_one_series(link):
    for ack_id in range(3):
        for service_id in range(2):
            link.on_ack(ack(service_id, ack_id, 32 * ack_id))
    for ack_id in range(3):
        task = Task(link.await_acks(32 * ack_id))
        drive(task)
        assert task.is_done


def test_waiters_are_acknowledged_in_order(link):
    """A snapshot continues while an election makes the services join the next log."""
    snapshot, joined = Task(link.await_acks(32)), Task(link.await_acks(64))
    drive(snapshot)
    drive(joined)
    for service_id in range(2):
        link.on_ack(ack(service_id, 0, 32))
    drive(joined)
    assert not joined.is_done
    drive(snapshot)
    for service_id in range(2):
        link.on_ack(ack(service_id, 1, 64))
    drive(joined)
    assert snapshot.is_done
    assert joined.is_done


def test_an_abandoned_wait_leaves_its_acknowledgements_to_the_next(link):
    given_up, joined = Task(link.await_acks(32)), Task(link.await_acks(64))
    drive(given_up)
    drive(joined)
    given_up.close()
    for service_id in range(2):
        link.on_ack(ack(service_id, 0, 64))
    drive(joined)
    assert joined.is_done


def test_without_services_nothing_is_sent_or_awaited():
    context = SimpleNamespace(options=SimpleNamespace(service_count=0, member_id=7))
    link = ServiceLink(context, None)
    link._publication = Publication()
    task = Task(link.terminate_at(64))
    drive(task)
    assert task.is_done
    assert link._publication.sent == []


@pytest.mark.parametrize("wrong", [ack(1, ack_id=1), ack(1, log_position=32)])
def test_rejects_an_acknowledgement_out_of_sequence(link, wrong):
    link.on_ack(ack(0))
    link.on_ack(wrong)
    with pytest.raises(ClusterError, match="service 1: acknowledgement out of sequence"):
        drive(Task(link.await_acks(0)))


def test_rejects_a_repeated_acknowledgement(link):
    for service_id, ack_id in ((0, 0), (1, 0), (0, 1), (1, 1), (0, 1), (0, 2), (1, 2)):
        link.on_ack(ack(service_id, ack_id))
    for _ in range(2):
        drive(Task(link.await_acks(0)))
    with pytest.raises(ClusterError, match=r"service 0: .*: expected 2 at 0, found 1 at 0"):
        drive(Task(link.await_acks(0)))


def test_rejects_two_services_of_one_id(link):
    link.on_ack(ack(0))
    with pytest.raises(ClusterError, match="possible duplicate serviceId=0"):
        link.on_ack(ack(0))


@pytest.mark.parametrize("service_id", [0, 1])
@pytest.mark.parametrize("acknowledged", [1, 2])
def test_rejects_a_service_that_starts_again(link, acknowledged, service_id):
    """Immediately, and not with the next request to the services, which may come much later."""
    for ack_id in range(acknowledged):
        for each in range(2):
            link.on_ack(ack(each, ack_id))
        drive(Task(link.await_acks(0)))
    with pytest.raises(ClusterError, match=f"serviceId={service_id}, or it restarted"):
        link.on_ack(ack(service_id))


@pytest.mark.parametrize("service_id", [-1, 2])
def test_rejects_an_unknown_service(link, service_id):
    with pytest.raises(ClusterError, match="invalid for serviceCount=2"):
        link.on_ack(ack(service_id))


def test_requests_a_join_until_it_is_acknowledged(link):
    link._publication.rejections = 2
    task = Task(join(link, 64))
    drive(task, 2)
    assert link._publication.sent == []
    drive(task)
    (request,) = link._publication.sent
    assert isinstance(request, JoinLog)
    assert (request.log_position, request.max_log_position, request.member_id) == (64, 640, 7)
    assert not task.is_done
    for service_id in range(2):
        link.on_ack(ack(service_id, log_position=64))
    drive(task)
    assert task.is_done


def test_abandons_a_join_when_the_log_is_lost(link):
    gone = []
    task = Task(join(link, 64, lambda: bool(gone)))
    drive(task)
    gone.append(True)
    with pytest.raises(ClusterError, match="session 5 ended before the services joined it at 64"):
        drive(task)


def test_an_abandoned_join_retains_its_number(link):
    """One service never joins the first log, the other joins it late; both join the second."""
    given_up, joined = Task(join(link, 64)), Task(join(link, 64))
    drive(given_up)
    link.on_ack(ack(1, 0, 64))
    given_up.close()
    drive(joined)
    link.on_ack(ack(0, 1, 64))
    drive(joined)
    assert not joined.is_done
    link.on_ack(ack(1, 1, 64))
    drive(joined)
    assert joined.is_done
    snapshot = Task(link.await_acks(96))
    for service_id in range(2):
        link.on_ack(ack(service_id, 2, 96))
    drive(snapshot)
    assert snapshot.is_done


def test_join_received_by_no_service_has_no_number(link):
    link._publication.rejections = 9
    given_up, joined = Task(join(link, 64)), Task(join(link, 64))
    drive(given_up)
    given_up.close()
    link._publication.rejections = 0
    drive(joined)
    for service_id in range(2):
        link.on_ack(ack(service_id, 0, 64))
    drive(joined)
    assert joined.is_done


def test_snapshot_before_an_abandoned_join_has_the_number_before(link):
    snapshot, given_up, joined = (
        Task(link.await_acks(64)),
        Task(join(link, 64)),
        Task(join(link, 64)),
    )
    for each in (snapshot, given_up):
        drive(each)
    given_up.close()
    drive(joined)
    for service_id in range(2):
        link.on_ack(ack(service_id, 0, 64, relevant_id=12))
        link.on_ack(ack(service_id, 2, 64))
    drive(snapshot)
    drive(joined)
    assert [each.relevant_id for each in snapshot.result] == [12, 12]
    assert joined.is_done


def test_notifies_services_of_the_termination_position(link):
    drive(Task(link.terminate_at(96)))
    assert link.try_terminate_now()
    positions = [message.log_position for message in link._publication.sent]
    assert all(isinstance(each, ServiceTerminationPosition) for each in link._publication.sent)
    assert positions == [96, 0]


def test_cannot_notify_before_it_is_open():
    context = SimpleNamespace(options=SimpleNamespace(service_count=1, member_id=0))
    link = ServiceLink(context, None)
    assert not link.try_terminate_now()
    link.close()


def test_messages_of_an_earlier_process_are_skipped(link):
    skipped = []
    images = [SimpleNamespace(skip_to_end=partial(skipped.append, each)) for each in (1, 2)]
    link.subscription = SimpleNamespace(images=images)
    link.skip_earlier_messages()
    assert skipped == [1, 2]
