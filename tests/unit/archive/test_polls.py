"""Polls of an archive client for errors and signals, as AeronArchive's of upstream."""

import contextlib

import pytest

from aeron_cluster.archive import AeronArchive
from aeron_cluster.codecs.archive import StopRecordingSubscriptionRequest
from tests.unit.archive.archive_rig import ArchiveRig

IPC = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}


@pytest.fixture
def rig(tmp_path):
    with contextlib.closing(ArchiveRig(tmp_path)) as made:
        yield made


def connect(rig, **options):
    return AeronArchive.connect(aeron=rig.aeron, agent_invoker=rig.step, **IPC, **options)


def test_an_error_of_no_pending_request_is_polled(rig):
    handled = []
    with contextlib.closing(connect(rig, error_handler=handled.append)) as archive:
        assert archive.poll_for_error_response() is None

        def request(subscription_id):
            # Nobody waits for the answer.
            sent = archive.request(
                StopRecordingSubscriptionRequest, subscription_id=subscription_id
            )
            archive.forget(sent)

        request(998)
        text = rig.await_that(archive.poll_for_error_response)
        assert "998" in text
        request(997)
        request(996)
        for _ in range(1000):  # both answers are there before the poll
            rig.step()
        assert "997" in archive.poll_for_error_response()
        assert ["996" in str(error) for error in handled] == [True]
        request(995)
        rig.await_that(lambda: archive.poll() and len(handled) == 2)
        assert archive.poll_for_error_response() is None


def test_signals_are_polled_and_counted(rig):
    signals = []
    with contextlib.closing(connect(rig, recording_signal_handler=signals.append)) as archive:
        assert archive.poll_for_recording_signals() == 0
        publication = archive.add_recorded_exclusive_publication("aeron:ipc", 1001)
        seen = len(signals)
        count = 0
        while count == 0 and not seen:
            rig.step()
            count = archive.poll_for_recording_signals()
        assert len(signals) == seen + count > 0
        publication.close()
        assert rig.await_that(archive.poll_for_recording_signals) == 1
        assert [each.signal.name for each in signals] == ["START", "STOP"]
