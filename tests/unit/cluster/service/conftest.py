"""A container on a driver and an archive, in one thread."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cluster.service.container_rig import ContainerRig


@pytest.fixture
def rig(shm_dir: Path) -> Iterator[ContainerRig]:
    rig = ContainerRig(shm_dir)
    try:
        yield rig
    finally:
        rig.close()
