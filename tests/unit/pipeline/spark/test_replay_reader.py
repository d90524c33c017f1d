"""A stream from a remote archive that purges a part before it is replayed."""

import json
from dataclasses import replace

import pytest

from aeron_cluster.errors import ArchiveError, PurgedError
from tests.unit.pipeline.test_replayed_segments import TERM, remote  # noqa: F401 - a fixture

pytest.importorskip("pyspark")

from pyspark.sql.types import LongType, StructField, StructType

from aeron_cluster.pipeline.spark.offsets import offset_of
from aeron_cluster.pipeline.spark.options import parse_options
from aeron_cluster.pipeline.spark.replay_reader import ReplayReader

SCHEMA = StructType([StructField("position", LongType(), nullable=False)])
BASE = 4 * TERM


def reader_of(remote, **more):  # noqa: F811 - a fixture's value
    options = parse_options(
        {
            "control_channel": remote.control_channel,
            "aeron_dir": remote.aeron_dir,
            "recording": "0",
            **more,
        }
    )
    return ReplayReader(options, SCHEMA)


def planned(reader, archive):
    end = archive.get_max_recorded_position(0)
    (partition,) = reader.partitions(offset_of({0: 0}), offset_of({0: end}))
    return partition, end


def positions(reader, partition):
    return [each for batch in reader.read(partition) for each in batch["position"].to_pylist()]


def test_a_part_purged_after_planning_is_an_error_or_skipped(remote, tmp_path):  # noqa: F811
    skip = reader_of(remote, on_purge="skip", report_dir=str(tmp_path / "report"))
    fail = reader_of(remote)
    with remote.connect() as archive:
        partition, end = planned(skip, archive)
        whole = positions(skip, partition)
        assert whole[0] == 0
        archive.purge_segments(0, BASE)
        assert positions(skip, partition) == [each for each in whole if each >= BASE]
        with pytest.raises(PurgedError) as caught:
            positions(fail, partition)
        assert (caught.value.position, caught.value.start_position) == (0, BASE)
        (report,) = (tmp_path / "report").iterdir()
        reported = json.loads(report.read_text())
        assert (reported["from_position"], reported["to_position"]) == (0, BASE)

        # Other rejections of the archive are reported as such.
        (part,) = partition.value.ranges
        beyond = replace(part.piece, end_position=end + BASE)
        wrong = replace(part, piece=beyond, from_position=end + 32, to_position=end + BASE)
        partition.value = partition.value.with_ranges((wrong,))
        with pytest.raises(ArchiveError):
            positions(skip, partition)
    for each in (skip, fail):
        each.stop()


@pytest.mark.parametrize("place", [BASE + 1, None], ids=["there", "behind the end"])
def test_no_batch_has_messages_before_from_position(remote, place):  # noqa: F811
    everything = reader_of(remote)
    with remote.connect() as archive:
        all_of_it, end = planned(everything, archive)
        whole = positions(everything, all_of_it)
        wanted = place or end + TERM
        reader = reader_of(remote, from_position=str(wanted))
        # A new query, a checkpoint, and one of other recordings.
        for start in (reader.initialOffset(), offset_of({0: 0}), offset_of({})):
            parts = reader.partitions(start, offset_of({0: end}))
            found = [each for part in parts for each in positions(reader, part)]
            assert found == [each for each in whole if each >= wanted]
    for each in (everything, reader):
        each.stop()
