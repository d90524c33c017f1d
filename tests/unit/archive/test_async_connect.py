"""A control session that is opened by polls."""

import contextlib

import pytest

from aeron_cluster.archive import AeronArchive, ArchiveConnectStep
from aeron_cluster.errors import ConfigurationError, TimeoutExpiredError
from tests.unit.archive.archive_rig import ArchiveRig

IPC = {"control_channel": "aeron:ipc", "control_response_channel": "aeron:ipc"}


@pytest.fixture
def rig(tmp_path):
    with contextlib.closing(ArchiveRig(tmp_path)) as made:
        yield made


def begin(rig, **options):
    return AeronArchive.async_connect(aeron=rig.aeron, **IPC, **options)


def test_polls_take_each_step_and_return_the_client(rig):
    with begin(rig) as connecting:
        assert connecting.poll() is None  # nothing is driven by it
        steps = [connecting.step]
        archive = None
        for _ in range(1000):
            rig.step()
            archive = connecting.poll()
            if connecting.step not in steps:
                steps.append(connecting.step)
            if archive is not None:
                break
    assert steps == list(ArchiveConnectStep)
    assert connecting.poll() is archive
    # Leaving the `with` did not cancel it.
    rig.step()
    assert archive.is_connected
    assert archive.archive_id == rig.archive.archive_id
    archive.close()
    assert not rig.aeron.is_closed  # it was given


def test_closing_it_cancels_an_incomplete_connect(rig):
    connecting = begin(rig)
    while connecting.step is not ArchiveConnectStep.AWAIT_RESPONSE:
        rig.step()
        assert connecting.poll() is None
    connecting.close()
    connecting.close()
    for _ in range(100):
        rig.step()
    with begin(rig) as again:
        while (archive := again.poll()) is None:
            rig.step()
    archive.close()


def test_it_is_rejected_by_its_deadline(rig):
    with (
        begin(rig, message_timeout_ns=1) as connecting,
        pytest.raises(TimeoutExpiredError, match="step ADD_RESPONSES"),
    ):
        rig.await_that(connecting.poll)


def test_an_invalid_option_is_rejected_at_once():
    with pytest.raises(ConfigurationError, match="contrl_channel"):
        AeronArchive.async_connect(contrl_channel="aeron:ipc")
