"""One step of a replay: more than one poll, but bounded in time."""

import pytest

from aeron_cluster.cluster.log.log_replay import read_on

FRAGMENTS, FRAME_LENGTH = 50, 96
STOP = 1_000_000


class Log:
    """A log reader, its commit positions, and its clock, which each poll advances."""

    def __init__(self, fragments, poll_ns=0):
        self.is_ready = True
        self.position = 0
        self.committed = []
        self._left = fragments
        self._poll_ns = poll_ns
        self._now_ns = 0

    def poll(self, limit_position, fragment_limit):
        assert limit_position == STOP
        found = min(self._left, fragment_limit)
        self._left -= found
        self.position += found * FRAME_LENGTH
        self._now_ns += self._poll_ns
        return found

    def propose_max(self, position):
        self.committed.append(position)

    def nano_time(self):
        return self._now_ns

    def read_on(self):
        return read_on(self, self, self, STOP, FRAGMENTS)


def test_step_reads_the_available_part_and_commits_after_each_poll():
    log = Log(120)
    assert log.read_on() == 120
    assert log.committed[:3] == [each * FRAME_LENGTH for each in (50, 100, 120)]
    assert log.read_on() == 0
    assert max(log.committed) == 120 * FRAME_LENGTH


@pytest.mark.parametrize(("poll_ns", "polls"), [(0, 40), (10_000, 10), (1_000_000, 1)])
def test_a_step_is_bounded_in_polls_and_in_time(poll_ns, polls):
    assert Log(1_000_000, poll_ns).read_on() == polls * FRAGMENTS


def test_nothing_is_read_after_an_action_until_it_is_done():
    log = Log(120)
    log.propose_max = lambda _: setattr(log, "is_ready", False)
    assert log.read_on() == FRAGMENTS
    assert log.read_on() == 0
    log.is_ready = True
    assert log.read_on() == FRAGMENTS
