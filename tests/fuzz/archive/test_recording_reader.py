"""Damaged segments: read or rejected with a typed error, without a crash or an endless loop."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeron_cluster.archive.storage.recording_reader import read_recording
from aeron_cluster.errors import CorruptError, PlatformError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.test_recording_reader import Readable

MESSAGES = [bytes([number]) * (number * 400 % 5000) for number in range(20)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return Readable(tmp_path_factory.mktemp("recording"), MESSAGES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    damages=st.lists(
        st.tuples(st.integers(0, 40_000), st.binary(min_size=1, max_size=40)), max_size=6
    ),
    is_open=st.booleans(),
)
def test_any_damage_is_read_or_rejected(recorded, damages, is_open):
    path = recorded.path / "0-0.rec"
    whole = path.read_bytes()
    stop = recorded.descriptor.stop_position
    try:
        for offset, data in damages:
            recorded.damage(offset, data)
        recorded.descriptor.stop_position = -1 if is_open else stop
        with contextlib.suppress(CorruptError, PlatformError):
            for message, position in read_recording(
                SystemFiles(), str(recorded.path), recorded.descriptor
            ):
                assert len(message) < len(whole)
                assert position > 0
    finally:
        recorded.descriptor.stop_position = stop
        path.write_bytes(whole)
    assert [message for message, _ in recorded.read()] == MESSAGES
