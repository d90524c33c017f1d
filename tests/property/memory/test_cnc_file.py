"""CnC files with any content: opened within their bounds, or rejected with a reason."""

import struct
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.errors import CorruptError, LappedError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.conftest import SHARED_MEMORY

FILES = SystemFiles()
WORDS = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 20_000),
    st.sampled_from([512, 1024 + 768, 2048 + 768, 1024 + 128, 4096 + 128]),
)


@pytest.fixture(scope="module")
def template():
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        path = Path(folder) / "cnc.dat"
        with CncFile.create(
            FILES,
            path,
            to_driver_buffer_length=1024 + 768,
            to_clients_buffer_length=1024 + 128,
            counters_values_buffer_length=128 * 4,
            error_log_buffer_length=512,
            client_liveness_timeout_ns=1,
            start_timestamp_ms=2,
            pid=3,
        ) as cnc:
            cnc.signal_ready(1)
            cnc.to_driver().write(1, b"command")
            cnc.to_clients_transmitter().transmit(1, b"event")
            cnc.counters_manager().allocate("label", 1, b"key", now_ms=0)
            cnc.error_log().record("error", now_ms=0)
        yield path.read_bytes(), Path(folder) / "damaged.dat"


def use(cnc):
    """Call everything once that reads content written by others."""
    ring = cnc.to_driver()
    for _ in range(3):
        try:
            ring.read(lambda *_: None)
            ring.unblock()
            ring.write(1, b"more")
        except CorruptError:
            ring.skip_corrupt()
    receiver = cnc.to_clients_receiver()
    with suppress(CorruptError, LappedError):
        receiver.receive()
        cnc.to_clients_transmitter().transmit(1, b"more")
        receiver.receive()
    cnc.counters_reader().counters()
    cnc.counters_manager().counters()
    cnc.error_log().record("more", now_ms=1)
    cnc.error_log().entries()


@given(
    header=st.lists(st.tuples(st.integers(0, 31), WORDS), max_size=4),
    sections=st.lists(st.tuples(st.integers(0, 1900), WORDS), max_size=6),
    length=st.one_of(st.none(), st.integers(0, 9000)),
)
@settings(max_examples=400, deadline=None)
def test_any_content_is_rejected_or_used_within_its_bounds(template, header, sections, length):
    whole, path = template
    data = bytearray(whole)
    for index, value in header:
        struct.pack_into("<i", data, 4 * index, value)
    for index, value in sections:
        struct.pack_into("<i", data, 128 + 4 * index, value)
    path.write_bytes(data[:length])

    ready = CncFile.is_ready(FILES, path)
    rejected = None
    try:
        cnc = CncFile.open(FILES, path)
    except CorruptError as error:
        rejected = error
    if rejected is not None:
        assert rejected.path == str(path)
        assert str(path) in str(rejected)
        return
    assert ready
    with cnc:
        assert 128 + sum(cnc.section_lengths) <= cnc.length
        use(cnc)
