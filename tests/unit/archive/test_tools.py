"""The verbs for an archive's directory: what they print, change and reject."""

import json
import struct

import pytest
from click.testing import CliRunner

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.checksum import Checksum
from aeron_cluster.archive.tools import maintenance
from aeron_cluster.archive.tools.archive_directory import ArchiveDirectory
from aeron_cluster.archive.tools.verification import apply_verdicts, verify
from aeron_cluster.cli.archive.group import _VERBS
from aeron_cluster.cli.main import main
from aeron_cluster.codecs.archive import RecordingState
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.system.seams import Seams, SystemClock, SystemFiles
from aeron_cluster.simulator.world.memory_files import MemoryFiles
from tests.unit.archive.archive_files import make_archive, write_mark
from tests.unit.archive.recordings_rig import SEGMENT_LENGTH, TERM_LENGTH

CRC = Checksum("CRC-32C")


def run(verb, directory, *arguments, code=0):
    words = ["archive", verb, str(directory), *map(str, arguments)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, f"{words}: {done.exit_code}, expected {code}\n{done.output}"
    return done.stdout


def run_json(verb, directory, *arguments, code=0):
    return json.loads(run(verb, directory, *arguments, "--json", code=code))


@pytest.fixture
def ends(tmp_path):
    return make_archive(tmp_path)


def states(directory):
    found = run_json("describe-all", directory)["recordings"]
    return {each["recording_id"]: each["state"] for each in found}


def patch(path, offset, data):
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def names(directory):
    return sorted(each.name for each in directory.glob("*.rec"))


# ---- reports ----


def test_describes_the_archive_and_its_recordings(tmp_path, ends):
    found = run_json("describe", tmp_path)
    assert (found["presence"], found["header"]["archive_id"]) == ("CLOSED", 7)
    assert found["catalog_capacity"] == 8192
    assert [each["stop_position"] for each in found["recordings"]] == ends
    assert f"{ends[0]:,}" in run("describe", tmp_path)
    assert run_json("describe", tmp_path, 1) == run_json("describe-recording", tmp_path, 1)
    assert (
        "no recording found with recordingId: 9"
        in CliRunner().invoke(main, ["archive", "describe-recording", str(tmp_path), "9"]).output
    )


def test_one_recording_is_shown_with_every_field(tmp_path, ends):
    found = run_json("describe-recording", tmp_path, 1)
    shown = [line.split() for line in run("describe-recording", tmp_path, 1).splitlines()]
    assert ["state", "VALID"] in shown
    assert ["stop", "position", str(ends[1])] in shown
    assert ["stream", "id", str(found["stream_id"])] in shown
    assert ["stripped", "channel", found["stripped_channel"]] in shown


def test_errors_are_those_of_the_archive_and_its_driver(tmp_path, shm_dir):
    place = shm_dir / "driver"
    make_archive(tmp_path, [1])
    with MediaDriver.launch(aeron_dir=place, threading_mode="INVOKER"):
        write_mark(tmp_path, aeron_directory=str(place))
        logs = run_json("errors", tmp_path)["logs"]
        text = run("errors", tmp_path)
    assert [(each["of"], each["path"], each["errors"]) for each in logs] == [
        ("archive", str(tmp_path / "archive-mark.dat"), []),
        ("driver", str(place), []),
    ]
    assert text == "".join(
        f"{each['of']} ({each['path']})\n0 distinct errors observed\n" for each in logs
    )
    (place / "cnc.dat").write_bytes(b"\xff" * 8192)
    _, driver = run_json("errors", tmp_path)["logs"]
    assert driver["of"].startswith(f"driver: {place}/cnc.dat")


@pytest.mark.usefixtures("ends")
def test_counts_valid_recordings_and_names_the_process(tmp_path):
    run("mark-invalid", tmp_path, 1)
    assert run("count-entries", tmp_path) == "2\n"
    assert run("pid", tmp_path) == "4242\n"
    assert [each["recording_id"] for each in run_json("describe", tmp_path)["recordings"]] == [0, 2]
    assert [each["of"] for each in run_json("errors", tmp_path)["logs"]] == [
        "archive",
        "driver: not there",
    ]


def test_the_catalog_grows_and_never_shrinks(tmp_path, ends):
    assert run("max-entries", tmp_path) == "8\n"
    assert run("max-entries", tmp_path, 10) == "10\n"
    assert run("capacity", tmp_path, 100) == "10240\n"
    assert (tmp_path / "archive.catalog").stat().st_size == 10240
    assert run_json("describe", tmp_path)["recordings"][0]["stop_position"] == ends[0]
    assert run_json("capacity", tmp_path) == {"capacity": 10240}
    assert run_json("max-entries", tmp_path) == {"max_entries": 10}


def test_finds_the_archive_in_a_nodes_directory_and_the_mark_file_by_its_link(tmp_path):
    inside = tmp_path / "node" / "archive"
    inside.mkdir(parents=True)
    make_archive(inside, [1])
    elsewhere = tmp_path / "marks"
    elsewhere.mkdir()
    (inside / "archive-mark.dat").rename(elsewhere / "archive-mark.dat")
    (inside / "archive-mark.lnk").write_text(f"{elsewhere}\n")
    assert run("pid", tmp_path / "node") == "4242\n"


def test_directory_without_an_archive_is_rejected_by_name(tmp_path):
    assert (
        "an archive's catalog"
        in CliRunner().invoke(main, ["archive", "count-entries", str(tmp_path)]).output
    )
    run("describe", tmp_path / "nowhere", code=3)
    (tmp_path / "archive.catalog").write_bytes(b"x" * 64)
    run("count-entries", tmp_path, code=4)


def test_dumps_frames_across_segments(tmp_path, ends):
    lines = [json.loads(line) for line in run("dump", tmp_path, "--json").splitlines()]
    own = [each for each in lines if each["recording_id"] == 0]
    data = [each for each in own if each["kind"] == "DATA"]
    assert [each["payload"] for each in data] == [
        (number.to_bytes(4, "little") * 250).hex() for number in range(200)
    ]
    assert own[0]["position"] == 0
    assert own[-1]["position"] + 1056 >= ends[0]
    assert {each["flags"] == ["BEGIN", "END"] for each in data} == {True}
    shown = run("dump", tmp_path, 2, "--recording", 0, "--bytes", 4)
    assert "position 0: DATA BEGIN|END, length 1032, term 0 offset 0, session " in shown
    assert "000000:  00 00 00 00 " in shown
    assert shown.endswith("... more frames than 2\n\n")


# ---- verify ----


@pytest.mark.usefixtures("ends")
def test_sound_recordings_are_ok(tmp_path):
    before = (tmp_path / "archive.catalog").read_bytes()
    shown = run("verify", tmp_path, "--all").splitlines()
    assert shown == [f"(recordingId={each}) OK" for each in range(3)]
    assert (tmp_path / "archive.catalog").read_bytes() == before


@pytest.mark.usefixtures("ends")
@pytest.mark.parametrize(
    ("offset", "data", "problem"),
    [
        (8, struct.pack("<i", 64), "fragment termOffset=64 (expected=0)"),
        (20, struct.pack("<i", 5), "termId=5 (expected=0)"),
        (16, struct.pack("<i", 9), "streamId=9 (expected=1)"),
    ],
)
def test_a_damaged_frame_makes_its_recording_invalid(tmp_path, offset, data, problem):
    patch(tmp_path / "0-0.rec", offset, data)
    # Without --all, only the last segment is read, as in upstream's tool.
    assert all(each["is_ok"] for each in run_json("verify", tmp_path)["recordings"])
    assert "ERR: " in run("verify", tmp_path, "--all", "--dry-run", code=4)
    assert states(tmp_path)[0] == "VALID"
    found = run_json("verify", tmp_path, "--all", code=4)["recordings"]
    assert problem in found[0]["problem"]
    assert f"{tmp_path}/0-0.rec at 0: " in found[0]["problem"]
    assert [each["is_ok"] for each in found] == [False, True, True]
    assert states(tmp_path) == {0: "INVALID", 1: "VALID", 2: "VALID"}
    # Without the damage it becomes valid again.
    patch(tmp_path / "0-0.rec", 8, struct.pack("<iiii", 0, 1, 1, 0))
    assert "marked VALID" in run("verify", tmp_path, 0, "--all")
    assert states(tmp_path)[0] == "VALID"


def test_a_flipped_bit_of_a_payload_is_found_by_checksums(tmp_path):
    make_archive(tmp_path, [200, 3], checksum=CRC)
    path = tmp_path / "0-0.rec"
    patch(path, 40, bytes([path.read_bytes()[40] ^ 1]))
    run("verify", tmp_path, "--all")
    for name in ("CRC-32C", "io.aeron.archive.checksum.Crc32c", "recorded"):
        shown = run("verify", tmp_path, "--all", "--checksum", name, "--dry-run", code=4)
        assert "(recordingId=0) ERR: " in shown
        assert "checksum failed recorded=" in shown
        assert "(recordingId=1) OK" in shown
    assert "invalid Catalog checksum" in run(
        "verify", tmp_path, 1, "--checksum", "CRC-32", "--dry-run", code=4
    )
    run("verify", tmp_path, "--checksum", "CRC-33", code=2)


def test_a_missing_segment_between_others_is_found(tmp_path):
    make_archive(tmp_path, [400])
    (tmp_path / f"0-{SEGMENT_LENGTH}.rec").unlink()
    shown = run("verify", tmp_path, "--all", "--dry-run", code=4)
    assert f"missing segment file 0-{SEGMENT_LENGTH}.rec" in shown


def test_recording_without_an_end_gets_the_end_of_its_frames(tmp_path, ends):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(0, -1)
    shown = run("verify", tmp_path, 0, "--dry-run")
    assert shown == f"(recordingId=0) OK; stop position -1 is not its end, {ends[0]}\n"
    found = run_json("verify", tmp_path, 0)["recordings"][0]
    assert found["new_stop_position"] == ends[0]
    assert run_json("describe", tmp_path, 0)["stop_position"] == ends[0]


@pytest.mark.usefixtures("ends")
def test_stop_position_beyond_the_segments_is_invalid(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_stop_position(1, SEGMENT_LENGTH + 32)
    shown = run("verify", tmp_path, 1, code=4)
    assert f"exceed max segment file position={SEGMENT_LENGTH - 1}" in shown


def test_a_torn_frame_counts_until_it_is_cut_off(tmp_path):
    (end,) = make_archive(tmp_path, [4])
    path = tmp_path / "0-0.rec"
    begin = end - 1056
    assert begin < 4096 < end
    patch(path, 4096, bytes(end - 4096))
    assert run_json("verify", tmp_path)["recordings"][0]["torn"]["begin"] == begin
    assert run_json("describe", tmp_path, 0)["stop_position"] == end
    assert run("verify", tmp_path) == "(recordingId=0) OK; last frame may be torn\n"
    found = run_json("verify", tmp_path, "--yes")["recordings"][0]
    assert found["new_stop_position"] == begin
    assert run_json("describe", tmp_path, 0)["stop_position"] == begin
    assert path.read_bytes()[begin:] == bytes(SEGMENT_LENGTH - begin)
    assert run("verify", tmp_path) == "(recordingId=0) OK\n"


def test_cut_off_frame_is_reported_with_the_old_end(tmp_path):
    (end,) = make_archive(tmp_path, [4])
    patch(tmp_path / "0-0.rec", 4096, bytes(end - 4096))
    assert run("verify", tmp_path, "--yes") == (
        f"(recordingId=0) OK; stop position {end} was not its end, {end - 1056};"
        " last frame cut off\n"
    )


@pytest.mark.usefixtures("ends")
def test_recording_that_was_deleted_is_not_verified(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_state(1, RecordingState.DELETED)
    (tmp_path / "1-0.rec").unlink()
    shown = run("verify", tmp_path, "--all").splitlines()
    assert shown[1] == "(recordingId=1) skipping: DELETED"
    assert states(tmp_path)[1] == "DELETED"
    assert [each["is_skipped"] for each in run_json("verify", tmp_path)["recordings"]] == [
        False,
        True,
        False,
    ]


# ---- changes ----


@pytest.mark.usefixtures("ends")
def test_changed_state_is_stored(tmp_path):
    assert run("mark-invalid", tmp_path, 1) == "(recordingId=1) changed state to INVALID\n"
    assert states(tmp_path)[1] == "INVALID"
    assert run("mark-invalid", tmp_path, 1) == "(recordingId=1) is INVALID already\n"
    assert run_json("mark-valid", tmp_path, 1)["is_changed"]
    assert states(tmp_path)[1] == "VALID"
    run("mark-valid", tmp_path, 5, code=3)
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_state(1, RecordingState.DELETED)
    run("mark-valid", tmp_path, 1, code=1)


@pytest.mark.usefixtures("ends")
def test_compaction_removes_invalid_recordings_once_confirmed(tmp_path):
    run("mark-invalid", tmp_path, 0)
    before = names(tmp_path)
    shown = run("compact", tmp_path, "--dry-run")
    assert "remove recording 0, invalid" in shown
    assert "remove 0-0.rec, " in shown
    run("compact", tmp_path, code=1)  # neither a terminal nor --yes
    assert names(tmp_path) == before
    assert "Compaction result: deleted 1 records" in run("compact", tmp_path, "--yes")
    assert names(tmp_path) == [each for each in before if not each.startswith("0-")]
    assert states(tmp_path) == {1: "VALID", 2: "VALID"}
    # The next recording gets a new id.
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        assert (len(catalog), catalog.next_recording_id) == (2, 3)


@pytest.mark.usefixtures("ends")
def test_compaction_in_json_names_what_it_removes(tmp_path):
    run("mark-invalid", tmp_path, 0)
    before = names(tmp_path)
    plan = run_json("compact", tmp_path, "--dry-run")
    assert not plan["is_done"]
    assert names(tmp_path) == before
    done = run_json("compact", tmp_path, "--yes")
    assert done == plan | {"is_done": True}
    assert [each["recording_id"] for each in done["recordings"]] == [0]
    removed = sorted(each["name"] for each in done["segments"])
    assert removed == [each for each in before if each.startswith("0-")]
    assert names(tmp_path) == sorted(set(before) - set(removed))


@pytest.mark.usefixtures("ends")
def test_orphaned_segments_are_those_outside_of_recordings(tmp_path):
    with Catalog(SystemFiles(), str(tmp_path)) as catalog:
        catalog.set_start_position(0, SEGMENT_LENGTH + 1056 * 2)
    (tmp_path / f"1-{4 * SEGMENT_LENGTH}.rec").write_bytes(b"x")
    (tmp_path / "1-x.rec").write_bytes(b"x")
    orphans = ["0-0.rec", "1-524288.rec", "1-x.rec"]
    found = run_json("delete-orphaned-segments", tmp_path, "--dry-run")["segments"]
    assert sorted(each["name"] for each in found) == orphans
    assert not run_json("delete-orphaned-segments", tmp_path, 2, "--yes")["segments"]
    run("delete-orphaned-segments", tmp_path, code=1)
    shown = run("delete-orphaned-segments", tmp_path, "--dry-run")
    assert shown.endswith("3 orphaned segments\n")
    assert "remove 1-x.rec, " in shown
    left = sorted(set(names(tmp_path)) - set(orphans))
    run("delete-orphaned-segments", tmp_path, "--yes")
    assert names(tmp_path) == left
    run("delete-orphaned-segments", tmp_path, 8, "--yes", code=3)


@pytest.mark.parametrize("is_all", [False, True])
def test_checksums_are_written_and_verified(tmp_path, ends, is_all):
    more = ["--all"] if is_all else []
    run("checksum", tmp_path, "CRC-32C", *more, code=1)
    run("checksum", tmp_path, "CRC-32C", *more, "--yes")
    assert "ERR" not in run("verify", tmp_path, *more, "--checksum", "CRC-32C")
    assert "ERR" not in run("verify", tmp_path, "--all", "--checksum", "recorded")
    run("verify", tmp_path, "--all", "--checksum", "CRC-32C", "--dry-run", code=0 if is_all else 4)
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        first = 0 if is_all else SEGMENT_LENGTH
        assert catalog.get(0).frames.position == first
        assert catalog.get(2).frames is None or ends[2] == 0


@pytest.mark.usefixtures("ends")
def test_checksums_in_json_name_the_segments(tmp_path):
    (plan,) = run_json("checksum", tmp_path, "CRC-32", 1, "--dry-run")["recordings"]
    assert plan == {"recording_id": 1, "segments": ["1-0.rec"]}
    run("verify", tmp_path, 1, "--checksum", "CRC-32", "--dry-run", code=4)
    done = run_json("checksum", tmp_path, "CRC-32", 1, "--yes")
    assert (done["is_done"], done["checksum"], done["recordings"]) == (True, "CRC-32", [plan])
    run("verify", tmp_path, 1, "--checksum", "CRC-32", "--dry-run")


@pytest.mark.usefixtures("ends")
def test_nothing_is_changed_while_an_archive_runs(tmp_path):
    write_mark(tmp_path, activity_timestamp=SystemClock().epoch_ms(), pid=1)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    for verb, *more in (
        ["mark-invalid", 1],
        ["compact", "--yes"],
        ["checksum", "CRC-32C", "--yes"],
        ["capacity", 1 << 20],
    ):
        done = CliRunner().invoke(main, ["archive", verb, str(tmp_path), *map(str, more)])
        assert done.exit_code == 3, done.output
        assert "an archive uses it" in done.output
    patch(tmp_path / "0-0.rec", 8, b"\7")
    assert not run_json("verify", tmp_path, "--all", code=4)["is_changed"]
    run("compact", tmp_path, "--dry-run")
    patch(tmp_path / "0-0.rec", 8, b"\0")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


# ---- migration ----


def old_catalog(directory, version):
    """Write the catalog as versions before 3 did: 1 KiB per recording, the first at 1 KiB."""
    with Catalog(SystemFiles(), str(directory), writable=False) as catalog:
        found = list(catalog.scan())
    data = (directory / "archive.catalog").read_bytes()
    old = bytearray(struct.pack("<ii", version << 16, 1024).ljust(1024, b"\0"))
    for each in found:
        frame = bytearray(data[each.offset : each.offset + 32 + each.length])
        struct.pack_into("<i", frame, 0, 1024 - 32)
        old += frame.ljust(1024, b"\0")
    (directory / "archive.catalog").write_bytes(bytes(old))
    write_mark(directory, version=version << 16)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_archive_of_an_early_version_is_migrated(tmp_path, version):
    # If the first segment of version 0 began inside a segment, upstream's steps disagree.
    start = 3 * TERM_LENGTH + 1056 if version else 1056
    (end,) = make_archive(tmp_path, [200], start=start)
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        before = catalog.get(0).descriptor
    current = names(tmp_path)
    first = start - start % TERM_LENGTH
    for name in current:
        base = int(name[2:-4])
        if version == 1:
            (tmp_path / name).rename(tmp_path / f"0-{base - first}.rec")
    if version == 0:
        # Segment numbers, counted from the segment of the start position.
        for number, name in enumerate(current):
            (tmp_path / name).rename(tmp_path / f"0-{number}.rec")
    old_catalog(tmp_path, version)
    run("count-entries", tmp_path, code=4)
    shown = run_json("migrate", tmp_path, "--dry-run")
    assert shown["steps"] == [f"{each}.0.0" for each in range(version + 1, 4)]
    run("migrate", tmp_path, code=1)
    assert run_json("migrate", tmp_path, "--yes")["is_done"]
    assert (tmp_path / f"migration-{version << 16}-to-{(version + 1) << 16}.dat").exists()
    with Catalog(SystemFiles(), str(tmp_path), writable=False) as catalog:
        assert catalog.get(0).descriptor == before
        assert (catalog.alignment, catalog.next_recording_id) == (64, 1)
    assert names(tmp_path) == current
    assert run("verify", tmp_path, "--all") == "(recordingId=0) OK\n"
    assert end == before.stop_position
    assert run("migrate", tmp_path) == "mark file 3.0.0, catalog 3.0.0, latest 3.0.0\n" + (
        "nothing to migrate\n"
    )


def test_interrupted_migration_is_not_repeated(tmp_path):
    make_archive(tmp_path, [1])
    old_catalog(tmp_path, 2)
    (tmp_path / "migration-131072-to-196608.dat").touch()
    run("migrate", tmp_path, "--yes", code=1)


# ---- a loss of power after a verb ----


def on_a_disk(path):
    """Return the files of a directory on a disk that may lose power; all of them are on it."""
    files = MemoryFiles(directories=["/data"])
    for each in path.iterdir():
        with files.open(f"/data/{each.name}", write=True, create=True) as file:
            file.write_at(each.read_bytes(), 0)
            file.sync()
    files.sync_directory("/data")
    return files


def write_all_checksums(directory):
    plan = maintenance.plan_checksums(directory, all_segments=True)
    maintenance.write_checksums(directory, plan, CRC)


def compact_without_the_first(directory):
    maintenance.change_state(directory, 0, RecordingState.INVALID)
    maintenance.compact(directory, maintenance.plan_compaction(directory))


@pytest.mark.parametrize(
    "change",
    [
        lambda directory: maintenance.change_state(directory, 1, RecordingState.INVALID),
        lambda directory: maintenance.grow_catalog(directory, 65536),
        lambda directory: apply_verdicts(directory, list(verify(directory)), cut_torn=True),
        write_all_checksums,
        compact_without_the_first,
    ],
    ids=["state", "capacity", "verdicts", "checksums", "compaction"],
)
def test_what_a_verb_has_changed_is_on_the_disk(tmp_path, change):
    make_archive(tmp_path)
    # The end of a recording is in the middle of its frames, as before a repair.
    with Catalog(SystemFiles(), str(tmp_path), capacity=8192) as catalog:
        catalog.set_stop_position(1, 1056)
    files = on_a_disk(tmp_path)
    before = {name: files.read(f"/data/{name}") for name in files.list("/data")}
    change(ArchiveDirectory("/data", Seams(files=files)))
    after = {name: files.read(f"/data/{name}") for name in files.list("/data")}
    assert after != before
    assert [name for name in after if files.may_lose(f"/data/{name}")] == []


# ---- help and usage errors ----


@pytest.mark.parametrize("verb", sorted(_VERBS))
def test_help_has_an_example(verb):
    shown = CliRunner().invoke(main, ["archive", verb, "--help"]).output
    assert f"aeron-cluster archive {verb} " in shown


def test_options_for_running_are_no_options_of_a_verb(tmp_path):
    done = CliRunner().invoke(main, ["archive", "--dir", "x", "describe", str(tmp_path)])
    assert done.exit_code == 2
    assert "--dir is for running an archive, not for describe" in done.output
    done = CliRunner().invoke(main, ["archive", "verfy", str(tmp_path)])
    assert "Did you mean 'verify'?" in done.output
