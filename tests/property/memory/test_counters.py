"""Counters compared with a dictionary."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from aeron_cluster.errors import InsufficientSpaceError, StateError
from aeron_cluster.memory.shared.counters import CountersManager, CountersReader

LABELS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=400)
INT64 = st.integers(-(2**63), 2**63 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)


class CountersModel(RuleBasedStateMachine):
    """The allocated counters, and the freed ids with their reuse times."""

    @initialize(count=st.integers(1, 6), reuse_ms=st.integers(0, 50))
    def make(self, count, reuse_ms):
        self.reuse_ms = reuse_ms
        self.metadata = bytearray(512 * count)
        self.values = bytearray(128 * count)
        self.manager = CountersManager(self.metadata, self.values, reuse_ms)
        self.reader = CountersReader(self.metadata, self.values)
        self.count = count
        self.allocated = {}
        self.freed = []
        self.used = 0
        self.now_ms = 0

    @rule(elapsed_ms=st.integers(0, 60))
    def wait(self, elapsed_ms):
        self.now_ms += elapsed_ms

    @rule(label=LABELS, type_id=INT32, key=st.binary(max_size=112), ids=st.tuples(*[INT64] * 4))
    def allocate(self, label, type_id, key, ids):
        registration_id, owner_id, reference_id, value = ids
        try:
            counter_id = self.manager.allocate(
                label,
                type_id,
                key,
                now_ms=self.now_ms,
                registration_id=registration_id,
                owner_id=owner_id,
                reference_id=reference_id,
                value=value,
            )
        except InsufficientSpaceError:
            assert self.used == self.count
            assert not self.freed or self.freed[0][1] > self.now_ms
            return
        if self.freed and self.freed[0][1] <= self.now_ms:
            assert counter_id == self.freed.pop(0)[0]
        else:
            assert counter_id == self.used
            self.used += 1
        self.allocated[counter_id] = (type_id, *ids, key.ljust(112, b"\0"), label[:380])

    @rule(data=st.data())
    def free(self, data):
        counter_id = data.draw(st.integers(0, self.count - 1))
        try:
            self.manager.free(counter_id, now_ms=self.now_ms)
        except StateError:
            assert counter_id not in self.allocated
            return
        del self.allocated[counter_id]
        self.freed.append((counter_id, self.now_ms + self.reuse_ms))

    @rule(data=st.data(), value=INT64, text=LABELS)
    def change(self, data, value, text):
        if self.allocated:
            counter_id = data.draw(st.sampled_from(sorted(self.allocated)))
            type_id, registration_id, owner_id, reference_id, _, key, label = self.allocated[
                counter_id
            ]
            self.manager.set_value(counter_id, value)
            assert self.manager.append_to_label(counter_id, text) == min(
                len(text), 380 - len(label)
            )
            self.allocated[counter_id] = (
                *(type_id, registration_id, owner_id, reference_id, value, key),
                (label + text)[:380],
            )

    @rule()
    def restart(self):
        self.manager = CountersManager(self.metadata, self.values, self.reuse_ms)
        # Only the ids show the order in which they were freed.
        self.freed.sort()

    @invariant()
    def readers_see_the_model(self):
        if hasattr(self, "reader"):
            found = {
                one.counter_id: (
                    one.type_id,
                    one.registration_id,
                    one.owner_id,
                    one.reference_id,
                    one.value,
                    one.key,
                    one.label,
                )
                for one in self.reader.counters()
            }
            assert found == self.allocated
            for counter_id, fields in self.allocated.items():
                first = min(i for i, other in self.allocated.items() if other[:2] == fields[:2])
                assert self.reader.find(*fields[:2]) == first <= counter_id


CountersModel.TestCase.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
TestCountersModel = CountersModel.TestCase


@given(
    damage=st.lists(st.tuples(st.integers(0, 4 * 160 - 1), INT32), min_size=1, max_size=12),
    now_ms=st.integers(0, 2**41),
)
@settings(max_examples=300, deadline=None)
def test_damaged_counters_are_read_within_their_bounds(damage, now_ms):
    metadata, values = bytearray(512 * 4), bytearray(128 * 4)
    manager = CountersManager(metadata, values, 10)
    ids = [manager.allocate("x", i, bytes([i]), now_ms=0) for i in range(3)]
    manager.free(ids[1], now_ms=0)
    for index, value in damage:
        if index < 512:
            struct.pack_into("<i", metadata, 4 * index, value)
        else:
            struct.pack_into("<i", values, 4 * (index - 512), value)

    for reader in (CountersReader(metadata, values), manager):
        for one in reader.counters():
            assert len(one.label) <= 380
        reader.find(1, 0)
    # The manager does not trust others' writes about free ids.
    assert [manager.allocate("new", 1, now_ms=now_ms + 10) for _ in range(2)] == [1, 3]
    again = CountersManager(metadata, values, 10)
    again.counters()
