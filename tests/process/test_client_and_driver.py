"""Our client with our driver in a separate process: the same tests as on a Java driver."""

import inspect
import sys
from pathlib import Path

import pytest

from aeron_cluster.client import Aeron
from tests.interop import test_client as on_java
from tests.interop.java_peer import Peer
from tests.waiting import await_true

pytestmark = pytest.mark.sampled(1)

STARTED = "media driver in"
COMMAND = "from aeron_cluster.cli.main import main; main()"


@pytest.fixture(params=["shared", "dedicated"])
def driver(request, shm_dir: Path, tmp_path: Path):
    command = [sys.executable, "-c", COMMAND, "driver", "--threading", request.param]
    command += ["--dir", str(shm_dir / "driver"), "--idle", "yield"]
    peer = Peer("aeron-cluster driver", command, tmp_path / "driver.stderr")
    try:
        # On a busy machine that takes longer than a client waits for a driver.
        await_true(lambda: STARTED in peer.stderr or peer.code is not None, "the driver's start")
        assert peer.code is None, peer.report()
        yield peer
    finally:
        peer.stop()


@pytest.fixture
def aeron(driver, shm_dir):  # noqa: ARG001 - the driver runs in its directory
    with Aeron.connect(aeron_dir=shm_dir / "driver", client_name="tested") as client:
        yield client


# Every test of test_client.py that needs no Java runs here, with the driver above.
for _name, _function in vars(on_java).items():
    if _name.startswith("test_") and "java" not in inspect.signature(_function).parameters:
        globals()[_name] = _function
