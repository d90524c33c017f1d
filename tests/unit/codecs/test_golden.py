"""Our codecs compared with the bytes of the real Java codecs."""

import pytest

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import ConfigurationError, MessageError
from tests.golden.transcoder import (
    NO_ROOM,
    OUT_OF_BOUNDS,
    UNKNOWN,
    Transcoder,
    message_types,
    read_items,
)
from tests.golden.vectors import SCHEMAS, channel_uri_vectors, codec_vectors

VECTORS = codec_vectors()
CURRENT = [vector for vector in VECTORS if vector.is_current]
READ = {*message_types("read")}
WRITTEN = {*message_types("written")}
COUNTING = [vector for vector in CURRENT if vector.values == "counting"]
URIS = channel_uri_vectors()


@pytest.fixture(scope="module")
def transcode(tmp_path_factory):
    return Transcoder(tmp_path_factory.mktemp("transcoder"))


def test_every_message_has_vectors():
    messages = {(s.name, m.name) for s in SCHEMAS.values() for m in s.messages.values()}
    assert {(vector.schema, vector.message) for vector in CURRENT} == messages
    assert len(CURRENT) == 5 * len(messages)


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_python_reads_the_same_as_java(vector):
    message = SCHEMAS[vector.schema].decode(vector.encoded)
    assert type(message) is vector.message_type
    assert message.as_dict() == vector.read
    assert message.encoded_length == len(vector.encoded)


@pytest.mark.parametrize("vector", CURRENT, ids=str)
def test_python_writes_the_same_as_java(vector):
    assert vector.message_type.encode(**vector.read) == vector.encoded


@pytest.mark.parametrize("vector", [v for v in VECTORS if v.message_type in READ], ids=str)
def test_c_reads_the_same_as_java(vector, transcode):
    names = [item.name for item in read_items(vector.message_type)]
    expected = {name: vector.read[name] for name in names}
    assert transcode.read(vector.encoded, vector.message_type) == expected


@pytest.mark.parametrize("vector", [v for v in CURRENT if v.message_type in WRITTEN], ids=str)
def test_c_writes_the_same_as_java(vector, transcode):
    assert transcode.write(vector.message_type, vector.read) == vector.encoded


@pytest.mark.parametrize("vector", [v for v in COUNTING if v.message_type in READ], ids=str)
def test_c_rejects_each_shortened_message(vector, transcode):
    kind = vector.message_type
    has_all = {*kind.data} <= {*read_items(kind)}
    end = len(vector.encoded) if has_all else kind.schema.header_length + kind.block_length
    for length in range(end):
        assert transcode.read(vector.encoded[:length], kind) == OUT_OF_BOUNDS


@pytest.mark.parametrize("vector", [v for v in COUNTING if v.message_type in WRITTEN], ids=str)
def test_c_rejects_each_small_target(vector, transcode):
    for length in range(len(vector.encoded)):
        assert transcode.write(vector.message_type, vector.read, capacity=length) == NO_ROOM


@pytest.mark.parametrize("vector", COUNTING, ids=str)
def test_python_rejects_each_shortened_message(vector):
    for length in range(len(vector.encoded)):
        with pytest.raises(MessageError):
            SCHEMAS[vector.schema].decode(vector.encoded, 0, length)


def test_c_detects_unknown_messages(transcode):
    (header,) = (message for message in READ if message.name == "SessionMessageHeader")
    assert transcode.read(bytes([0, 0, 0x0F, 0x27, 111, 0, 16, 0]), header) == UNKNOWN
    assert transcode.read(bytes([0, 0, 1, 0, 99, 0, 16, 0]), header) == UNKNOWN


@pytest.mark.parametrize("vector", URIS, ids=lambda vector: vector["uri"][:60])
def test_reads_channel_uris_as_java_does(vector):
    if "parseError" in vector:
        with pytest.raises(ConfigurationError, match="channel URI"):
            ChannelUri.parse(vector["uri"])
        return
    uri = ChannelUri.parse(vector["uri"])
    assert (uri.media, uri.is_spy, uri.params) == (
        vector["media"],
        vector["isSpy"],
        vector["params"],
    )


@pytest.mark.parametrize(
    "vector", [v for v in URIS if "parseError" not in v], ids=lambda vector: vector["uri"][:60]
)
def test_validates_channel_uris_as_javas_builder_does(vector):
    uri = ChannelUri.parse(vector["uri"])
    if "buildError" in vector:
        with pytest.raises(ConfigurationError, match="channel URI"):
            uri.validate()
        return
    uri.validate()
    # Java's builder reads each value and writes its shortest form; the order must match.
    assert list(uri) == list(ChannelUri.parse(vector["built"]))
    if str(uri) != vector["built"]:
        assert ChannelUri.build(uri.media, is_spy=uri.is_spy, **typed(uri)) == ChannelUri.parse(
            vector["built"]
        )


def typed(uri):
    """Return the parameters with sizes, durations and booleans parsed."""
    read = {
        "linger": uri.duration_ns,
        "nak-delay": uri.duration_ns,
        "mtu": uri.size,
        "term-length": uri.size,
        "so-rcvbuf": uri.size,
    }
    return {
        key.replace("-", "_"): read[key](key, None) if key in read else text
        for key, text in uri.params.items()
    }
