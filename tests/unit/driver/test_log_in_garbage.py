"""The log of a stream freed by a garbage collection together with the objects that refer to it."""

import gc

from tests.unit.driver.harness import Log


def test_a_collected_log_releases_its_memory():
    log = Log()
    memory, raw = log.memory, log.raw
    # Younger than the log: a collection clears the log first.
    cycle = [raw]
    cycle.append(cycle)
    del log, raw, cycle
    assert gc.collect() > 0
    memory.append(0)  # raises a BufferError while it is exported
