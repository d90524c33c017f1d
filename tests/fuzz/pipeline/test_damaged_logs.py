"""Randomly changed bytes of a log: the readable part becomes rows, the rest is reported."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.errors import AeronClusterError
from aeron_cluster.pipeline import read_log, read_recording
from tests.unit.pipeline.logs import log_of_every_kind

pytest.importorskip("pyarrow")


@settings(max_examples=150)
@given(
    changes=st.lists(st.tuples(st.integers(0, 12_000), st.binary(min_size=1, max_size=9))),
    headers=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 80), st.binary(min_size=1))),
)
def test_damage_is_reported_and_the_rest_is_read(changes, headers):
    log = log_of_every_kind()
    with tempfile.TemporaryDirectory() as directory:
        node = log.write_node(Path(directory))
        for place, data in changes:
            log.damage(node / "archive", min(place, log.position), data)
        for index, offset, data in headers:
            # The headers of frames and entries, since most of a log is payload.
            frame = log.frames[index % len(log.frames)]
            log.damage(node / "archive", frame.position + offset, data)
        for assembled in (True, False):
            reading = read_recording(node / "archive", assembled=assembled, mode="permissive")
            table = reading.table()
            table.validate(full=True)
            positions = table["position"].to_pylist()
            assert positions == sorted(set(positions))
        try:
            reading = read_log(node, time_unit="ms", mode="permissive")
        except AeronClusterError:
            return  # for example another recording log's
        table = reading.table()
        table.validate(full=True)
        assert all(each.from_position < each.to_position for each in reading.left_out)
        try:
            strict = read_log(node, time_unit="ms").table()
        except AeronClusterError:
            assert reading.left_out
        else:
            assert strict == table
            assert not reading.left_out
