"""What every test may ask for: a directory in shared memory, ports nobody else uses."""

import importlib
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VARIANT = os.environ.get("AERON_CLUSTER_BUILD", "release")
SHARED_MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())

# Only the release variant is built in place; the others lie in a tree of their own.
if VARIANT != "release":
    sys.path.insert(0, str(ROOT / "build" / f"lib-{VARIANT}"))
    # At once: pytest puts the root before everything else again, for each test module.
    assert f"lib-{VARIANT}" in str(importlib.import_module("aeron_cluster").__file__)

# Below the range from which the kernel hands out ephemeral ports.
_PORTS = range(20_000, 32_000)
_given: set[int] = set()


def _is_free(port: int) -> bool:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True


@pytest.fixture(scope="session")
def free_port() -> Callable[..., int]:
    """Return a function that gives the first of ``count`` adjacent free ports, never twice."""
    # Runs beside each other start their search at different places.
    state = [_PORTS.start + os.getpid() * 97 % len(_PORTS)]

    def first_of(count: int = 1) -> int:
        for _ in range(len(_PORTS)):
            base = state[0] if state[0] + count <= _PORTS.stop else _PORTS.start
            state[0] = base + count
            block = range(base, base + count)
            if _given.isdisjoint(block) and all(map(_is_free, block)):
                _given.update(block)
                return base
        raise AssertionError(f"no {count} adjacent free ports in {_PORTS}")

    return first_of


@pytest.fixture
def shm_dir() -> Iterator[Path]:
    """Give a fresh directory in shared memory that is gone after the test."""
    path = Path(tempfile.mkdtemp(prefix="aeron-cluster-test-", dir=SHARED_MEMORY))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
