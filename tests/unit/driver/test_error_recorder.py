"""The driver's reports of errors that clients and peers can vary arbitrarily."""

import logging

import pytest

from aeron_cluster.driver.control.error_recorder import ErrorRecorder
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.error_log import DistinctErrorLog, read_error_log
from aeron_cluster.simulator.world.virtual_clock import VirtualClock


class Counted:
    count = 0

    def add(self, _counter):
        self.count += 1


@pytest.fixture
def rig(caplog):
    caplog.set_level(logging.WARNING)
    buffer, counted = bytearray(1 << 20), Counted()
    return ErrorRecorder(DistinctErrorLog(buffer), counted, VirtualClock()), buffer, counted


def test_many_different_errors_of_one_type_hide_no_error_of_another(rig, caplog):
    recorder, buffer, counted = rig
    for number in range(2000):
        recorder.record(ConfigurationError("endpoint", "a port", f"host-{number}"))
    recorder.record(OSError(28, "No space left on device"))
    assert counted.count == 2001
    assert "No space left on device" in caplog.records[-1].getMessage()
    assert len(caplog.records) < 100
    entries = read_error_log(bytes(buffer))
    assert sum(entry.observation_count for entry in entries) == 2001
    assert "further kinds are counted as one" in caplog.text


def test_an_error_in_the_drivers_code_is_logged_as_such_with_its_place(rig, caplog):
    recorder, buffer, _ = rig
    try:
        {}["missing"]
    except KeyError as error:
        recorder.record(error)
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    (entry,) = read_error_log(bytes(buffer))
    for text in (record.getMessage(), entry.text):
        assert "KeyError: 'missing'" in text
        assert "test_error_recorder.py" in text


def test_long_texts_are_cut(rig, caplog):
    recorder, _, _ = rig
    for number in range(100):
        recorder.record(ConfigurationError("endpoint", "a port", f"{number}" + "x" * 100_000))
    assert len(caplog.text) < 200_000


def test_an_error_of_a_kind_is_reported_once_and_counted(rig, caplog):
    recorder, buffer, _ = rig
    for number in range(3):
        recorder.record(OSError(f"image {number}"), "no image could be made")
    (entry,) = read_error_log(bytes(buffer))
    assert entry.observation_count == 3
    assert [record.getMessage() for record in caplog.records] == ["OSError: image 0"]
