"""A user watches a driver's counters and errors; mypy checks the types."""

from typing import assert_type

from aeron_cluster.errors import CorruptError, VersionError
from aeron_cluster.memory.shared.cnc_file import CncFile
from aeron_cluster.memory.shared.counter_descriptor import CounterDescriptor
from aeron_cluster.memory.shared.counters import AtomicCounter, CountersReader
from aeron_cluster.memory.shared.counters_layout import CounterType
from aeron_cluster.memory.shared.error_text import ErrorLogEntry
from aeron_cluster.memory.system.seams import SystemFiles


def positions(path: str) -> dict[str, int]:
    """Open the file of a running driver."""
    try:
        with CncFile.open(SystemFiles(), path) as cnc:
            assert_type(cnc.pid, int)
            assert_type(cnc.error_log().entries(), list[ErrorLogEntry])
            return by_label(cnc.counters_reader())
    except VersionError as error:
        assert_type(error.offset, int)
        rejected: CorruptError = error
        del rejected
        return {}


def by_label(counters: CountersReader) -> dict[str, int]:
    """Read all counters, and one by its view."""
    found = counters.counters()
    assert_type(found, list[CounterDescriptor])
    counter_id = counters.find(CounterType.COUNTER_TYPE_SENDER_POSITION, 7)
    if counter_id is not None:
        assert_type(AtomicCounter(counters, counter_id).get(), int)
    return {one.label: one.value for one in found}
