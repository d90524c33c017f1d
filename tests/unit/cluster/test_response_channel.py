"""Response channels a client may request."""

import pytest

from aeron_cluster.cluster.context.response_channel import ResponseChannels
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.errors import ConfigurationError
from tests.unit.cluster.test_module_context import context

MEMBERS = parse_members("0,h0:9002,h0:9003,h0:9004,h0:9005,h0:8010|1,h1:1,h1:2,h1:0,h1:4,h1:5")
OWN_STREAMS = (10, 100, 101, 104, 105, 108)
SOURCE = "10.0.0.1:40000"


def refine(channel, stream_id=102, source=SOURCE, **options):
    return ResponseChannels(MEMBERS, OWN_STREAMS, **options).refine(channel, stream_id, source)


@pytest.mark.parametrize(
    ("requested", "configured", "is_ipc_allowed", "answered"),
    [
        ("aeron:udp?endpoint=c:1", None, False, "aeron:udp?endpoint=c:1"),
        ("aeron:ipc", None, False, "aeron:ipc"),
        (
            "aeron:udp?endpoint=c:1|mtu=1408",
            "aeron:udp?term-length=64k|mtu=8k",
            False,
            "aeron:udp?endpoint=c:1|mtu=8k|term-length=64k",
        ),
        (
            "aeron:udp?endpoint=c:1",
            "aeron:udp?endpoint=224.20.30.39:1",
            True,
            "aeron:udp?endpoint=224.20.30.39:1",
        ),
        ("aeron:ipc?term-length=64k", "aeron:udp?mtu=8k", True, "aeron:ipc?term-length=64k"),
        ("aeron:ipc?term-length=64k", "aeron:udp?mtu=8k", False, "aeron:udp?mtu=8k"),
    ],
)
def test_the_clusters_egress_channel_wins(requested, configured, is_ipc_allowed, answered):
    found = refine(
        requested, source="aeron:ipc", egress_channel=configured, is_ipc_allowed=is_ipc_allowed
    )
    assert sorted(found.split("|")) == sorted(answered.split("|"))


@pytest.mark.parametrize(
    "channel",
    [
        # Upstream's own tests and samples.
        "aeron:udp?endpoint=localhost:0",
        "aeron:udp?term-length=128k|endpoint=localhost:30000|alias=egress",
        "aeron:udp?endpoint=localhost:24326|alias=redirect-test",
        "aeron:udp?endpoint=10.42.0.1:40456",
        "aeron:udp?endpoint=localhost:9020|term-length=64m|mtu=8k",
        # Parameters that only concern the subscriber.
        "aeron:udp?endpoint=224.20.30.39:4050|interface=10.0.0.0/24|ttl=4",
        "aeron:udp?endpoint=c:9|so-rcvbuf=2m|rcv-wnd=1m|reliable=true|tether=false|group=infer",
        "aeron:udp?endpoint=[fe80::1]:4|sparse=true|linger=0",
        "aeron:udp?endpoint=c:9|sparse=false|term-length=1m",
        "aeron:udp?endpoint=c:9|something-new=1",
        # A client may use a port that the cluster uses on another host.
        "aeron:udp?endpoint=c:9002",
    ],
)
def test_a_client_is_answered_on_its_requested_channel(channel):
    assert refine(channel) == channel


@pytest.mark.parametrize(
    ("channel", "reported"),
    [
        ("", "'aeron:'"),
        ("/dev/shm/aeron", "'aeron:'"),
        ("file:///etc/passwd", "'aeron:'"),
        ("aeron:tcp?endpoint=c:9", "udp or ipc"),
        ("aeron-spy:aeron:udp?endpoint=c:9", "can be published to"),
        ("aeron:udp", "expected an endpoint"),
        ("aeron:udp?mtu=8k", "expected an endpoint"),
        # A port of this machine chosen by the client.
        ("aeron:udp?endpoint=c:9|control=0.0.0.0:22|control-mode=dynamic", "no control"),
        ("aeron:udp?control-mode=response|control=c:9", "no control"),
        ("aeron:udp?endpoint=c:9|control-mode=manual", "no control-mode"),
        # A stream that continues at the position of another.
        ("aeron:udp?endpoint=c:9|session-id=4711", "no session-id"),
        ("aeron:udp?endpoint=c:9|term-id=4|init-term-id=4|term-offset=0", "no init-term-id"),
        ("aeron:udp?endpoint=c:9|response-correlation-id=4", "no response-correlation-id"),
        # More memory than needed.
        ("aeron:udp?endpoint=c:9|term-length=1g", "a term-length of at most 64m"),
        ("aeron:udp?endpoint=c:9|sparse=false", "a term-length of at most 1m"),
        ("aeron:udp?endpoint=c:9|sparse=false|term-length=2m", "a term-length of at most 1m"),
        ("aeron:udp?endpoint=c:9|term-length=wide", "term-length"),
        ("aeron:udp?endpoint=c:9|linger=1h", "linger"),
        ("aeron:udp?endpoint=c:9|linger=1000s", "a linger of at most 10s"),
        ("aeron:ipc", "a UDP channel of a client at 10.0.0.1:40000"),
    ],
)
def test_invalid_response_channels_are_rejected(channel, reported):
    with pytest.raises(ConfigurationError, match=reported):
        refine(channel)


@pytest.mark.parametrize(
    ("channel", "answered"),
    [
        ("aeron:udp?endpoint=c:9|tags=7", "aeron:udp?endpoint=c:9"),
        ("aeron:udp?tags=7,8|endpoint=c:9|mtu=8k", "aeron:udp?endpoint=c:9|mtu=8k"),
        ("aeron:ipc?tags=7,8", "aeron:ipc"),
    ],
)
def test_no_client_has_a_tag_in_the_members_driver(channel, answered):
    # "Exclusive publication on logChannel plus `tags=<channelTag>,<pubTag>`, both from the driver
    # correlation id counter": a tag already used by a client is rejected to the next leader.
    assert refine(channel, source="aeron:ipc") == answered


@pytest.mark.parametrize("source", ["aeron:ipc", "127.0.0.1:9", "[::1]:9"])
def test_ipc_is_for_clients_of_this_machine(source):
    assert refine("aeron:ipc?term-length=64k", source=source) == "aeron:ipc?term-length=64k"


@pytest.mark.parametrize("stream_id", OWN_STREAMS)
def test_no_client_is_answered_in_the_clusters_own_streams(stream_id):
    # A service's reply to stream 105 would be read as a service message; one to the ingress would
    # return forever.
    for channel, source in (
        ("aeron:ipc", "aeron:ipc"),
        ("aeron:udp?endpoint=h0:9002", SOURCE),
        ("aeron:udp?endpoint=h0.by.another.name:9002", SOURCE),
        ("aeron:udp?endpoint=h0:09003", SOURCE),
        ("aeron:udp?endpoint=[::1]:8010", SOURCE),
    ):
        with pytest.raises(ConfigurationError, match="a stream that is not the cluster's own"):
            refine(channel, stream_id, source)
    assert refine("aeron:udp?endpoint=h0:7777", stream_id) == "aeron:udp?endpoint=h0:7777"


def test_the_clusters_own_channel_may_have_parameters_a_clients_may_not():
    egress = "aeron:udp?control=h0:7|control-mode=dynamic|endpoint=h0:1|term-length=128m"
    found = refine("aeron:udp?mtu=8k", egress_channel=egress)
    assert "control=h0:7" in found
    assert "term-length=128m" in found


def test_a_module_knows_its_own_streams():
    made = context(service_stream_id=204).make_response_channels()
    for stream_id in (10, 100, 101, 103, 105, 107, 108, 120, 204):
        with pytest.raises(ConfigurationError, match="not the cluster's own"):
            made.refine("aeron:ipc", stream_id, "aeron:ipc")
    assert made.refine("aeron:ipc", 102, "aeron:ipc") == "aeron:ipc"


def test_a_backup_may_subscribe_only_to_the_consensus_stream():
    made = context().make_backup_response_channels()
    member = "aeron:udp?endpoint=elsewhere:" + context().member.consensus_endpoint.split(":")[1]
    assert made.refine(member, 108, "10.0.0.1:1") == member
    with pytest.raises(ConfigurationError, match="not the cluster's own"):
        made.refine(member, 100, "10.0.0.1:1")
