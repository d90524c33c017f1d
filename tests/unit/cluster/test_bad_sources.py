"""One misbehaving source: the rest of the pass and the checks of other members continue."""

import contextlib

import pytest

from aeron_cluster.codecs.cluster import HeartbeatRequest, ServiceAck, SessionCloseRequest
from aeron_cluster.errors import AgentTerminationError, ClusterError, CorruptError
from tests.unit.cluster.members_rig import TIMEOUT_NS, MembersRig, append_position
from tests.unit.cluster.module_rig import FOLLOWER, TERM_ID, change_leadership, session_message

BAD_LENGTH = (7).to_bytes(4, "little")


def bad_frame(stream):
    """Put an invalid frame at the beginning of a stream."""
    stream.bytes[stream.begin : stream.begin + 4] = BAD_LENGTH


def do_pass(rig):
    """Do a pass that raises; return the exception."""
    with pytest.raises((CorruptError, ClusterError)) as caught:
        rig.agent.do_work()
    return caught.value


@pytest.fixture
def rig(streams):
    rig = MembersRig(streams)
    rig.client = streams.stream(31)
    rig.ingress(rig.client)
    rig.open_session(17)
    rig.service = streams.stream(41, 105)
    rig.agent.set_control(streams.subscription(rig.service.image()))
    rig.refresh()
    rig.settle()
    return rig


def test_a_leader_polls_ingress_and_services_beside_a_bad_consensus_image(rig):
    bad_frame(rig.from_others[1])
    rig.emit(2, append_position(0, 2))
    rig.client.publication.offer(session_message(17, b"hello"))
    rig.service.publication.offer(session_message(0, b"of a service"))
    do_pass(rig)
    assert len(rig.logged()) == 1
    assert len(rig.trackers[0]) == 1


def test_a_leader_without_a_quorum_steps_down_beside_a_bad_consensus_image(rig):
    bad_frame(rig.from_others[1])
    rig.clock.advance(TIMEOUT_NS)
    do_pass(rig)
    assert ("on_quorum_lost", rig.clock.nano_time()) in rig.conductor.calls


def test_a_follower_of_a_silent_leader_becomes_candidate_despite_a_bad_consensus_image(streams):
    rig = MembersRig(streams, leader=1)
    rig.follow()
    bad_frame(rig.from_others[2])
    rig.clock.advance(TIMEOUT_NS)
    do_pass(rig)
    assert ("on_leader_timeout", rig.clock.nano_time()) in rig.conductor.calls


def test_positions_of_the_others_are_received_beside_a_bad_consensus_image(rig):
    bad_frame(rig.from_others[1])
    rig.emit(2, append_position(96, 2))
    do_pass(rig)
    for _ in range(2):  # the image after the bad one is polled in the same pass or the next
        with contextlib.suppress(CorruptError):
            rig.agent.do_work()
    assert rig.agent.member(2)[0] == 96


@pytest.mark.parametrize("bad", ["ingress", "control"])
def test_the_pass_continues_beside_a_bad_image_of_a_client_or_a_service(rig, bad):
    bad_frame(rig.client if bad == "ingress" else rig.service)
    good = rig.service if bad == "ingress" else rig.client
    good.publication.offer(session_message(0 if good is rig.service else 17, b"x"))
    do_pass(rig)
    assert len(rig.trackers[0]) == (bad == "ingress")
    assert len(rig.logged()) == (bad == "control")


def test_the_second_ingress_subscription_is_polled_beside_a_bad_image_of_the_first(streams, rig):
    rig.agent.set_ingress(
        [streams.subscription(rig.client.image()), streams.subscription(rig.service.image())]
    )
    bad_frame(rig.client)
    rig.service.publication.offer(session_message(17, b"x"))
    do_pass(rig)
    assert len(rig.logged()) == 1


def test_follower_polls_ingress_beside_an_unreadable_log(streams):
    rig = MembersRig(streams, leader=1)
    change_leadership(rig.agent, role=FOLLOWER)
    rig.follow()
    rig.agent.set_notified_commit_position(64)
    rig.recorded.set(64)
    bad_frame(rig.log_stream)
    client = streams.stream(31)
    rig.ingress(client)
    client.publication.offer(session_message(17, b"x"))
    do_pass(rig)
    assert rig.ignored() == {"not_leader": 1}


def raise_on(rig, error):
    def raise_it():
        raise error

    rig.conductor.then = raise_it


REPORTED = {
    "ingress": SessionCloseRequest.encode(leadership_term_id=TERM_ID, cluster_session_id=17),
    "consensus": HeartbeatRequest.encode(correlation_id=1, response_stream_id=1),
    "control": ServiceAck.encode(
        log_position=0, timestamp=0, ack_id=0, relevant_id=0, service_id=0
    ),
}


def emit(rig, way, message):
    {"ingress": rig.client, "consensus": rig.from_others[1], "control": rig.service}[
        way
    ].publication.offer(message)


@pytest.mark.parametrize("way", ["ingress", "consensus", "control"])
def test_exception_in_handling_a_message_concerns_only_that_message(rig, way):
    raise_on(rig, ClusterError("cannot be handled"))
    for _ in range(3):
        emit(rig, way, REPORTED[way])
    rig.client.publication.offer(session_message(17, b"x"))
    for _ in range(3 if way == "control" else 1):  # one acknowledgement per pass
        assert str(do_pass(rig)) == "cannot be handled"
    assert (
        len([call for call in rig.conductor.calls if call[0].endswith("message")])
        + len([call for call in rig.conductor.calls if call[0] == "on_ingress"])
        == 3
    )
    assert len(rig.logged()) == 1
    rig.conductor.then = lambda: None
    rig.agent.do_work()


@pytest.mark.parametrize("way", ["ingress", "consensus", "control"])
def test_terminating_exception_ends_the_pass_immediately(rig, way):
    raise_on(rig, AgentTerminationError("over"))
    emit(rig, way, REPORTED[way])
    with pytest.raises(AgentTerminationError):
        rig.agent.do_work()


def test_failing_conductor_does_not_stop_polling(rig):
    def do_work(_now_ns):
        raise ClusterError("fails")

    rig.conductor.do_work = do_work
    rig.agent.set_next(0, is_busy=True)
    rig.emit(1, append_position(32, 1))
    rig.client.publication.offer(session_message(17, b"x"))
    do_pass(rig)
    assert rig.agent.member(1)[0] == 32
    assert len(rig.logged()) == 1


def test_of_several_errors_in_a_pass_one_is_raised_and_the_others_are_reported(rig):
    bad_frame(rig.from_others[1])
    bad_frame(rig.client)
    error = do_pass(rig)
    (other,) = rig.errors
    assert ["stream 108" in str(each) for each in (error, other)] == [True, False]


def test_a_followers_log_with_a_bad_frame_is_lost_in_the_next_pass(streams):
    rig = MembersRig(streams, leader=1)
    change_leadership(rig.agent, role=FOLLOWER)
    rig.follow()
    rig.agent.set_notified_commit_position(64)
    rig.recorded.set(64)
    bad_frame(rig.log_stream)
    do_pass(rig)
    rig.conductor.take_calls()
    rig.agent.do_work()
    assert ("on_log_lost", rig.clock.nano_time()) in rig.conductor.calls
