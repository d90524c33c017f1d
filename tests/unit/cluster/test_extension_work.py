"""The kinds of work of an extension, and how often each is called."""

import pytest

from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
from aeron_cluster.cluster.module.extension_work import ExtensionWork

MS = 1_000_000


class Counted(ConsensusModuleExtension):
    """Records the times of its slow ticks, each with a count of work."""

    def __init__(self, work=0):
        self.work = work
        self.ticks = []
        self.passes = []
        self.settled = []

    def do_work(self, now_ns):
        self.passes.append(now_ns)
        return 1

    def slow_tick_work(self, now_ns):
        self.ticks.append(now_ns)
        return self.work

    def consensus_work(self, now_ns):
        self.settled.append(now_ns)
        return 100


# Upstream: SLOW_TICK_INTERVAL_NS of ConsensusModuleAgent, 10 ms.
@pytest.mark.parametrize(("work", "times"), [(0, [0, 10 * MS, 20 * MS]), (1, None)])
def test_a_slow_tick_comes_every_10_ms_or_in_the_pass_after_one_with_work(work, times):
    extension = Counted(work)
    driven = ExtensionWork(extension)
    passes = [number * MS for number in range(25)]
    counts = [driven.do_work(now_ns, is_settled=False) for now_ns in passes]
    assert extension.ticks == (passes if times is None else times)
    assert extension.passes == passes
    assert extension.settled == []
    assert sum(counts) == len(passes) + work * len(extension.ticks)


def test_work_of_a_settled_member_is_done_outside_elections_only():
    extension = Counted()
    driven = ExtensionWork(extension)
    assert driven.do_work(0, is_settled=True) == 101
    assert driven.do_work(1, is_settled=False) == 1
    assert extension.settled == [0]
