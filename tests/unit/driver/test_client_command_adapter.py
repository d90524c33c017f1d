"""Commands waiting for a name, and those that do not wait."""

from types import SimpleNamespace

import pytest

from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.control.client_command_adapter import MAX_LOOKUPS, ClientCommandAdapter
from aeron_cluster.driver.control.deferred_commands import DeferredCommands
from aeron_cluster.memory.shared.commands import ErrorCode
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from tests.unit.driver.driver_rig import S

SLOW = "aeron:udp?endpoint=slow:4000"
LITERAL = "aeron:udp?endpoint=127.0.0.1:4000"


class Lookup:
    def __init__(self, hosts):
        self.is_done = "slow" not in hosts
        self.hosts = hosts

    def done(self):
        return self.is_done

    def result(self):
        return dict.fromkeys(self.hosts, "127.0.0.1")


class Adapter:
    """An adapter over a list of commands; slow names resolve on the test's request."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(
            commands, "decode", lambda _type_id, data: self.given[data[0] + 256 * data[1]]
        )
        self.given = []
        self.unread = []
        self.lookups = []
        self.done = []
        self.counted = []
        self.lookup_times_ns = []
        self.lookup_duration_ns = 0
        self.recorded = []
        self.deferred = DeferredCommands(self.recorded.append)
        self.adapter = ClientCommandAdapter(
            SimpleNamespace(name_resolver_threshold_ns=5 * S),
            self,
            self,
            SimpleNamespace(propose_max=self.on_lookup_time, add=self.counted.append),
            self,
            self,
            self.deferred,
            self.execute,
            SimpleNamespace(nano_time=lambda: self.now_ns),
            0,
        )
        self.closing = set()
        self.rejected = []
        self.now_ns = 0

    def record_names(self, names):
        """Record nothing: events have tests of their own."""

    def execute(self, command, _resolved, _now_ns):
        channel = getattr(command, "channel", None)
        if channel in self.closing:
            raise commands.ChannelClosingError(channel)
        self.done.append(command.correlation_id)

    def on_error(self, correlation_id, code, _text):
        self.rejected.append((correlation_id, code))

    def record(self, *_):
        """Ignore an error for the driver's log."""

    def read(self, handler, _limit):
        if self.unread:
            handler(1, self.unread.pop(0).to_bytes(2, "little"))

    def on_lookup_time(self, _counter, duration_ns):
        self.lookup_times_ns.append(duration_ns)

    def lookup(self, hosts):
        self.now_ns += self.lookup_duration_ns
        self.lookups.append(Lookup(list(hosts)))
        return self.lookups[-1]

    def give(self, *given):
        """Write commands into the ring and process them; return the ids of the completed ones."""
        for each in given:
            self.given.append(each)
            self.unread.append(len(self.given) - 1)
        while self.adapter.do_work(self.now_ns):
            pass
        return self.done

    def answer(self, index):
        self.lookups[index].is_done = True
        return self.give()


@pytest.fixture
def ring(monkeypatch):
    return Adapter(monkeypatch)


def add(correlation_id, channel=LITERAL, client_id=1):
    return commands.AddPublication(client_id, correlation_id, 10, channel, False)


def test_an_unresolved_name_blocks_no_other_command(ring):
    """A cluster's module resolves other hosts' names and all of its own with one client."""
    counter = commands.AddCounter(1, 12, 1, b"", b"")
    assert ring.give(add(10, SLOW), add(11), counter, add(13, client_id=2)) == [11, 12, 13]
    assert ring.adapter.is_accepting
    assert ring.answer(0) == [11, 12, 13, 10]
    assert not ring.adapter.is_looking_up


def test_a_command_waits_for_the_end_of_a_channel_that_is_being_closed(ring):
    ring.closing.add(LITERAL)
    remove = commands.RemovePublication(1, 11, 10, False)
    assert ring.give(add(10), remove, add(12, "aeron:ipc")) == [12]
    ring.closing.clear()
    assert ring.give() == [12, 10, 11]
    assert not ring.adapter.is_looking_up


def test_a_command_is_rejected_if_its_channel_is_not_closed_within_a_second(ring):
    ring.closing.add(LITERAL)
    ring.now_ns = 5 * S
    assert ring.give(add(10)) == []
    ring.now_ns = 6 * S - 1
    assert ring.give() == []
    assert ring.rejected == []
    ring.now_ns = 6 * S
    assert ring.give() == []
    assert ring.rejected == [(10, ErrorCode.ERROR_RESOURCE_TEMPORARILY_UNAVAILABLE)]
    assert not ring.adapter.is_looking_up


def test_names_are_answered_in_any_order(ring):
    assert ring.give(add(10, SLOW), add(11, SLOW)) == []
    assert ring.answer(1) == [11]
    assert ring.answer(0) == [11, 10]


@pytest.mark.parametrize(
    "later",
    [
        commands.RemovePublication(1, 11, 10, False),
        commands.AddDestination(1, 11, 10, LITERAL),
        add(11, f"{LITERAL}|response-correlation-id=10"),
        add(11, "aeron:udp?tags=7"),
        add(11, f"{LITERAL}|session-id=tag:8"),
    ],
)
def test_command_referring_to_a_waiting_one_runs_after_it(ring, later):
    assert ring.give(add(10, f"{SLOW}|tags=7,8"), later, add(12)) == [12]
    assert ring.answer(0) == [12, 10, 11]


def test_commands_for_the_same_publication_stay_in_order(ring):
    first = commands.AddDestination(1, 11, 10, SLOW)
    second = commands.RemoveDestination(1, 12, 10, SLOW)
    third = commands.RemovePublication(1, 13, 10, False)
    assert ring.give(add(10), first, second, third) == [10]
    assert ring.answer(2) == [10]
    assert ring.answer(1) == [10, 11, 12, 13]


def test_commands_of_a_closed_client_are_dropped(ring):
    close = commands.ClientClose(1, 12)
    assert ring.give(add(10, SLOW), add(11, SLOW, client_id=2), close) == [12]
    assert ring.answer(0) == [12]
    assert ring.answer(1) == [12, 11]


def test_waiting_commands_are_limited(ring):
    ring.give(*(add(index, SLOW) for index in range(MAX_LOOKUPS + 2)))
    assert not ring.adapter.is_accepting
    assert len(ring.lookups) == MAX_LOOKUPS
    assert ring.answer(5) == [5]
    assert len(ring.lookups) == MAX_LOOKUPS + 1


@pytest.mark.parametrize("duration_ns", [5 * S, 5 * S + 1])
def test_lookups_longer_than_the_threshold_are_counted(ring, duration_ns):
    ring.lookup_duration_ns = duration_ns
    assert ring.give(add(10)) == [10]
    assert ring.lookup_times_ns == [duration_ns]
    exceeded = SystemCounter.SYSTEM_NAME_RESOLVER_TIME_EXCEEDED
    assert ring.counted == ([exceeded] if duration_ns > 5 * S else [])
