"""A minute of a real cluster under load whose members are killed, paused and cut off.

The seed is the run's (``AERON_CLUSTER_SEED``); ``python -m tests.soak --seed N`` repeats its
schedule.
"""

import json
import re
from dataclasses import replace

import pytest

from aeron_cluster.errors import InvariantError
from tests.conftest import SEED
from tests.soak import history, schedule
from tests.soak.disks import NoDisksError
from tests.soak.histories import read_history
from tests.soak.members import COUNT
from tests.soak.power.disk import PowerDisk
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
        # Disks in memory may be too much for a small machine.
        left_out=schedule.POWER_FAULTS | {"full disk"},
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


@pytest.fixture
def power_disks(tmp_path):
    try:
        PowerDisk(tmp_path / "probe", 1, 0).close()
    except NoDisksError as error:
        pytest.skip(f"no disk that loses power can be mounted: {error}")


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("power_disks")
def test_nothing_acknowledged_is_lost_with_the_power_of_members_that_sync(tmp_path, free_port):
    settings = Settings(
        SEED,
        20.0,
        tmp_path / "soak",
        free_port(10 * COUNT),
        MINUTES_S,
        left_out=frozenset(schedule.KINDS) - schedule.POWER_FAULTS,
    )
    reported = []
    result = Soak(settings, reported.append).run()
    print("\n".join(reported), result, sep="\n")  # noqa: T201 - shown with a failure
    assert result.power_losses > 0
    assert result.kills == 0
    assert result.answers > 0


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("power_disks")
def test_what_members_lose_that_do_not_sync_is_noticed(tmp_path, free_port):
    settings = Settings(
        SEED,
        12.0,
        tmp_path / "soak",
        free_port(10 * COUNT),
        answer_bound_s=30.0,
        left_out=frozenset(schedule.KINDS) - {"power all"},
        sync_level=0,
    )
    with pytest.raises(InvariantError) as raised:
        Soak(settings).run()
    # By a client, by the check of the answers, or by members that do not start with what is left.
    reported = [str(raised.value), *(each.read_text() for each in settings.report.glob("*.log"))]
    lost = "UnknownClientError|answers are right|acknowledged|^error: "
    assert re.search(lost, "\n".join(reported), re.MULTILINE), reported
    events = [json.loads(each) for each in (settings.report / "events.jsonl").open()]
    assert any(each["what"] == "power all" for each in events)


def test_a_seed_determines_the_schedule():
    events = schedule.draw(7, 600.0, COUNT)
    assert events == schedule.draw(7, 600.0, COUNT)
    others = {"kill", "kill all", "pause", "clock", "full disk", "power", "power all"}
    assert schedule.LINK_FAULTS | others <= {each.kind for each in events}
    alone = {each.kind for each in schedule.draw(7, 600.0, COUNT, schedule.LINK_FAULTS)}
    assert not alone & schedule.LINK_FAULTS
