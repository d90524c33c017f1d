"""Offsets of streams, as Spark stores them."""

import json

import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.spark.offsets import offset_of, positions_in


def test_offset_survives_the_checkpoint():
    positions = {7: 64, -1: 2**62, 3: 0}
    assert positions_in(json.loads(json.dumps(offset_of(positions)))) == positions
    assert list(offset_of(positions)["recordings"]) == ["-1", "3", "7"]


@pytest.mark.parametrize(
    "offset",
    [
        {},
        {"version": 2, "recordings": {"0": 64}},
        {"version": 1},
        {"version": 1, "recordings": None},
        {"version": 1, "recordings": {"first": 64}},
        {"version": 1, "recordings": {"0": [64]}},
    ],
    ids=["empty", "later version", "no recordings", "null", "no id", "no position"],
)
def test_offset_of_another_source_is_rejected(offset):
    with pytest.raises(ConfigurationError, match="checkpoint: expected an offset of version 1"):
        positions_in(offset)
