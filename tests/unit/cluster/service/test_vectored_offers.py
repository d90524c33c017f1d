"""Messages of a service that are gathered from several buffers."""

import pytest

from aeron_cluster.codecs.cluster import SessionMessageHeader
from aeron_cluster.errors import CallbackError, MessageError
from tests.unit.cluster.service.container_rig import EGRESS_STREAM_ID, FOLLOWER, TERM_ID, Calls

PARTS = [b"head ", bytearray(b"body "), memoryview(b"a longer tail")[9:], b""]
WHOLE = b"head body tail"


def during(rig, service, call):
    """Run a call in the callback of a message; return its result."""
    results = []
    service.on["on_session_message"] = lambda *_: results.append(call())
    rig.message(-5, b"")
    rig.commit()
    (result,) = results
    return result


def test_session_receives_all_parts_as_one_message(rig):
    messages = []
    egress = rig.aeron.add_subscription("aeron:ipc?term-length=64k", EGRESS_STREAM_ID)
    service = Calls()
    rig.lead(service)
    rig.open(17)
    rig.commit()

    def answer():
        while not (position := service.sessions[17].offer_vectored(iter(PARTS))):
            service.cluster.idle()
        return position

    assert during(rig, service, answer) > 0

    def is_received():
        egress.poll(lambda message, _: messages.append(bytes(message)))
        return messages

    rig.until(is_received)
    (found,) = messages
    header = SessionMessageHeader.decode(found)
    assert (header.leadership_term_id, header.cluster_session_id) == (TERM_ID, 17)
    assert found[32:] == WHOLE


def test_cluster_receives_all_parts_as_one_message(rig):
    service = Calls()
    cluster = rig.lead(service)
    assert during(rig, service, lambda: cluster.offer_vectored(PARTS)) > 0
    rig.next(SessionMessageHeader)
    assert rig.payload == WHOLE


def test_offer_of_parts_obeys_the_rules_of_an_offer(rig):
    service = Calls()
    cluster = rig.lead(service)
    rig.open(17)
    rig.commit()
    session = service.sessions[17]

    def rejected():
        with pytest.raises(MessageError, match="found 8161"):
            cluster.offer_vectored([bytes(8160), b"x"])
        with pytest.raises(TypeError):
            session.offer_vectored([b"x", "text"])

    during(rig, service, rejected)

    def rejected_here(_):
        for each in (cluster, session):
            with pytest.raises(CallbackError):
                each.offer_vectored(PARTS)

    service.on["on_role_change"] = rejected_here
    rig.join(FOLLOWER)
    rig.until(lambda: service.named("on_role_change"))
    assert during(rig, service, lambda: session.offer_vectored(PARTS)) == 1
    assert rig.errors == []
