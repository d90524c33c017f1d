"""Our verbs for an archive's directory compared with Java's ArchiveTool, on directories of both."""

import json
import re
import shutil
import struct

import pytest
from click.testing import CliRunner

from aeron_cluster.archive import AeronArchive
from aeron_cluster.archive.assembly import ArchivingMediaDriver
from aeron_cluster.cli.main import main
from aeron_cluster.client import Aeron
from tests.waiting import await_true

ARCHIVE_TOOL = "archive.ArchiveTool"
ANY_PORT = "aeron:udp?endpoint=localhost:0"
SEGMENT = 128 * 1024
COUNT = 1000


def run_json(verb, directory, *arguments, code=0):
    words = ["archive", verb, str(directory), *map(str, arguments), "--json"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, f"{words}: {done.exit_code}, expected {code}\n{done.output}"
    return json.loads(done.stdout)


def java_states(printed):
    """Return the recordings that Java's tool printed: their fields by id, and their states."""
    found = {}
    for line in printed.splitlines():
        state = re.search(r"\|([A-Z]+)$", line)
        fields = dict(re.findall(r"(\w+)=(?:'([^']*)'|(?=-?\d))?", line))
        numbers = dict(re.findall(r"(\w+)=(-?\d+)", line))
        if state is not None and "recordingId" in numbers:
            own = {name: int(value) for name, value in numbers.items()}
            found[own["recordingId"]] = (state[1], own, fields.get("strippedChannel"))
    return found


def our_states(directory):
    return {
        each["recording_id"]: each for each in run_json("describe-all", directory)["recordings"]
    }


def assert_the_same_facts(java, directory):
    theirs = java_states(java.tool(ARCHIVE_TOOL, directory, "describe-all"))
    ours = our_states(directory)
    assert ours.keys() == theirs.keys()
    assert ours
    for recording_id, (state, numbers, channel) in theirs.items():
        own = ours[recording_id]
        assert own["state"] == state
        assert own["stripped_channel"] == channel
        for name, value in numbers.items():
            plain = re.sub(r"([A-Z])", lambda letter: f"_{letter[1].lower()}", name)
            if plain in own:
                assert own[plain] == value, name
        assert {"stopPosition", "termBufferLength", "segmentFileLength"} <= numbers.keys()


@pytest.fixture(params=["java", "ours"])
def archive_dir(request, java, shm_dir, free_port):
    """Return the directory of a closed archive with two recordings."""
    directory, driver = shm_dir / "archive", str(shm_dir / "driver")
    control = f"aeron:udp?endpoint=localhost:{(port := free_port())}"
    if request.param == "java":
        peer = java.start("Archive", dir=driver, archiveDir=directory, port=port, segment=SEGMENT)
        peer.await_event("READY")
    else:
        both = ArchivingMediaDriver.launch(
            driver={"aeron_dir": driver, "threading_mode": "SHARED"},
            archive={
                "archive_dir": str(directory),
                "control_channel": control,
                "replication_channel": ANY_PORT,
                "segment_file_length": SEGMENT,
                "threading_mode": "SHARED",
            },
        )
    with (
        Aeron.connect(aeron_dir=driver) as aeron,
        AeronArchive.connect(
            aeron=aeron,
            control_channel=control,
            control_response_channel=ANY_PORT,
            message_timeout_ns=120_000_000_000,
        ) as archive,
    ):
        counters = aeron.counters_reader
        for stream_id in (10, 11):
            channel = "aeron:ipc?term-length=64k"
            publication = archive.add_recorded_exclusive_publication(channel, stream_id)
            for number in range(COUNT):
                while publication.offer(number.to_bytes(4, "little") * 50) < 0:
                    pass
            end = publication.position
            await_true(
                lambda end=end: any(each.value == end for each in counters.counters(100)), "the end"
            )
            publication.close()
            await_true(lambda: not counters.counters(100), "the end of a recording")
    if request.param == "java":
        peer.stop()
    else:
        both.close()
    return directory


def test_both_tools_find_the_same_and_read_each_others_changes(java, archive_dir, tmp_path):
    assert_the_same_facts(java, archive_dir)
    assert java.tool(ARCHIVE_TOOL, archive_dir, "count-entries").split() == ["2"]
    assert run_json("count-entries", archive_dir)["count"] == 2
    assert int(java.tool(ARCHIVE_TOOL, archive_dir, "pid")) == run_json("pid", archive_dir)["pid"]
    # Each tool reads the state that the other one wrote.
    run_json("mark-invalid", archive_dir, 1)
    assert_the_same_facts(java, archive_dir)
    assert "changed state to VALID" in java.tool(ARCHIVE_TOOL, archive_dir, "mark-valid", 1)
    assert our_states(archive_dir)[1]["state"] == "VALID"
    # Both find damage, and leave the same catalog.
    copy = tmp_path / "copy"
    for path in (archive_dir / "0-0.rec",):
        with path.open("r+b") as file:
            file.seek(256 * 3 + 8)
            file.write(struct.pack("<i", 12345))
    shutil.copytree(archive_dir, copy)
    printed = java.tool(ARCHIVE_TOOL, archive_dir, "verify", "-a", code=255)
    found = run_json("verify", copy, "--all", code=4)["recordings"]
    expected = re.search(r"recordingId=0, file=.*ERR: (fragment .*)", printed)
    assert expected is not None, printed
    assert expected[1] in found[0]["problem"]
    assert "(recordingId=1) OK" in printed
    assert found[1]["is_ok"]
    assert (copy / "archive.catalog").read_bytes() == (archive_dir / "archive.catalog").read_bytes()
    # Our checksums are verified by theirs; the catalog that ours compacted is read by theirs.
    words = ["archive", "checksum", str(copy), "CRC-32C", "1", "--all", "--yes"]
    assert CliRunner().invoke(main, words).exit_code == 0
    crc = "io.aeron.archive.checksum.Crc32c"
    verified = java.tool(ARCHIVE_TOOL, copy, "verify", 1, "-a", "-checksum", crc)
    assert "(recordingId=1) OK" in verified
    assert CliRunner().invoke(main, ["archive", "compact", str(copy), "--yes"]).exit_code == 0
    assert_the_same_facts(java, copy)
