"""UDP channels: addresses, canonical forms, and rejected values."""

import itertools

import pytest

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver.clients.udp_channel import ControlMode, UdpChannel
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.address import Address, Interface

NAMES = {"localhost": "127.0.0.1", "node0": "10.0.0.5"}
INTERFACES = [
    Interface("lo", Address("127.0.0.1", 0), 8, is_loopback=True, is_multicast=False),
    Interface("eth0", Address("10.0.0.7", 0), 24, is_loopback=False, is_multicast=True),
    Interface("lo", Address("::1", 0), 128, is_loopback=True, is_multicast=False),
]


def parse(text, *, is_destination=False, suffixes=None):
    uri = ChannelUri.parse(text)
    resolved = {host: NAMES.get(host, host) for host in UdpChannel.hosts(uri)}
    return UdpChannel.parse(
        text, uri, resolved, INTERFACES, suffixes, is_destination=is_destination
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aeron:udp?endpoint=localhost:40123", "UDP-0.0.0.0:0-localhost:40123"),
        ("aeron:udp?endpoint=127.0.0.1:40123", "UDP-0.0.0.0:0-127.0.0.1:40123"),
        (
            "aeron:udp?endpoint=localhost:40123|interface=127.0.0.1",
            "UDP-127.0.0.1:0-localhost:40123",
        ),
        (
            "aeron:udp?endpoint=localhost:40123|interface=127.0.0.0/8",
            "UDP-127.0.0.1:0-localhost:40123",
        ),
        (
            "aeron:udp?control=localhost:4000|control-mode=dynamic",
            "UDP-localhost:4000-0.0.0.0:0",
        ),
        (
            "aeron:udp?endpoint=localhost:5000|control=localhost:4000",
            "UDP-localhost:4000-localhost:5000",
        ),
        ("aeron:udp?endpoint=224.0.1.1:4000", "UDP-10.0.0.7:0-224.0.1.1:4000"),
        (
            "aeron:udp?endpoint=224.0.1.1:4000|interface={eth0}",
            "UDP-10.0.0.7:0-224.0.1.1:4000",
        ),
        ("aeron:udp?endpoint=[::1]:1|interface=[::1]", "UDP-[::1]:0-[::1]:1"),
        ("aeron:udp?endpoint=[::1]:1|interface=[::1]:9/64", "UDP-[::1]:9-[::1]:1"),
        ("aeron:udp?endpoint=localhost:0|tags=5", "UDP-0.0.0.0:0-localhost:0#5"),
        ("aeron:udp?tags=5", "UDP-0.0.0.0:0-0.0.0.0:0#5"),
    ],
)
def test_the_canonical_form_has_the_text_of_names(text, expected):
    assert parse(text).canonical_form == expected


def test_channels_without_a_fixed_port_are_never_the_same():
    suffixes = itertools.count(3)
    forms = [
        parse("aeron:udp?endpoint=localhost:0", suffixes=suffixes).canonical_form for _ in "ab"
    ]
    assert forms == ["UDP-0.0.0.0:0-localhost:0-3", "UDP-0.0.0.0:0-localhost:0-4"]


def test_a_destination_has_no_suffix():
    channel = parse("aeron:udp?endpoint=localhost:0", is_destination=True)
    assert channel.canonical_form == "UDP-0.0.0.0:0-localhost:0"


def test_resolves_endpoint_and_control():
    channel = parse("aeron:udp?endpoint=node0:1|control=localhost:2")
    assert channel.remote_data == Address("10.0.0.5", 1)
    assert channel.local_control == Address("127.0.0.1", 2)
    assert channel.has_explicit_control
    assert channel.control_mode is ControlMode.NONE


def test_receivers_of_a_group_answer_on_the_next_address():
    """Facts 1.14: control address = data address with last octet + 1; same port."""
    channel = parse("aeron:udp?endpoint=224.0.1.1:4000|ttl=4")
    assert channel.is_multicast
    assert channel.remote_control == Address("224.0.1.2", 4000)
    assert channel.multicast_ttl == 4


@pytest.mark.parametrize(
    ("text", "part", "hint"),
    [
        ("aeron:udp?endpoint=224.0.1.2:4000", "parameter 'endpoint'", "nearest: 224.0.1.3"),
        ("aeron:udp", "parameters", ""),
        ("aeron:udp?endpoint=localhost", "parameter 'endpoint'", ""),
        ("aeron:udp?control-mode=dynamic", "parameter 'control'", ""),
        ("aeron:udp?endpoint=localhost:1|interface=10.0.0.0/33", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=localhost:1|interface=10.9.0.0/24", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=localhost:1|interface={eth9}", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=[::1]:1|interface=10.0.0.7", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=[::1]:1|interface=10.0.0.0/8", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=localhost:1|interface=[::1]/64", "parameter 'interface'", ""),
        ("aeron:udp?endpoint=[::1]:1|interface=[::1]:x", "parameter 'interface'", ""),
        (
            "aeron:udp?endpoint=localhost:1|channel-rcv-ts-offset=-16",
            "parameter 'channel-rcv-ts-offset'",
            "",
        ),
        ("aeron:udp?endpiont=localhost:1", "parameters", "nearest: endpoint"),
        ("aeron:ipc", "media", ""),
    ],
)
def test_rejects_invalid_values_and_names_the_part(text, part, hint):
    with pytest.raises(ConfigurationError) as raised:
        parse(text)
    assert part in raised.value.name
    assert hint in raised.value.hint


def test_lone_tag_names_the_channel_with_it():
    tagged = parse("aeron:udp?endpoint=localhost:40123|tags=7")
    assert parse("aeron:udp?tags=7").matches_tag(tagged)
    assert not parse("aeron:udp?tags=8").matches_tag(tagged)
    assert not parse("aeron:udp?endpoint=localhost:40123").matches_tag(tagged)


def test_rejects_a_known_tag_with_another_control_mode():
    tagged = parse("aeron:udp?control=localhost:4000|control-mode=dynamic|tags=7")
    assert parse("aeron:udp?tags=7|control-mode=dynamic|control=localhost:4000").matches_tag(tagged)
    with pytest.raises(ConfigurationError, match="parameter 'control-mode'"):
        parse("aeron:udp?tags=7|control-mode=manual|control=localhost:4000").matches_tag(tagged)


def test_timestamps_apart_by_their_length_are_both_written():
    channel = parse(
        "aeron:udp?endpoint=localhost:1|channel-rcv-ts-offset=0|channel-snd-ts-offset=8"
        "|media-rcv-ts-offset=reserved"
    )
    assert channel.timestamp_offsets == {
        "channel-rcv-ts-offset": 0,
        "channel-snd-ts-offset": 8,
        "media-rcv-ts-offset": -8,
    }


def test_rejects_a_known_tag_with_another_address():
    tagged = parse("aeron:udp?endpoint=localhost:40123|tags=7")
    with pytest.raises(ConfigurationError, match="parameter 'tags'"):
        parse("aeron:udp?endpoint=localhost:40124|tags=7").matches_tag(tagged)
