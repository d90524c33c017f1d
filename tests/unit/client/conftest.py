"""A fake driver and a client, driven together by one thread."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aeron_cluster.client.aeron import Aeron
from tests.unit.client.fake_driver import FakeDriver


@pytest.fixture
def driver(shm_dir: Path) -> FakeDriver:
    return FakeDriver(shm_dir / "driver")


@pytest.fixture
def connect(driver: FakeDriver) -> Iterator[Callable[..., Aeron]]:
    clients: list[Aeron] = []

    def connect_one(**options: object) -> Aeron:
        chosen = {
            "aeron_dir": driver.directory,
            "use_conductor_invoker": True,
            "driver_invoker": driver.do_work,
            **options,
        }
        clients.append(Aeron.connect(**chosen))
        return clients[-1]

    yield connect_one
    for client in clients:
        client.close()


@pytest.fixture
def aeron(connect: Callable[..., Aeron]) -> Aeron:
    return connect()
