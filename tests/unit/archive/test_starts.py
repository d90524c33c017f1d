"""Archives that start, restart or cannot start: their directories, threads and drivers."""

import contextlib

import pytest

from aeron_cluster.archive import AeronArchive
from aeron_cluster.archive.archive import Archive
from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs.archive_mark import MarkFileHeader
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import AgentTerminationError, DirectoryInUseError, StateError
from tests.unit.archive.archive_rig import ArchiveRig, Client
from tests.unit.archive.pair_rig import Pair
from tests.waiting import await_true

CHANNEL = "aeron:udp?endpoint=localhost:0"


def archive_options(directory, **options):
    return {
        "archive_dir": str(directory / "archive"),
        "control_channel": CHANNEL,
        "replication_channel": CHANNEL,
        "segment_file_length": 128 << 10,
        "low_storage_space_threshold": 0,
    } | options


def test_directory_is_emptied_at_the_start_only_on_request(shm_dir):
    left = shm_dir / "archive" / "0-0.rec.del"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"x")
    first = ArchiveRig(shm_dir)
    first.close()
    assert left.exists()
    again = ArchiveRig(shm_dir, dir_delete_on_start=True)
    assert not left.exists()
    assert Client(again).connect().session_id > 0
    again.close()


def test_archive_with_a_given_client_has_its_id(shm_dir):
    with (
        MediaDriver.launch(aeron_dir=str(shm_dir / "driver"), threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir, use_conductor_invoker=True) as aeron,
    ):
        archive = Archive.launch(**archive_options(shm_dir, aeron=aeron, threading_mode="SHARED"))
        assert archive.archive_id == aeron.client_id
        assert repr(archive) == f"<Archive {archive.archive_id} in {shm_dir}/archive>"
        archive.close()
        assert repr(archive) == f"<Archive {archive.archive_id} in {shm_dir}/archive closed>"


def test_archive_with_its_own_threads_has_no_invoker(shm_dir):
    both = ArchivingMediaDriver.launch(
        driver={"aeron_dir": str(shm_dir / "driver"), "threading_mode": "SHARED"},
        archive=archive_options(shm_dir),
    )
    with pytest.raises(StateError, match="it runs on its own threads"):
        _ = both.invoker
    both.close()


def test_dedicated_threads_create_segments_too_unless_files_have_a_thread(shm_dir, monkeypatch):
    monkeypatch.setattr(ArchiveContext, "has_file_thread", False)
    with (
        MediaDriver.launch(aeron_dir=str(shm_dir / "driver"), threading_mode="SHARED") as driver,
        Archive.launch(
            **archive_options(shm_dir, aeron_dir=driver.aeron_dir, threading_mode="DEDICATED")
        ) as archive,
        AeronArchive.connect(
            aeron_dir=driver.aeron_dir,
            control_channel="aeron:ipc",
            control_response_channel="aeron:ipc",
        ) as client,
        client.add_recorded_exclusive_publication("aeron:ipc?term-length=64k", 7) as publication,
    ):
        await_true(lambda: publication.offer(b"recorded"), "a place in the stream")
        await_true(
            lambda: client.get_max_recorded_position(0) == publication.position, "it is recorded"
        )
        assert archive.failure is None


@pytest.mark.parametrize("owner", ["archive", "driver"])
def test_failing_agent_is_reported_to_the_component_that_has_it(shm_dir, monkeypatch, owner):
    rig = ArchiveRig(shm_dir)
    reported = []
    for name in ("archive", "driver"):
        monkeypatch.setattr(
            getattr(rig.both, name),
            "on_agent_error",
            lambda _agent, error, name=name: reported.append((name, error)),
        )
    error = ValueError("of an agent")
    rig.both.on_agent_error(getattr(rig.both, owner).agents[0], error)
    assert reported == [(owner, error)]
    rig.close()


# ---- the mark file's own directory ----


def test_mark_file_in_another_directory_is_linked(shm_dir):
    marks = shm_dir / "marks" / "of the archive"
    rig = ArchiveRig(shm_dir, mark_file_dir=str(marks))
    link = shm_dir / "archive" / "archive-mark.lnk"
    assert link.read_text() == str(marks)
    assert (marks / "archive-mark.dat").exists()
    assert not (shm_dir / "archive" / "archive-mark.dat").exists()
    with pytest.raises(DirectoryInUseError):
        Archive.launch(
            **archive_options(shm_dir, mark_file_dir=str(marks)),
            aeron_dir=str(shm_dir / "driver"),
            threading_mode="INVOKER",
        )
    rig.close()
    # The link would lead tools to the old file.
    again = ArchiveRig(shm_dir)
    assert not link.exists()
    assert (shm_dir / "archive" / "archive-mark.dat").exists()
    again.close()


def test_recorded_positions_are_not_noted_where_a_long_header_leaves_no_room():
    """Recordings and their extensions are stored nevertheless, and repaired after a kill."""
    channel = "aeron:ipc?alias=" + "x" * 4000
    options = {"recording_events_enabled": True, "recording_events_channel": channel}
    with contextlib.closing(Pair(src=options)) as pair:
        side = pair.src
        mark = side.machine.files.read("/data/archive-mark.dat")
        assert MarkFileHeader.decode(mark[:8192]).events_channel == channel
        recording_id, position = side.finished(3)
        found = side.archive.list_recording(recording_id)
        extending = side.aeron.add_exclusive_publication(
            f"aeron:ipc?term-length=64k|init-term-id={found.initial_term_id}"
            f"|term-id={found.initial_term_id}|term-offset={position}",
            found.stream_id,
        )
        side.archive.extend_recording(recording_id, "aeron:ipc", found.stream_id)
        side.await_signal("EXTEND")
        end = side.publish(extending, 3)
        side.await_recorded(recording_id, end)
        side.kill()
        side.start()
        assert side.connect().get_stop_position(recording_id) == end > position


def test_closed_client_of_an_archive_ends_it(shm_dir):
    rig = ArchiveRig(shm_dir)
    rig.archive._aeron.close()
    with pytest.raises(AgentTerminationError, match="unexpected Aeron close"):
        rig.await_that(lambda: False, 5)
    rig.close()
