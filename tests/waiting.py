"""Wait for a condition, with a bound."""

import time
from collections.abc import Callable

from aeron_cluster.memory.agents.idle_strategy import IdleStrategy


def await_true(condition: Callable[[], object], what: str, timeout_s: float = 120.0) -> None:
    """Wait until the condition holds; after the timeout fail with the name of the condition."""
    deadline = time.monotonic() + timeout_s
    idle = IdleStrategy("backoff")
    while not condition():
        assert time.monotonic() < deadline, f"not in {timeout_s} s: {what}"
        idle.idle(0)
