"""For any flipped byte of any frame and member, the audit locates it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.pipeline.jobs.audit import audit
from aeron_cluster.pipeline.jobs.audits.findings import FindingKind
from tests.unit.pipeline.jobs.clusters import write_cluster

IDS = range(12, 20)  # of session and stream, different for each member


@pytest.fixture(scope="module")
def cluster():
    with TemporaryDirectory() as directory:
        nodes, log, _ = write_cluster(Path(directory))
        assert audit(*nodes).is_consistent
        yield nodes, log


@given(data=st.data())
def test_a_flipped_byte_is_named_by_member_and_position(cluster, data):
    nodes, log = cluster
    frame = data.draw(st.sampled_from(log.frames), "frame")
    length = 32 if frame.kind == 0 else frame.length
    offset = data.draw(st.integers(0, length - 1).filter(lambda at: at not in IDS), "offset")
    member = data.draw(st.integers(0, 2), "member")
    bit = 1 << data.draw(st.integers(0, 7), "bit")
    archive = nodes[member] / "archive"
    right = (log.header(frame) + frame.payload)[offset]
    log.damage(archive, frame.position + offset, bytes([right ^ bit]))
    try:
        finding = audit(*nodes).findings[0]
    finally:
        log.damage(archive, frame.position + offset, bytes([right]))
    assert finding.kind is FindingKind.DIFFERENT_BYTE
    assert finding.member == f"member {member}"
    assert finding.position == frame.position + offset
    assert finding.found == f"0x{right ^ bit:02x}"
