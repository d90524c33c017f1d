"""Any text is a URI or a typed error; a built URI is read back."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.codecs.channel_uri import PARAMETERS, ChannelUri
from aeron_cluster.errors import ConfigurationError

KEYS = st.sampled_from(PARAMETERS) | st.text(
    st.characters(codec="ascii", exclude_characters="|="), min_size=1
)
VALUES = st.text(st.characters(codec="ascii", exclude_characters="|"), max_size=40)
PARAMS = st.dictionaries(KEYS, VALUES, max_size=8)
PIECES = st.sampled_from(
    ["aeron:", "aeron-spy:", "udp", "ipc", "?", "|", "=", "tag:", "1", "64k", "5s", *PARAMETERS]
)


@given(st.sampled_from(["udp", "ipc"]), PARAMS, st.booleans())
def test_a_written_uri_reads_back(media, params, is_spy):
    uri = ChannelUri(media, params, is_spy=is_spy)
    assert ChannelUri.parse(str(uri)) == uri
    assert uri.params == params


@given(st.text() | st.lists(PIECES | st.text(max_size=3)).map("".join))
def test_any_text_is_read_or_rejected(text):
    with contextlib.suppress(ConfigurationError):
        uri = ChannelUri.parse(text)
        assert ChannelUri.parse(str(uri)) == uri
        uri.validate()


@given(
    st.sampled_from(PARAMETERS),
    st.text(st.sampled_from("0123456789kmgnus-:,.tag[]true "), max_size=24),
)
def test_any_value_is_accepted_or_rejected(key, text):
    with contextlib.suppress(ConfigurationError):
        ChannelUri("udp", {key: text, "control-mode": "manual"}).validate()


@given(st.integers(0, 2**63 - 1))
def test_sizes_and_durations_are_written_exactly(value):
    uri = ChannelUri("ipc").with_params({"so-rcvbuf": value, "linger": value})
    assert uri.size("so-rcvbuf", None) == value
    assert uri.duration_ns("linger", None) == value


@given(
    st.integers(0, 2**52),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(16, 30).map(lambda bits: 1 << bits),
)
def test_an_initial_position_is_found_again(position, initial_term_id, term_length):
    position = position % (term_length * 2**31) & ~31
    uri = ChannelUri("ipc").initial_position(position, initial_term_id, term_length).validate()
    term_count = (uri.int32("term-id", None) - uri.int32("init-term-id", None)) % 2**32
    assert term_count * term_length + uri.int32("term-offset", None) == position
