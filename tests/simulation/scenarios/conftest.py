"""Running clusters for scenarios."""

import pytest

from tests.simulation.scenarios.rig import Scenario


@pytest.fixture
def cluster():
    with Scenario() as made:
        yield made.begin()


@pytest.fixture
def single():
    with Scenario(members=1) as made:
        yield made.begin()


@pytest.fixture
def five():
    with Scenario(members=5) as made:
        yield made.begin()
