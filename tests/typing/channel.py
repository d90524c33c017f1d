"""A user reads and builds channels; mypy checks the types."""

from typing import assert_type

from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.errors import AeronClusterError, ConfigurationError


def term_length(text: str) -> int | None:
    """Ask for one parameter."""
    try:
        uri = ChannelUri.parse(text)
    except ConfigurationError as error:
        assert_type(error.name, str)
        return None
    assert_type(uri.is_udp, bool)
    assert_type(uri.get("endpoint"), str | None)
    return uri.size("term-length", None)


def as_the_standard_one(error: ConfigurationError) -> ValueError:
    """An error of the package is a subclass of the standard one."""
    ours: AeronClusterError = error
    del ours
    return error
