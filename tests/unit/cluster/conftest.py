"""Streams without a driver."""

from pathlib import Path

import pytest

from tests.unit.cluster.streams import Streams


@pytest.fixture
def streams(shm_dir: Path) -> Streams:
    return Streams(shm_dir)
