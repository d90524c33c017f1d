"""The one table of options."""

import os

import pytest

from aeron_cluster.config import CLIENT, read_properties, resolve
from aeron_cluster.errors import ConfigurationError


def test_a_keyword_wins_over_properties_over_the_environment():
    properties = {"aeron.client.name": "from properties", "aeron.dir": "/properties"}
    environment = {"AERON_CLIENT_NAME": "x", "AERON_DIR": "/env", "AERON_DRIVER_TIMEOUT": "250"}
    values = resolve(CLIENT, {"client_name": "from keyword"}, properties, environment)
    assert values["client_name"] == "from keyword"
    assert values["aeron_dir"] == "/properties"
    assert values["driver_timeout_ns"] == 250_000_000  # plain milliseconds, as upstream's


def test_defaults_are_upstreams():
    values = resolve(CLIENT, {}, {}, {})
    assert values["driver_timeout_ns"] == 10_000_000_000
    assert values["idle_sleep_duration_ns"] == 16_000_000
    assert values["resource_linger_duration_ns"] == 3_000_000_000
    assert values["aeron_dir"].split("/")[-1].startswith("aeron-")


@pytest.mark.parametrize(
    ("given", "expected"), [("5s", 5_000_000_000), ("20", 20), ("3MS", 3_000_000), (7, 7)]
)
def test_a_duration_has_a_unit_or_is_ns(given, expected):
    values = resolve(CLIENT, {"resource_linger_duration_ns": given}, {}, {})
    assert values["resource_linger_duration_ns"] == expected


def test_a_refusal_says_where_the_value_came_from():
    with pytest.raises(ConfigurationError, match="AERON_CLIENT_IDLE_SLEEP_DURATION") as refused:
        resolve(CLIENT, {}, {}, {"AERON_CLIENT_IDLE_SLEEP_DURATION": "2s"})
    assert refused.value.found == "2s"


def test_an_unknown_option_gets_the_nearest_known_one():
    with pytest.raises(ConfigurationError, match="nearest: aeron_dir"):
        resolve(CLIENT, {"aeron_directory": "/x"}, {}, {})


def test_reads_a_properties_file(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("# a comment\naeron.client.name = me\n\naeron.dir=/a=b\n")
    assert read_properties(path) == {"aeron.client.name": "me", "aeron.dir": "/a=b"}
    assert resolve(CLIENT, {"aeron_dir": tmp_path}, {}, {})["aeron_dir"] == os.fspath(tmp_path)
