"""The commands that inspect a driver: streams, backlog, loss, log, errors, pid, terminate."""

import json
import os
import shlex
import struct
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.options import watching
from aeron_cluster.client.aeron import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.system.seams import SystemFiles
from tests.conftest import IN_SOURCE_TREE
from tests.pages import block_of
from tests.unit.archive.archive_files import make_archive
from tests.waiting import await_true

CHANNEL = "aeron:ipc?term-length=64k|alias=of-the-test"


def run(*arguments, code=0):
    words = [str(each) for each in arguments]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, f"{words}: {done.exit_code}, expected {code}\n{done.output}"
    return done.stdout


def run_json(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


class Running:
    """A driver, a client and a stream with three messages, one of them read."""

    def __init__(self, driver, aeron):
        self.driver = driver
        self.aeron = aeron
        self.directory = driver.aeron_dir
        self.driver_path = Path(driver.aeron_dir)
        self.subscription = aeron.add_subscription(CHANNEL, 10)
        self.publication = aeron.add_publication(CHANNEL, 10)
        while not self.publication.is_connected:
            self.step()
        for _ in range(3):
            while self.publication.offer(b"hello") < 0:
                self.step()
        while not self.subscription.poll(lambda *_: None, 1):
            self.step()
        for _ in range(10):  # the driver's counters
            self.step()

    def step(self):
        self.driver.invoker.invoke()
        self.aeron.conductor_agent_invoker.invoke()


@pytest.fixture
def running(shm_dir):
    directory = str(shm_dir / "driver")
    with MediaDriver.launch(aeron_dir=directory, threading_mode="INVOKER") as driver:
        driver.invoker.start()
        with Aeron.connect(
            aeron_dir=directory,
            use_conductor_invoker=True,
            driver_invoker=driver.invoker.invoke,
        ) as aeron:
            yield Running(driver, aeron)


@pytest.mark.parametrize(
    "command",
    [
        ["stat"],
        ["streams"],
        ["backlog"],
        ["loss"],
        ["log"],
        ["driver", "pid"],
        ["driver", "terminate"],
        ["driver", "errors"],
    ],
)
def test_help_has_an_example(command):
    assert f"aeron-cluster {' '.join(command)}" in run(*command, "--help")


@pytest.mark.parametrize("command", [["streams"], ["backlog"], ["loss"], ["driver", "errors"]])
def test_a_missing_driver_is_reported_in_one_line(command, tmp_path):
    done = CliRunner().invoke(main, [*command, str(tmp_path)])
    assert done.exit_code == 3
    assert len(done.output.splitlines()) == 1


# ---- counters ----


def test_streams_have_their_counters(running):
    (stream,) = run_json("streams", running.directory)["streams"]
    assert (stream["session_id"], stream["stream_id"]) == (running.publication.session_id, 10)
    assert stream["channel"] == CHANNEL
    values = {each["name"]: each["value"] for each in stream["positions"]}
    assert values["pub-pos (concurrent)"] == running.publication.position == 192
    assert values["sub-pos"] == 64
    assert "sub-pos" in run("streams", "--dir", running.directory)


def test_backlog_is_the_unread_length(running):
    (stream,) = run_json("backlog", running.directory)["streams"]
    (subscriber,) = stream["subscribers"]
    assert (subscriber["position"], subscriber["backlog"]) == (64, 128)
    assert stream["publisher_window"] == stream["publisher_limit"] - 192 > 0
    assert stream["sender_position"] is None
    assert "128 bytes to read" in run("backlog", running.directory)


@pytest.fixture
def network(running, free_port):
    """Return the channel of a stream over UDP, of which one of two messages was read."""
    channel = f"aeron:udp?endpoint=localhost:{free_port()}|term-length=64k|alias=of-the-network"
    subscription = running.aeron.add_subscription(channel, 20)
    publication = running.aeron.add_publication(channel, 20)
    while not (publication.is_connected and subscription.is_connected):
        running.step()
    for _ in range(2):
        while publication.offer(b"hello") < 0:
            running.step()
    while not subscription.poll(lambda *_: None, 1):
        running.step()

    def backlog():
        running.step()
        return next(
            each
            for each in run_json("backlog", running.directory)["streams"]
            if each["sender_position"] is not None
        )

    await_true(lambda: backlog()["sender_position"] == 128, "two messages that were sent")
    await_true(lambda: backlog()["receiver_position"] == 128, "two messages that were received")
    return channel


def test_backlog_of_the_network_has_its_sender_and_receiver(running, network):
    found = run_json("backlog", running.directory)["streams"]
    (stream,) = (each for each in found if each["channel"] == network)
    assert stream["sender_backlog"] == 0
    text = run("backlog", running.directory).partition(network)[2]
    window = f"{stream['sender_window']:,}"
    assert (
        f"  sender {stream['sender_id']} at 128, 0 bytes to send, {window} bytes of its window"
        f" left\n  receiver {stream['receiver_id']} at 128\n" in text
    )
    assert "at 64, 64 bytes to read" in text


@pytest.mark.parametrize(("pattern", "is_kept"), [("of-the-network", True), ("nowhere", False)])
@pytest.mark.usefixtures("network")
def test_filter_on_channels_applies_to_their_statuses(running, pattern, is_kept):
    found = run_json("stat", running.directory, "--channel", pattern)["counters"]
    assert ({6, 7} <= {each["type_id"] for each in found}) == is_kept  # sender's and receiver's


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ([], {0, 1, 4, 11, 12}),
        (["--type", "1"], {1}),
        (["--type", "^1"], {1, 11, 12}),
        (["--type", "^(1|4)$", "--stream", "10"], {1, 4}),
        (["--type", "^(1|4)$", "--stream", "1"], set()),
        (["--type", "^(1|4)$", "--channel", "of-the-test"], {1, 4}),
        (["--type", "^(1|4)$", "--channel", "nowhere"], set()),
        (["--type", "^(1|4)$", "--session", "12345"], set()),
        (["--identity", "0"], {0, 11}),
    ],
)
def test_stat_prints_the_counters_matching_the_filters(running, filters, kept):
    found = run_json("stat", running.directory, *filters)["counters"]
    types = {each["type_id"] for each in found}
    assert kept <= types
    if filters:
        assert types - kept <= {11, 34}  # counters without such a value
    if filters == ["--identity", "0"]:
        assert [each["label"] for each in found if each["type_id"] == 0] == ["Bytes sent"]


def test_invalid_filter_is_a_usage_error(running):
    run("stat", running.directory, "--channel", "(", code=2)
    run("stat", running.directory, "--dir", running.directory, code=2)


def test_time_outside_of_the_calendar_is_printed_as_a_number(running):
    copy = running.driver_path / "copy"
    copy.mkdir()
    data = bytearray((running.driver_path / "cnc.dat").read_bytes())
    data[32:40] = struct.pack("<q", 1 << 60)
    (copy / "cnc.dat").write_bytes(data)
    assert f"started {1 << 60}, " in run("stat", copy)


def test_watch_prints_repeatedly(running, monkeypatch):
    looks = []

    def pause(seconds):
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(watching.time, "sleep", pause)
    shown = run("backlog", running.directory, "--json", "--watch", "--interval", 0.5)
    assert len([json.loads(line) for line in shown.splitlines()]) == 3
    assert looks == [0.5] * 3
    looks.clear()
    shown = run("stat", running.directory, "--watch", "--interval", 0.5)
    assert shown.count("/cnc.dat:") == 3, "a pipe gets all updates"


@IN_SOURCE_TREE
def test_the_commands_of_the_page_run(running, monkeypatch):
    monkeypatch.setenv("AERON_DIR", running.directory)
    monkeypatch.setattr(watching.time, "sleep", Mock(side_effect=KeyboardInterrupt))
    (log,) = (running.driver_path / "publications").iterdir()
    stat, backlog, frames = block_of("docs/tools.md", "aeron-cluster stat").text.splitlines()
    assert "sub-pos" in run(*shlex.split(stat)[1:])
    printed, _, selected = backlog.partition(" | ")
    assert selected == "jq '.streams[] | select(.publisher_window == 0)'"
    (stream,) = json.loads(run(*shlex.split(printed)[1:]))["streams"]
    assert stream["publisher_window"] > 0
    words = frames.replace("/dev/shm/aeron-me/publications/7.logbuffer", str(log))
    assert words != frames
    assert run(*shlex.split(words)[1:]).count("DATA") == 3


@IN_SOURCE_TREE
def test_the_commands_of_the_page_verify_an_archive(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    make_archive(tmp_path / "data")
    verify, compact = block_of("docs/tools.md", "aeron-cluster archive").text.splitlines()
    printed = json.loads(run(*shlex.split(verify.split(" | ")[0])[1:]))
    assert [each["is_ok"] for each in printed["recordings"]] == [True] * 3
    run(*shlex.split(compact)[1:])


# ---- loss ----


def put_losses(directory, *entries):
    data = bytearray()
    for count, lost, session_id, channel, source in entries:
        entry = bytearray(struct.pack("<qqqqii", count, lost, 1000, 2000, session_id, 10))
        for text in (channel, source):
            entry += bytes(-len(entry) % 4) + struct.pack("<i", len(text)) + text
        data += entry + bytes(-len(entry) % 64)
    (directory / "loss-report.dat").write_bytes(bytes(data) + bytes(4096))


def test_losses_are_shown(tmp_path):
    put_losses(
        tmp_path,
        (3, 4096, 77, b"aeron:udp?endpoint=a:1", b"10.0.0.1:40123"),
        (1, 64, 78, b"aeron:udp?endpoint=localhost:12", b"x"),
    )
    found = run_json("loss", tmp_path)["entries"]
    assert [each["total_bytes_lost"] for each in found] == [4096, 64]
    assert found[0]["channel"] == "aeron:udp?endpoint=a:1"
    assert [each["source"] for each in found] == ["10.0.0.1:40123", "x"]
    assert (found[1]["first_observation_ms"], found[1]["session_id"]) == (1000, 78)
    assert "2 loss entries" in run("loss", tmp_path)


def test_a_damaged_loss_report_is_rejected(tmp_path):
    put_losses(tmp_path, (3, 4096, 77, b"aeron:udp", b"x"))
    with (tmp_path / "loss-report.dat").open("r+b") as file:
        file.seek(40)
        file.write(struct.pack("<i", 1 << 30))
    run("loss", tmp_path, code=4)


def test_driver_without_losses_reports_none(running):
    assert run_json("loss", running.directory)["entries"] == []


# ---- logs ----


def test_a_log_buffer_shows_its_frames(running):
    (path,) = (running.driver_path / "publications").glob("*.logbuffer")
    seen = run_json("log", path)
    assert (seen["session_id"], seen["stream_id"]) == (running.publication.session_id, 10)
    assert seen["is_connected"]
    first = seen["terms"][0]
    assert (first["position"], first["tail_offset"]) == (192, 192)
    assert [each["offset"] for each in first["frames"]] == [0, 64, 128]
    assert {bytes.fromhex(each["payload"]) for each in first["frames"]} == {b"hello"}
    assert [each["frames"] for each in seen["terms"][1:]] == [[], []]
    assert len(run_json("log", path, "--frames", 2, "--term", 0)["terms"][0]["frames"]) == 2
    shown = run("log", path, "--bytes", 2)
    assert "offset 64: DATA BEGIN|END, length 37" in shown
    assert "68 65 " in shown
    assert "68 65 6c" not in shown


def test_gap_ends_a_term_unless_zeros_are_requested(running):
    (path,) = (running.driver_path / "publications").glob("*.logbuffer")
    copy = running.driver_path / "copy.logbuffer"
    data = bytearray(path.read_bytes())
    data[64:128] = bytes(64)
    copy.write_bytes(data)
    try:
        ends = run_json("log", copy)["terms"][0]["frames"]
        passed = run_json("log", copy, "--zeros")["terms"][0]["frames"]
    finally:
        copy.unlink()
    assert [each["offset"] for each in ends] == [0]
    assert [each["offset"] for each in passed] == [0, 128]


def test_a_segment_shows_its_frames(tmp_path):
    make_archive(tmp_path, [3], start=1056)
    seen = run_json("log", tmp_path / "0-0.rec")
    frames = seen["terms"][0]["frames"]
    assert [each["offset"] for each in frames] == [1056, 2112, 3168]
    assert frames[1]["payload"] == (b"\1\0\0\0" * 250).hex()
    assert "position 1056: DATA" in run("log", tmp_path / "0-0.rec", "--frames", 1)


def test_padding_is_shown_without_a_payload(running):
    message = b"\1" * 1000
    while running.publication.position < 1 << 16:
        if running.publication.offer(message) < 0:
            running.subscription.poll(lambda *_: None, 10)
            running.step()
    (path,) = (running.driver_path / "publications").glob("*.logbuffer")
    padding = run_json("log", path, "--term", 0, "--zeros")["terms"][0]["frames"][-1]
    assert (padding["kind"], padding["payload"]) == ("PAD", "")
    assert padding["offset"] + padding["length"] == 1 << 16
    last = run("log", path, "--term", 0, "--zeros").rstrip("\n").splitlines()[-1]
    assert last.startswith(f"offset {padding['offset']}: PAD")


def test_segment_without_frames_shows_none(tmp_path):
    path = tmp_path / "0-65536.rec"
    path.write_bytes(bytes(1 << 16))
    (term,) = run_json("log", path)["terms"]
    assert term["frames"] == []
    assert "DATA" not in run("log", path)


def test_file_other_than_a_log_is_rejected(tmp_path):
    (tmp_path / "x.logbuffer").write_bytes(b"x" * 5000)
    run("log", tmp_path / "x.logbuffer", code=4)
    run("log", tmp_path / "nowhere.logbuffer", code=3)
    run("log", tmp_path / "0-0.rec", code=3)


# ---- the driver itself ----


def test_the_drivers_errors_are_shown(running):
    with CncFile.open(SystemFiles(), f"{running.directory}/cnc.dat") as cnc:
        cnc.error_log().record("of the test", now_ms=int(time.time() * 1000))
    (error,) = run_json("driver", "errors", running.directory)["errors"]
    assert "of the test" in error["text"]
    assert run_json("errors", running.directory)["errors"] == [error]
    assert "1 distinct errors observed" in run("driver", "errors", running.directory)


def test_driver_is_requested_to_end_only_if_allowed(shm_dir):
    ended = []
    with MediaDriver.launch(
        aeron_dir=str(shm_dir / "driver"),
        threading_mode="INVOKER",
        driver_termination_validator="allow",
        termination_hook=lambda: ended.append(True),
    ) as driver:
        driver.invoker.start()
        directory = driver.aeron_dir
        assert run("driver", "pid", directory) == f"{run_json('driver', 'pid', directory)['pid']}\n"
        run("driver", "terminate", directory, code=1)
        assert not run_json("driver", "terminate", directory, "--dry-run")["is_requested"]
        for _ in range(10):
            driver.invoker.invoke()
        assert not ended
        assert run_json("driver", "terminate", directory, "--yes")["is_requested"]
        for _ in range(10):
            driver.invoker.invoke()
        assert ended
        text = run("driver", "terminate", directory, "--yes")
        assert text == f"driver in {directory}, process {os.getpid()}\nrequested\n"
    run("driver", "terminate", shm_dir / "nowhere", "--yes", code=3)
    done = CliRunner().invoke(main, ["driver", "terminate", directory, "--yes"])
    assert (done.exit_code, done.stderr) == (3, f"error: no driver is active in {directory}\n")
    done = CliRunner().invoke(main, ["driver", "--threading", "shared", "pid", directory])
    assert "--threading is for running a driver, not for pid" in done.output
