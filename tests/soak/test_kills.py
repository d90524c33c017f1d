"""Leaders killed under load are replaced, and no acknowledged request is lost."""

import pytest

from tests.conftest import SEED
from tests.soak.kills import CLIENTS, Kills, KillsResult, silences
from tests.soak.members import COUNT
from tests.soak.soak import Settings

KILLS = 3
MINUTES_S = 240.0


@pytest.mark.timeout(900)
def test_nothing_acknowledged_is_lost_while_leaders_are_killed(tmp_path, free_port):
    settings = Settings(SEED, MINUTES_S, tmp_path / "kills", free_port(10 * COUNT), MINUTES_S)
    reported = []
    result = Kills(settings, KILLS, reported.append).run_kills()
    print("\n".join(reported), result, sep="\n")  # noqa: T201 - shown with a failure
    assert result.rounds == result.held.kills == KILLS
    assert result.held.starts >= COUNT + KILLS
    # How long clients waited depends on the machine: python -m tests.soak.kills prints it.
    assert len(result.silences_s) == CLIENTS * KILLS


def test_the_silence_after_a_kill_is_the_longest_until_the_next_one():
    answers = [1, 2, 3, 10, 11, 12, 13, 30, 31]
    assert silences([3, 12], answers) == [7, 17]
    # An answer that was on its way does not end the silence.
    assert silences([2, 12], answers) == [7, 17]
    assert silences([3], [1, 2]) == [0]


def test_a_result_names_the_median_and_the_range():
    held = type("Held", (), {"answers": 7, "kills": 2})()
    text = str(KillsResult(held, 2, (0.5, 1.0, 2.0)))
    assert "2 leaders killed, 2 members in all, none of 7 acknowledged requests lost" in text
    assert "median 1.00 s [0.50..2.00], 2 of 3 below 1.5 s" in text
