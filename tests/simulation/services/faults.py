"""The services of ``shapes.py`` with one typical fault each; do not copy them."""

# ruff: noqa: ARG002

import random
import time

from aeron_cluster.cluster.members.role import Role
from tests.simulation.services.shapes import (
    INTERVAL_MS,
    Batches,
    Chat,
    KeyValue,
    Later,
    Requests,
    Topics,
    make_words,
)


class RaisesAtMessages(KeyValue):
    def apply(self, request):
        if self.total % 40 == 39:
            raise ValueError("forty")
        return super().apply(request)


class RaisesAtTimers(Later):
    def on_timer_event(self, correlation_id, timestamp):
        if correlation_id not in self.waiting:
            raise KeyError(correlation_id)
        if correlation_id % 30 == 0:
            raise RuntimeError("a thirtieth timer")
        super().on_timer_event(correlation_id, timestamp)


class RaisesAtOpenings(Chat):
    def on_session_open(self, session, timestamp):
        raise PermissionError("who is that")


class RaisesAtSnapshots(KeyValue):
    def on_take_snapshot(self, snapshot_publication):
        raise TypeError("Object of type set is not JSON serializable")


class WritesEmptySnapshots(KeyValue):
    def on_take_snapshot(self, snapshot_publication):
        pass


class IgnoresItsSnapshot(KeyValue):
    def load(self, message, _):
        pass


class ForgetsAField(KeyValue):
    def state(self):
        yield from sorted(self.counts.items())


class LoadsLess(KeyValue):
    """Writes the time of its last call into snapshots, but does not load it; no answer contains
    it.
    """

    last = 0

    def on_session_message(self, session, timestamp, message, header):
        self.last = timestamp
        super().on_session_message(session, timestamp, message, header)

    def load(self, message, _):
        if b"last" not in bytes(message):
            super().load(message, _)

    def state(self):
        yield "last", self.last
        yield from super().state()


class ForgetsWhoWaits(Later):
    def state(self):
        yield from (each for each in super().state() if each[0] != "waiting")


class ForgetsItsRequests(Requests):
    def on_take_snapshot(self, snapshot_publication):
        KeyValue.on_take_snapshot(self, snapshot_publication)


class AsksTheClock(KeyValue):
    def apply(self, request):
        return super().apply(request) + b" at %d" % time.time()


class Draws(KeyValue):
    def apply(self, request):
        return super().apply(request) + b", %d" % random.randrange(6)


class DependsOnHashes(Topics):
    def listed(self):
        return list(self.names)


class DependsOnIdentity(Chat):
    def listed(self):
        return sorted(self.members.values(), key=id)


class AnswersTwice(KeyValue):
    def send(self, session, answer):
        super().send(session, answer)
        super().send(session, answer)


class AnswersAsLeader(KeyValue):
    def send(self, session, answer):
        if self.cluster.role is Role.LEADER:
            super().send(session, answer)


class LosesAnswersInElections(Requests):
    """Defers answers to requests, and drops them when a term begins."""

    def on_start(self, cluster, snapshot_image):
        self.taken = []
        super().on_start(cluster, snapshot_image)

    def on_session_message(self, session, timestamp, message, header):
        request = self.requests.accept(session, timestamp, message)
        if request:
            self.taken.append(request)
            if len(self.taken) > 3:
                first = self.taken.pop(0)
                self.requests.answer(first, self.apply(first.payload))

    def on_new_leadership_term_event(self, term):
        self.taken.clear()


class SchedulesByItsClock(Later):
    now_ns = 0

    def do_background_work(self, now_ns):
        self.now_ns = now_ns
        return 0

    def on_session_message(self, session, timestamp, message, header):
        self.apply(bytes(message))
        self.last_timer += 1
        self.waiting[self.last_timer] = session.id
        self.schedule(self.last_timer, self.now_ns // 1_000_000 + INTERVAL_MS)


class KnowsItsMember(KeyValue):
    def apply(self, request):
        if self.cluster.member_id == 1:
            self.total += 1
        return super().apply(request)


class AnswersABatch(Batches):
    def on_session_messages(self, batch):
        for message in batch:
            self.apply(bytes(message[2]))
        for index in range(len(batch)):
            self.send(batch.at(-1), b"%d of %d" % (index, len(batch)))


class CountsBatches(Batches):
    def on_session_messages(self, batch):
        self.total += 1
        super().on_session_messages(batch)


FAULTS = {
    RaisesAtMessages: (make_words, "services do not raise", "on_session_message"),
    RaisesAtTimers: (make_words, "services do not raise", "on_timer_event"),
    RaisesAtOpenings: (None, "services do not raise", "on_session_open"),
    RaisesAtSnapshots: (None, "services do not raise", "on_take_snapshot"),
    WritesEmptySnapshots: (make_words, "", "on_session_message"),
    IgnoresItsSnapshot: (make_words, "", "on_session_message"),
    ForgetsAField: (make_words, "", "on_session_message"),
    LoadsLess: (make_words, "snapshots (have the state|are equal)", "on_take_snapshot"),
    ForgetsWhoWaits: (make_words, "", ""),
    ForgetsItsRequests: (None, "", ""),
    AsksTheClock: (None, "services are deterministic", "on_session_message"),
    Draws: (None, "services are deterministic", "on_session_message"),
    # The hash seed of this process too: otherwise differences between members are found first.
    DependsOnHashes: (
        None,
        "services (do not depend on hashes|see the same)",
        "on_session_message",
    ),
    DependsOnIdentity: (None, "", "on_session_message"),
    AnswersTwice: (make_words, "clients are answered once", "on_session_message"),
    AnswersAsLeader: (make_words, "", "on_session_message"),
    LosesAnswersInElections: (None, "", ""),
    SchedulesByItsClock: (make_words, "", "on_session_message"),
    KnowsItsMember: (make_words, "services see the same", "on_session_message"),
    AnswersABatch: (make_words, "", "on_session_messages"),
    CountsBatches: (make_words, "", "on_session_messages"),
}
"""Each fault, the clients' messages, and the expected invariant and callback; empty for any.
"""
