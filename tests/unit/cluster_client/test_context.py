"""What a cluster client refuses to start with: AeronClusterContextTest."""

import pytest

from aeron_cluster.cluster_client.context import ClusterClientContext, parse_ingress_endpoints
from aeron_cluster.errors import ConfigurationError

NAME = "aeron.cluster.client.name"


def context(properties=None, **changed):
    return ClusterClientContext.of(
        properties,
        **{"ingress_channel": "aeron:udp", "egress_channel": "aeron:udp?endpoint=me:0", **changed},
    )


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"ingress_channel": ""}, "ingress_channel"),
        ({"egress_channel": ""}, "egress_channel"),
        ({"ingress_channel": "aeron:ipc", "ingress_endpoints": "0=a:1"}, "ingress_endpoints"),
        ({"client_name": "x" * 101}, "client_name"),
        ({"ingress_endpoints": "0=a:1,b:2"}, "ingress endpoint"),
        ({"ingress_endpoints": "0=a:1,0=b:2"}, "ingress endpoints"),
    ],
)
def test_refuses_what_makes_no_sense_by_its_name(changed, name):
    with pytest.raises(ConfigurationError) as raised:
        context(**changed)
    assert raised.value.name == name


def test_has_a_name_of_its_own_or_of_the_properties_or_none():
    assert context().client_name == ""
    assert context({NAME: "from properties"}).client_name == "from properties"
    assert context({NAME: "from properties"}, client_name="given").client_name == "given"
    assert context(client_name="x" * 100).client_name == "x" * 100


def test_endpoints_are_read_by_member():
    assert parse_ingress_endpoints("0=a:1,2=[::1]:2") == {0: "a:1", 2: "[::1]:2"}
