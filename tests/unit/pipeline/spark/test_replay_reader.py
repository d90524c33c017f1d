"""A stream from a remote archive that purges a part before it is replayed."""

import json
from dataclasses import replace

import pytest

from aeron_cluster.errors import ArchiveError, ConfigurationError, PurgedError
from tests.unit.pipeline.test_replayed_segments import TERM, remote  # noqa: F401 - a fixture

pytest.importorskip("pyspark")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes
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


def test_batches_between_the_offsets_have_every_row_once(remote):  # noqa: F811
    reader = reader_of(remote, recording="all")
    with remote.connect() as archive:
        everything, end = planned(reader, archive)
        whole = positions(reader, everything)
        begin = reader.initialOffset()
        assert begin == offset_of({0: 0})
        found = []
        for _ in range(1000):
            after = reader.latestOffset(begin, ReadMaxBytes(2 * TERM))
            assert after == reader.latestOffset(begin, ReadMaxBytes(2 * TERM))
            parts = reader.partitions(begin, after)
            found += [each for part in parts for each in positions(reader, part)]
            if after == begin:
                break
            begin = after
        assert found == whole
        assert begin == reader.reportLatestOffset() == offset_of({0: end})
        assert reader.partitions(begin, begin) == []
        assert list(reader.read(None)) == []  # Spark's own object, if there are no partitions
    reader.stop()
    reader.stop()


def test_checkpoint_beyond_the_end_is_rejected(remote):  # noqa: F811
    reader = reader_of(remote)
    with remote.connect() as archive:
        end = archive.get_max_recorded_position(0)
    text = f"checkpoint: expected up to {end}, where recording 0 ends, found {end + 32} .is the"
    with pytest.raises(ConfigurationError, match=text):
        reader.latestOffset(offset_of({0: end + 32}), ReadAllAvailable())
    reader.stop()


def test_new_query_begins_with_what_is_not_purged(remote):  # noqa: F811
    with remote.connect() as archive:
        archive.purge_segments(0, BASE)
    for wanted in (0, BASE - 32, BASE):
        reader = reader_of(remote, from_position=str(wanted))
        assert reader.initialOffset() == offset_of({0: BASE})
        reader.stop()


def test_batch_that_was_purged_ends_where_the_recording_begins(remote, tmp_path):  # noqa: F811
    options = {"on_purge": "skip", "report_dir": str(tmp_path / "report")}
    skip, fail = reader_of(remote, **options), reader_of(remote)
    with remote.connect() as archive:
        (partition,) = skip.partitions(offset_of({0: 0}), offset_of({0: BASE}))
        archive.purge_segments(0, BASE)
        end = archive.get_max_recorded_position(0)
    begin = offset_of({0: 0})
    after = skip.latestOffset(begin, ReadMaxBytes(TERM))
    assert after == offset_of({0: BASE})
    with pytest.raises(PurgedError):
        fail.partitions(begin, after)
    assert skip.partitions(begin, after) == []
    # A task that was planned before.
    assert positions(skip, partition) == []
    reported = [
        json.loads(line)
        for file in (tmp_path / "report").iterdir()
        for line in file.read_text().splitlines()
    ]
    assert {(each["from_position"], each["to_position"]) for each in reported} == {(0, BASE)}
    assert skip.latestOffset(after, ReadAllAvailable()) == offset_of({0: end})
    for each in (skip, fail):
        each.stop()
