"""A minute of a real cluster under load whose members are killed, paused and cut off.

The seed is the run's (``AERON_CLUSTER_SEED``); ``python -m tests.soak --seed N`` repeats its
schedule.
"""

from dataclasses import replace

import pytest

from aeron_cluster.errors import InvariantError
from tests.conftest import SEED
from tests.soak import history, schedule
from tests.soak.histories import read_history
from tests.soak.members import COUNT
from tests.soak.soak import KINDS, Settings, Soak

FAULTS_S = 40.0
# Long, so that a busy machine fails no check.
MINUTES_S = 240.0


@pytest.mark.timeout(1500)
def test_nothing_acknowledged_is_lost_while_members_are_killed_paused_and_cut_off(
    tmp_path, free_port
):
    report = tmp_path / "soak"
    settings = Settings(
        SEED,
        FAULTS_S,
        report,
        free_port(10 * COUNT),
        MINUTES_S,
        left_out=frozenset({"full disk"}),  # a disk of tmpfs may be too much for a small machine
    )
    reported = []
    result = Soak(settings, reported.append).run()
    print("\n".join(reported), result, sep="\n")  # noqa: T201 - shown with a failure
    paths = sorted(report.glob("client-*.history"))
    assert result.answers > len(paths)
    # The check itself detects an answer that was never sent.
    directories = {index: report / f"member-{index}" for index in range(COUNT)}
    operations = [read_history(path) for path in paths]
    assert all(any(each.answered_ns >= 0 for each in some) for some in operations)
    for number in (KINDS.index("surviving"), KINDS.index("asyncio")):
        assert all(each.answer_count == 1 for each in operations[number] if each.sent_ns >= 0)
    place = next(i for i, each in enumerate(operations[0]) if each.answered_ns >= 0)
    answered = operations[0][place]
    operations[0][place] = replace(answered, answer=answered.answer + 1)
    with pytest.raises(InvariantError, match="answers are right"):
        history.check(directories, result.log, operations)


def test_a_seed_determines_the_schedule():
    events = schedule.draw(7, 600.0, COUNT)
    assert events == schedule.draw(7, 600.0, COUNT)
    others = {"kill", "kill all", "pause", "clock", "full disk"}
    assert schedule.LINK_FAULTS | others <= {each.kind for each in events}
    alone = {each.kind for each in schedule.draw(7, 600.0, COUNT, schedule.LINK_FAULTS)}
    assert not alone & schedule.LINK_FAULTS
