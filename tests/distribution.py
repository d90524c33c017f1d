"""The tests that run concurrently on two cores, and their order: ``pytest -n 2``.

A unit is a file, a folder of tests that share something expensive, or a single test of the files
whose tests are long and share nothing. There are three lanes of units:

- *virtual*: tests in virtual time on one thread, which use a full core;
- *real*: tests with processes, JVMs, sockets and their timeouts, which wait at times;
- *alone*: tests that measure processor time or count threads; they run last, when nothing else
  runs.

The first worker prefers the real lane, the others the virtual one, so that usually one test of real
processes runs at a time. A worker with an empty lane continues in the other.
"""

from collections.abc import Callable

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

REAL, VIRTUAL, ALONE = "real", "virtual", "alone"
# Longest first: the last unit determines how long the other core is idle.
FOLDERS = {
    "tests/spark/": REAL,
    "tests/soak/": REAL,
    "tests/mixed/": REAL,
    "tests/interop/": REAL,
    "tests/process/": REAL,
    "tests/hostile/": REAL,
    "tests/examples/": REAL,
    "tests/native/": REAL,
    "tests/simulation/": VIRTUAL,
    "tests/canaries/": VIRTUAL,
    "tests/mutants/": VIRTUAL,
    "tests/sanitize/": VIRTUAL,
    "tests/coverage/": VIRTUAL,
    "tests/test_": VIRTUAL,
    "tests/property/": VIRTUAL,
    "tests/fuzz/": VIRTUAL,
    "tests/scenarios/": VIRTUAL,
}
TOGETHER = ("tests/spark/",)
APART = ("tests/simulation/test_seeds.py",)
ALONE_TESTS: tuple[str, ...] = ()


def unit_of(test: str) -> str:
    """Return the unit of a test: the tests of a unit run on one worker, in their order."""
    if test.startswith(ALONE_TESTS):
        return f"{ALONE} {test.partition('::')[0]}"
    for folder in TOGETHER:
        if test.startswith(folder):
            return folder
    return test if test.startswith(APART) else test.partition("::")[0]


def lane_of(unit: str) -> str:
    """Return the lane of a unit."""
    if unit.startswith(ALONE):
        return ALONE
    return next((lane for folder, lane in FOLDERS.items() if unit.startswith(folder)), VIRTUAL)


def rank_of(unit: str) -> int:
    """Return the rank of a unit; the lowest begins first."""
    return next((n for n, folder in enumerate(FOLDERS) if unit.startswith(folder)), len(FOLDERS))


class Distribution(LoadScopeScheduling):
    """Assigns units to workers by lane; the last lane to one worker, after the others have
    ended.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Producer | None = None,
        unit: Callable[[str], str] = unit_of,
        lane: Callable[[str], str] = lane_of,
    ) -> None:
        super().__init__(config, log)
        self._unit, self._lane = unit, lane
        self._first: str | None = None

    def _split_scope(self, nodeid: str) -> str:
        return self._unit(nodeid)

    def _wanted(self, node: WorkerController) -> str | None:
        """Return the next unit of a worker, None while it has to wait."""
        lanes: dict[str, list[str]] = {}
        for unit in self.workqueue:
            lanes.setdefault(self._lane(unit), []).append(unit)
        self._first = self._first or node.gateway.id
        order = (REAL, VIRTUAL) if node.gateway.id == self._first else (VIRTUAL, REAL)
        for lane in order:
            if lane in lanes:
                return min(lanes[lane], key=rank_of)
        return lanes[ALONE][0] if self.nodes == [node] else None

    def _assign_work_unit(self, node: WorkerController) -> None:
        if (unit := self._wanted(node)) is not None:
            self.workqueue.move_to_end(unit, last=False)
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node not in self.registered_collections or node.shutting_down:
            return
        if self.workqueue and self._wanted(node) is None:
            # Only the lane *alone* is left. A worker begins its last test only when it knows that
            # no other follows, so all workers except one are shut down; that one continues after
            # they have ended.
            if node is not next(each for each in self.nodes if not each.shutting_down):
                node.shutdown()
            return
        super()._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test in which a worker died, None if it ended; reassign its remaining
        units.
        """
        tests = [
            (unit, test)
            for unit, states in self.assigned_work.pop(node).items()
            for test, is_done in states.items()
            if not is_done
        ]
        for unit, test in tests[1:]:
            self.workqueue.setdefault(unit, {})[test] = False
        for each in self.nodes:
            self._reschedule(each)
        return tests[0][1] if tests else None
