"""A channel's parameters for a publication or subscription."""

import pytest

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.driver.clients.commands import CommandError
from aeron_cluster.driver.clients.stream_params import (
    InitialPosition,
    PublicationParams,
    SubscriptionParams,
)
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.errors import ConfigurationError

CONTEXT = DriverContext(environment={})
K = 1024


def publication(params, stream_id=1001, tagged=None):
    uri = ChannelUri.parse(f"aeron:ipc?{params}" if params else "aeron:ipc")
    return PublicationParams.read(uri, stream_id, CONTEXT, tagged)


def test_missing_parameters_are_the_drivers():
    params = publication("")
    assert (params.term_length, params.mtu_length) == (64 << 20, 1408)
    assert params.window_length == 32 << 20
    assert params.initial_position is None
    assert params.signals_end_of_stream
    assert not params.spies_simulate_connection


def test_a_position_is_where_the_stream_continues():
    params = publication(
        "term-length=64k|init-term-id=2147483647|term-id=-2147483647|term-offset=96"
    )
    assert params.initial_position == InitialPosition(2**31 - 1, -(2**31) + 1, 96)
    assert params.initial_position.position(64 * K) == 2 * 64 * K + 96


@pytest.mark.parametrize(
    ("params", "part"),
    [
        ("mtu=1400", "'mtu'"),
        ("mtu=16k|term-length=64k", "'mtu'"),
        ("mtu=32", "'mtu'"),
        ("term-length=100k", "'term-length'"),
        ("pub-wnd=1k", "'pub-wnd'"),
        ("pub-wnd=64k|term-length=64k", "'pub-wnd'"),
        ("term-id=5", "init-term-id"),
        ("init-term-id=5|term-id=4|term-offset=0", "'term-id'"),
        ("init-term-id=5|term-id=5|term-offset=33", "'term-offset'"),
        ("init-term-id=5|term-id=5|term-offset=128k|term-length=64k", "'term-offset'"),
        ("init-term-id=5|term-id=5|term-offset=65568|term-length=64k", "'term-offset'"),
        ("init-term-id=5|term-id=5|term-offset=67108896", "at most the term length 67108864"),
        ("stream-id=7", "'stream-id'"),
        ("max-resend=0", "'max-resend'"),
        ("session-id=x", "'session-id'"),
        ("linger=1h", "'linger'"),
    ],
)
def test_rejects_invalid_values_and_names_the_part(params, part):
    with pytest.raises(ConfigurationError) as raised:
        publication(params)
    assert part in str(raised.value)


def test_a_window_of_at_most_half_a_term_is_the_publications():
    assert publication("pub-wnd=16k|term-length=64k").window_length == 16 * K
    assert publication("pub-wnd=32k|term-length=64k").window_length == 32 * K


def test_a_tagged_session_brings_mtu_and_term_length():
    params = publication("session-id=tag:5", tagged=(99, 2048, 128 * K))
    assert (params.session_id, params.mtu_length, params.term_length) == (99, 2048, 128 * K)
    with pytest.raises(ConfigurationError, match="tagged publication"):
        publication("session-id=tag:5|mtu=4096", tagged=(99, 2048, 128 * K))


def test_rejects_an_mtu_beyond_the_socket_buffer():
    with pytest.raises(CommandError, match="so-sndbuf=1024"):
        publication("").check_sndbuf(1024)


def test_a_subscription_has_no_tagged_session():
    uri = ChannelUri.parse("aeron:ipc?session-id=tag:5")
    with pytest.raises(ConfigurationError, match=r"'session-id'.*a number on a subscription"):
        SubscriptionParams.read(uri, CONTEXT)


def test_a_subscription_reads_its_flags():
    uri = ChannelUri.parse("aeron:ipc?tether=false|rejoin=false|reliable=false|session-id=-4")
    params = SubscriptionParams.read(uri, CONTEXT)
    assert (params.is_tethered, params.is_rejoining, params.is_reliable) == (False, False, False)
    assert params.session_id == -4
    assert params.group is None
