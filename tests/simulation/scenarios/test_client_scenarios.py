"""ClusterTest, ClusterSessionReliabilityTest: clients driven by their users."""

import struct

import pytest

from aeron_cluster.client.publication import BufferClaim
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import AdminResponseCode, EventCode, SessionEvent, decode
from aeron_cluster.logbuffer.image_poller import Action
from aeron_cluster.simulator.world.machine import ENVIRONMENT
from tests.simulation.scenarios.rig import (
    MS,
    S,
    Scenario,
    counters_of,
    is_active,
    sequence_of,
    snapshots_of,
)

RECEIVER_POSITION = 4
CLIENT_HEARTBEAT = 11
INGRESS_STREAM_ID = 101
LOG_STREAM_ID = 100
HEADER_LENGTH = 32
SESSION_HEADER_LENGTH = 32
MODES = ["only others", "valid", "unknown host", "wrong port"]


def ingress_endpoint(client):
    return ChannelUri.parse(client.session.ingress_publication.channel).get("endpoint")


def ingress_images(member):
    """Return the number of a member's ingress images, current and recent."""
    labels = (
        each.label.split()
        for each in counters_of(member).counters()
        if each.type_id == RECEIVER_POSITION
    )
    return sum(int(stream_id) == INGRESS_STREAM_ID for _, _, _, stream_id, *_ in labels)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_is_redirected_and_uses_the_leaders_publication_again_if_it_is_right(mode):
    # Without checkers, which would consume the tapped messages.
    with Scenario(module={"appointed_leader_id": 2}, checkers=()) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        assert leader is cluster.members[2]
        endpoints = [each.node.member.ingress_endpoint for each in cluster.members]
        host, _, port = endpoints[2].partition(":")
        known = {
            "valid": endpoints[2],
            "unknown host": f"nowhere:{port}",
            "wrong port": f"{host}:{int(port) + 1111}",
        }
        cluster.known_endpoints = {0: endpoints[0], 1: endpoints[1]}
        if mode in known:
            cluster.known_endpoints[2] = known[mode]
        cluster.world.wire.tap([SessionEvent.template_id])
        client = cluster.add_client()
        # The client connects to another member first.
        cluster.world.wire.clog(leader.machine.network, client.machine.network, 50 * MS)
        cluster.run_until(lambda: client.is_connected, what="a session")
        events = [decode(message) for *_, message in cluster.world.wire.take_tapped()]
        assert [event.code for event in events] == [EventCode.REDIRECT, EventCode.OK]
        assert ingress_endpoint(client) == endpoints[2]
        assert ingress_images(leader) == 1
        assert client.errors == []


def test_a_client_follows_a_change_of_leader_with_another_publication(cluster):
    cluster.send_request()
    old, client = cluster.leader(), cluster.client
    session, publication = client.session, client.session.ingress_publication
    old.kill()
    new = cluster.await_other_leader(old)
    cluster.run_until(lambda: session.leader_member_id == new.member_id, what="the new leader")
    cluster.send_request()
    assert client.session is session
    assert session.ingress_publication is not publication
    assert publication.is_closed
    assert ingress_endpoint(client) == new.node.member.ingress_endpoint


class RecordsAnswers:
    """A listener that receives the response to an admin request, in a controlled poll."""

    def __init__(self, listener):
        self._listener = listener
        self.responses = []

    def __getattr__(self, name):
        return getattr(self._listener, name)

    def on_message(self, *_):
        return Action.CONTINUE

    def on_admin_response(self, response):
        self.responses.append(response)


def test_a_snapshot_is_taken_at_a_clients_request_and_reported_in_a_controlled_poll():
    with Scenario(module={"authorisation_service": lambda *_: True}) as cluster:
        cluster.begin().send_request()
        client = cluster.client
        session = client.session
        listener = RecordsAnswers(session._listener)
        session._listener = listener
        session.poll_egress = session.controlled_poll_egress
        cluster.run_until(lambda: session.send_snapshot_request(77), what="the request")
        cluster.run_until(lambda: listener.responses, what="the answer")
        (response,) = listener.responses
        assert (response.correlation_id, response.response_code) == (77, AdminResponseCode.OK)
        cluster.await_all(lambda each: snapshots_of(each) == 1, what="snapshots")
        cluster.await_all(is_active)
        assert cluster.leader().module.state is ConsensusModuleState.ACTIVE


def test_client_names_of_the_module_and_the_container_are_sent_to_the_driver(single):
    (member,) = single.members

    def labels():
        counters = counters_of(member).counters()
        return {each.label for each in counters if each.type_id == CLIENT_HEARTBEAT}

    module, container = member.module._aeron, member.node.containers[0]._aeron
    wanted = {
        f"client-heartbeat: id={module.client_id} name=consensus-module-0-0",
        f"client-heartbeat: id={container.client_id} name=clustered-service-0-0",
    }
    single.run_until(lambda: wanted < labels(), what="the names")


@pytest.mark.parametrize("is_touched", [False, True])
def test_single_node_answers_with_and_without_pre_touched_memory(monkeypatch, is_touched):
    monkeypatch.setitem(
        ENVIRONMENT, "AERON_CLIENT_PRE_TOUCH_MAPPED_MEMORY", str(is_touched).lower()
    )
    with Scenario(members=1) as cluster:
        cluster.begin().send_request(10)
        (member,) = cluster.members
        assert member.module._aeron.context.pre_touch_mapped_memory is is_touched
        assert sequence_of(member) == 10


class KeepsHeaders(ClusteredService):
    def __init__(self):
        self.observed = []

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        fields = ("frame_length", "flags", "type", "term_offset", "term_id", "stream_id")
        values = {name: getattr(header, name) for name in fields}
        values["reserved_value"], values["position"] = header.reserved_value, header.position
        self.observed.append((bytes(message), header.session_id, values))


def test_services_header_describes_the_log_and_the_complete_message():
    whole, parted = bytes([0xEA]) * 63, bytes([0xBC]) * 5979
    with Scenario(services=KeepsHeaders) as cluster:
        cluster.begin()
        client = cluster.client
        cluster.run_until(lambda: client.is_connected, what="a session")
        opened = cluster.journals[0].entries[-1]
        assert opened.kind == "open"
        claim = BufferClaim()
        cluster.run_until(lambda: client.session.try_claim(len(whole), claim) > 0)
        claim.put(whole, SESSION_HEADER_LENGTH)
        # a reserved value of the ingress is not copied to the log
        claim.reserved_value = 2348723482321
        claim.commit()
        client.send(parted)
        cluster.await_all(lambda each: len(each.services[0].observed) == 2, what="both messages")
        ingress_session_id = client.session.ingress_publication.session_id
        position = opened.position
        for index, message in enumerate((whole, parted)):
            length = HEADER_LENGTH + SESSION_HEADER_LENGTH + len(message)
            begin, end = position, cluster.journals[0].entries[-2 + index].position
            for member in cluster.members:
                payload, session_id, values = member.services[0].observed[index]
                assert payload == message
                assert session_id != ingress_session_id
                assert values == {
                    "frame_length": length,
                    "flags": 0xC0,
                    "type": 1,
                    "term_offset": begin,
                    "term_id": 0,
                    "stream_id": LOG_STREAM_ID,
                    "reserved_value": 0,
                    "position": end,
                }
            position = end


class Numbers(ClusteredService):
    """Sends each client the numbers from 0 on, one every 10 ms, while offers succeed."""

    def on_start(self, cluster, snapshot_image):  # noqa: ARG002
        self._cluster = cluster
        self._next = {}

    def on_session_open(self, session, timestamp):
        self._next[session.id] = 0
        self.on_timer_event(0, timestamp)

    def on_session_close(self, session, timestamp, close_reason):  # noqa: ARG002
        del self._next[session.id]

    def on_timer_event(self, correlation_id, timestamp):
        self._cluster.schedule_timer(correlation_id, timestamp + 10)
        for session in self._cluster.client_sessions:
            if session.offer(struct.pack("<q", self._next[session.id])) > 0:
                self._next[session.id] += 1


def test_a_client_does_not_rejoin_the_egress_of_the_same_node():
    # Otherwise it would miss the messages in between without noticing.
    with Scenario(services=Numbers, members=1) as cluster:
        cluster.start()
        (member,) = cluster.members
        client = cluster.add_client(is_reconnecting=False)
        cluster.run_until(lambda: len(client.responses) >= 5, what="numbers")
        port = int(client.session.egress_subscription.resolved_endpoint.rpartition(":")[2])
        wire = cluster.world.wire
        wire.block(member.machine.network, client.machine.network, port=port)
        cluster.run_until(lambda: client.session is None, what="the end of the session")
        before = len(client.responses)
        wire.heal()
        cluster.run_for(5 * S)
        assert len(client.responses) == before
        assert client.session_count == 1
        numbers = [struct.unpack("<q", each.payload)[0] for each in client.responses]
        assert numbers == list(range(before))
        assert before * 10 * MS < S
