"""Publishers and a subscriber on threads on one log: nothing is lost, doubled, torn or
reordered.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aeron_cluster.logbuffer.local_log import LocalLog

TERM_LENGTH = 65536


@pytest.fixture(scope="module")
def threads(build_extension):
    return build_extension(Path(__file__).parent / "log_threads.pyx")


@pytest.mark.parametrize(("publishers", "count"), [(1, 300_000), (3, 200_000), (8, 50_000)])
def test_every_message_arrives_once_and_in_its_publishers_order(threads, publishers, count):
    log = LocalLog(initial_term_id=2**31 - 2, position=TERM_LENGTH - 320)
    log.is_connected = True
    log.position_limit = 0
    with ThreadPoolExecutor(publishers + 1) as pool:
        reader = pool.submit(threads.subscribe, log, publishers * count, TERM_LENGTH // 2)
        writers = [pool.submit(threads.publish, log, n, count) for n in range(publishers)]
        assert [writer.result() for writer in writers] == [count] * publishers
        assert reader.result() == publishers * count
    assert log.subscriber_position > 20 * TERM_LENGTH


def test_publishers_reaching_the_end_of_the_stream_together_all_report_it(threads):
    log = LocalLog(position=TERM_LENGTH * (2**31 - 1))
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(threads.publish, log, n, 100_000) for n in range(4)]
        assert [writer.result() for writer in writers] == [-5] * 4
    assert log.producer_position == TERM_LENGTH * 2**31
    polled = []
    while log.poll(lambda message, _: polled.append(len(message)), 1000):
        pass
    assert log.subscriber_position == TERM_LENGTH * 2**31
