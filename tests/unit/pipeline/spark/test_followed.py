"""The recordings a stream may follow."""

import json

import pytest

pytest.importorskip("pyarrow")

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.spark.followed import follow
from aeron_cluster.pipeline.spark.options import parse_options


def test_a_stream_follows_one_member():
    options = parse_options({"paths": json.dumps(["node0", "node1", "node2"])})
    with pytest.raises(ConfigurationError, match=r"path: expected one member's .* found 3"):
        follow(Seams(), options)
