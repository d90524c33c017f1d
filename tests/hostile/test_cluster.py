"""A real cluster under hostile but well-formed datagrams for a few seconds.

The seed is the run's (``AERON_CLUSTER_SEED``); ``make hostile`` runs the attack for ten minutes.
"""

import pytest

from tests.conftest import SEED
from tests.hostile.siege import Siege
from tests.soak.soak import Settings

ATTACK_S = 12.0
# Long, so that a busy machine fails no check.
MINUTES_S = 240.0


@pytest.mark.sampled(1)
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("kind", ["stranger", "insider"])
def test_requests_continue_and_little_is_printed_under_every_attack(kind, tmp_path, free_port):
    settings = Settings(SEED, ATTACK_S, tmp_path / "report", free_port(30), MINUTES_S)
    siege = Siege(settings, kind=kind, silence_s=MINUTES_S)
    result = siege.run()
    assert result.answers > 0
    assert sum(siege.sent.values()) > 100
