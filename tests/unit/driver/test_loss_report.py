"""Reading a driver's loss report."""

import pytest

from aeron_cluster.driver.loss_report_reader import LossEntry, read_loss_report
from aeron_cluster.driver.receive.loss_report import LossReport
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.driver.harness import DATA_PORT, LOCAL, MTU_LENGTH, SESSION_ID, STREAM_ID, Receiving


def lose_a_frame(report):
    """Record the loss of the second frame of a stream; return the time."""
    receiving = Receiving(loss_report=report)
    receiving.create_image()
    receiving.run()
    for position in (0, 2 * MTU_LENGTH):
        frame = receiving.stream.frame(position, b"x" * (MTU_LENGTH - 32))
        receiving.network.deliver(receiving.source, (LOCAL, DATA_PORT), frame)
    for _ in range(3):
        receiving.run(1000)
    return receiving.clock.epoch_ms()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_entries_are_read_up_to_the_end_of_the_file(shm_dir, count):
    memory = bytearray(2 * 128)
    report = LossReport(memory)
    for _ in range(count):
        now_ms = lose_a_frame(report)
    (shm_dir / "loss-report.dat").write_bytes(memory)
    channel = "aeron:udp?endpoint=127.0.0.1:40123"
    assert read_loss_report(SystemFiles(), str(shm_dir)) == [
        LossEntry(1, MTU_LENGTH, now_ms, now_ms, SESSION_ID, STREAM_ID, channel, f"{LOCAL}:50000")
        for _ in range(count)
    ]
