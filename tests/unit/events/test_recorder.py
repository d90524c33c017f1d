"""Recording and printing the events of a component."""

import contextlib
import re

import pytest

from aeron_cluster.events.codes import ArchiveEvent, ClusterEvent, ComponentType, DriverEvent
from aeron_cluster.events.event_log import EventLogReader
from aeron_cluster.events.recorder import NO_EVENTS, EventOptions, EventRecorder
from aeron_cluster.memory.shared.mapped_file import MappedFile
from aeron_cluster.memory.system.seams import Seams, SystemFiles

LENGTH = 65536


@pytest.fixture
def opened(tmp_path):
    """Open a log of archive events, of which the lines are in a file once it is closed."""

    @contextlib.contextmanager
    def open_log(enabled, disabled=None, filename="lines.txt", component=ComponentType.ARCHIVE):
        errors = []
        with contextlib.ExitStack() as stack:
            output = None if filename is None else str(tmp_path / filename)
            options = EventOptions(enabled, disabled, output, LENGTH)
            yield EventRecorder.open(
                stack, component, str(tmp_path), Seams(), options, errors.append
            )
        assert errors == []

    return open_log


def test_no_file_is_created_without_an_enabled_event(opened, tmp_path):
    for enabled, disabled in ((None, None), ("", None), ("CATALOG_RESIZE", "all")):
        with opened(enabled, disabled) as events:
            assert events is NO_EVENTS
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_recorded_by_no_events():
    NO_EVENTS.record(ArchiveEvent.CATALOG_RESIZE, catalog_length=1, new_catalog_length=2)
    NO_EVENTS.capture(DriverEvent.FRAME_IN, b"")
    assert not NO_EVENTS.is_enabled(DriverEvent.FRAME_IN)


def test_enabled_events_are_appended_to_the_file_as_lines(opened, tmp_path):
    (tmp_path / "lines.txt").write_text("an earlier line\n")
    with opened("CATALOG_RESIZE,REPLAY_SESSION_ERROR", "REPLAY_SESSION_ERROR") as events:
        events.record(ArchiveEvent.CATALOG_RESIZE, catalog_length=1, new_catalog_length=2)
        events.record(
            ArchiveEvent.REPLAY_SESSION_ERROR, session_id=1, recording_id=2, error_message="x"
        )
    earlier, start, line = (tmp_path / "lines.txt").read_text().splitlines()
    assert earlier == "an earlier line"
    assert re.fullmatch(
        r"\[\d+\.\d{9}\] log started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}, enabled "
        r"loggers: \{ARCHIVE: version=1\.51\.0 commit=\w+\}",
        start,
    )
    assert re.fullmatch(r"\[\d+\.\d{9}\] ARCHIVE: CATALOG_RESIZE \[16/16\]: 1 .* => 2 bytes", line)


def test_lines_are_printed_to_standard_output_without_a_file(opened, capsys):
    with opened("CATALOG_RESIZE", filename=None) as events:
        events.record(ArchiveEvent.CATALOG_RESIZE, catalog_length=1, new_catalog_length=2)
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2
    assert "CATALOG_RESIZE" in out[1]


def test_unknown_names_are_reported_on_standard_error(opened, capsys):
    with opened("CATALOG_RESISE,CATALOG_RESIZE", "nonsense") as events:
        assert events.is_enabled(ArchiveEvent.CATALOG_RESIZE)
    assert capsys.readouterr().err == (
        "unknown event code: CATALOG_RESISE (did you mean CATALOG_RESIZE?)\n"
        "unknown event code: nonsense\n"
    )


def test_the_number_of_dropped_events_is_printed(opened, tmp_path):
    with opened("all") as events:
        message = "x" * 4000
        for _ in range(200):
            events.record(
                ArchiveEvent.REPLAY_SESSION_ERROR,
                session_id=1,
                recording_id=2,
                error_message=message,
            )
        dropped_count = events.log.dropped_count
    lines = (tmp_path / "lines.txt").read_text().splitlines()
    printed = sum("REPLAY_SESSION_ERROR" in line for line in lines)
    assert printed + dropped_count == 200
    counts = [int(found[1]) for line in lines if (found := re.search(r": (\d+) events were", line))]
    assert sum(counts) == dropped_count


def test_the_file_remains_readable_after_the_component_has_ended(opened, tmp_path):
    with opened("all", component=ComponentType.CLUSTER) as events:
        events.record(
            ClusterEvent.STOP_CATCHUP, leadership_term_id=1, follower_member_id=2, member_id=3
        )
    path = str(tmp_path / "cluster-events.dat")
    reader = EventLogReader(MappedFile.open(SystemFiles(), path), path)
    ((event, _),) = reader.poll(10)
    assert event == ClusterEvent.STOP_CATCHUP


def test_a_file_of_an_earlier_process_is_replaced(opened, tmp_path):
    (tmp_path / "archive-events.dat").write_bytes(b"x")
    with opened("all"):
        assert (tmp_path / "archive-events.dat").stat().st_size > LENGTH


def test_an_output_file_that_cannot_be_opened_is_an_error(opened, tmp_path):
    with pytest.raises(FileNotFoundError), opened("all", filename="none/lines.txt"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_values_of_every_layout_are_given_by_keyword(opened):
    with opened("all") as events, pytest.raises(KeyError, match="new_catalog_length"):
        events.record(ArchiveEvent.CATALOG_RESIZE, catalog_length=1)
