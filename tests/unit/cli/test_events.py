"""``aeron-cluster events``, which reads the logs of other processes."""

import json
import threading
import time

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.drivers import events as command
from aeron_cluster.cli.main import main
from aeron_cluster.events.codes import ArchiveEvent, ClusterEvent
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.layouts import LAYOUTS
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles


def make_log(directory, name="archive", component=1):
    length = EventLog.file_length(65536)
    path = directory / f"{name}-events.dat"
    path.unlink(missing_ok=True)
    memory = MappedFile.create(SystemFiles(), path, length)
    return EventLog(memory, SystemClock(), component=component, enabled=0, pid=1)


def put(log, event, **values):
    log.write(event, *LAYOUTS[event].encode(values))


def resize(log, length):
    put(log, ArchiveEvent.CATALOG_RESIZE, catalog_length=length, new_catalog_length=2 * length)


def stop_catchup(log, member_id):
    put(
        log,
        ClusterEvent.STOP_CATCHUP,
        leadership_term_id=1,
        follower_member_id=2,
        member_id=member_id,
    )


def run(*arguments, code=0):
    done = CliRunner().invoke(main, ["events", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


def test_events_of_all_components_are_printed_in_order(tmp_path):
    archive, cluster = make_log(tmp_path), make_log(tmp_path, "cluster", 2)
    for number in range(3):
        resize(archive, number)
        stop_catchup(cluster, number)
    lines = run(tmp_path).stdout.splitlines()
    assert [line.partition("] ")[2] for line in lines] == [
        text
        for number in range(3)
        for text in (
            f"ARCHIVE: CATALOG_RESIZE [16/16]: {number} bytes => {2 * number} bytes",
            f"CLUSTER: STOP_CATCHUP [16/16]: memberId={number} leadershipTermId=1 "
            "followerMemberId=2",
        )
    ]


def test_json_has_values_and_the_time_of_day(tmp_path):
    resize(make_log(tmp_path), 512)
    (line,) = run(tmp_path, "--json").stdout.splitlines()
    found = json.loads(line)
    assert found.pop("time")[:10] == time.strftime("%Y-%m-%d")
    assert found.pop("time_ns") > 0
    assert found == {
        "component": "ARCHIVE",
        "event": "CATALOG_RESIZE",
        "code": 37,
        "captured_length": 16,
        "length": 16,
        "values": {"catalogLength": 512, "newCatalogLength": 1024},
    }


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        (["STOP_CATCHUP"], ["STOP_CATCHUP"]),
        (["STOP_*,CATALOG_RESIZE"], ["CATALOG_RESIZE", "STOP_CATCHUP"]),
        (["STOP_CATCHUP", "--filter", "CATALOG_*"], ["CATALOG_RESIZE", "STOP_CATCHUP"]),
        (["!STOP_CATCHUP"], ["CATALOG_RESIZE"]),
        (["all,!CATALOG_RESIZE"], ["STOP_CATCHUP"]),
        (["admin"], ["CATALOG_RESIZE", "STOP_CATCHUP"]),
        (["NEW_ELECTION"], []),
    ],
)
def test_a_filter_selects_events(tmp_path, filters, shown):
    log = make_log(tmp_path)
    resize(log, 1)
    stop_catchup(log, 1)
    lines = run(tmp_path, "--filter", *filters).stdout.splitlines()
    assert [line.split()[2] for line in lines] == shown


def test_an_unknown_name_in_a_filter_is_rejected_with_the_nearest(tmp_path):
    make_log(tmp_path)
    done = run(tmp_path, "--filter", "CATALOG_RESIZED", code=2)
    assert "did you mean CATALOG_RESIZE?" in done.output


def test_a_directory_without_a_log_is_reported(tmp_path):
    assert "aeron.event.log" in run(tmp_path, code=3).output


def test_lost_and_dropped_events_are_reported_on_standard_error(tmp_path):
    log = make_log(tmp_path)
    for number in range(3000):
        resize(log, number)
    done = run(tmp_path)
    assert len(done.stdout.splitlines()) == 65536 // 40
    assert f"{3000 - 65536 // 40} events were dropped" in done.stderr


def test_events_overwritten_before_they_were_read_are_reported(tmp_path, monkeypatch):
    log = make_log(tmp_path)
    path = tmp_path / "archive-events.dat"
    memory = MappedFile.open(SystemFiles(), str(path), writable=True)
    consumer = EventLogReader(memory, str(path), is_consumer=True)

    def pause(_):
        if consumer.position:
            raise KeyboardInterrupt
        for number in range(1, 5001):  # several times the buffer
            resize(log, number)
            consumer.poll(1024)

    monkeypatch.setattr(command.time, "sleep", pause)
    resize(log, 0)
    done = run(tmp_path, "--follow")
    assert done.stderr == f"note: {path}: events were overwritten before they were read\n"
    numbers = [int(line.split()[4]) for line in done.stdout.splitlines()]
    assert numbers[0] == 0
    assert numbers[-1] == 5000
    assert numbers[1:] == list(range(numbers[1], 5001))  # the latest ones, without a gap
    assert numbers[1] > 1


def test_link_to_a_removed_log_is_no_log(tmp_path):
    (tmp_path / "archive-events.dat").symlink_to(tmp_path / "removed")
    assert f"no event log in {tmp_path}" in run(tmp_path, code=3).output


@pytest.mark.parametrize("length", [0, 7, 65536])
def test_a_log_whose_header_is_not_written_yet_is_waited_for(tmp_path, length):
    make_log(tmp_path, "driver")
    (tmp_path / "archive-events.dat").write_bytes(bytes(length))
    assert run(tmp_path).output == ""


def test_a_file_that_is_no_log_is_rejected(tmp_path):
    (tmp_path / "archive-events.dat").write_bytes(b"\1" * 65536)
    assert "magic number" in run(tmp_path, code=4).output


def test_following_shows_later_events_and_those_of_a_new_log(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_PAUSE_S", 0.001)
    shown = []
    monkeypatch.setattr(command.click, "echo", lambda text, **_: shown.append(text))
    stop = threading.Event()

    def pause(_):
        if stop.is_set():
            raise KeyboardInterrupt
        stop.wait(0.001)

    monkeypatch.setattr(command.time, "sleep", pause)
    thread = threading.Thread(target=lambda: run(tmp_path, "--follow"))
    thread.start()
    try:
        for number in range(3):
            log = make_log(tmp_path)  # each replaces the one before
            resize(log, number)
            while len(shown) < number + 1:
                assert thread.is_alive(), "the command ended"
                stop.wait(0.001)
    finally:
        stop.set()
        thread.join()
    assert ["0 bytes" in shown[0], "1 bytes" in shown[1], "2 bytes" in shown[2]] == [True] * 3
