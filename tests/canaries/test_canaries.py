"""Seeds find deliberate bugs.

Two canaries that need no build and have quick seeds are drawn for each run; ``make canaries`` runs
all.
"""

import re
import shutil

import pytest

from aeron_cluster.simulator.faults import events
from tests.canaries.canary import CANARIES, apply, find, patched
from tests.conftest import ROOT, SEED, VARIANT

pytestmark = pytest.mark.skipif(VARIANT != "release", reason="only release is built in place")

DRAWN = [each for each in CANARIES if not each.is_compiled and each.mode == "consensus"]


def named(canaries):
    return [pytest.param(each, id=each.name) for each in canaries]


@pytest.mark.parametrize("canary", named(CANARIES))
def test_a_canary_describes_itself_and_applies_to_the_sources(canary, tmp_path):
    for name in re.findall(r"^--- a/(.*)$", canary.path.read_text(), re.MULTILINE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    apply(canary, tmp_path)
    assert canary.bug.endswith(".")
    assert canary.mode in ("whole", "consensus")
    assert not canary.fault or issubclass(getattr(events, canary.fault), events.Event)
    assert canary.found_by


@pytest.mark.sampled(2)
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("canary", named(DRAWN))
def test_the_seeds_find_a_drawn_canary(canary):
    with patched(canary) as tree:
        finding = find(canary, tree, SEED)
    tried = f"{len(finding.seeds)} seeds from {SEED}"
    assert finding.invariant, f"{tried} do not find {canary.name}: {finding.others or 'all passed'}"
