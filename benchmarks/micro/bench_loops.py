"""The time of the loops whose instructions `benchmarks.micro.counts` counts, by pytest-benchmark.

A count shows whether the code changed; a time shows the cost on this machine, since a cache miss, a
locked instruction and a division each count as one instruction. ``python -m benchmarks.micro`` runs
this.
"""

from typing import Any

import pytest

from benchmarks.micro import loops

OPERATIONS = 10_000
ROUNDS = 40


@pytest.mark.parametrize("name", loops.NAMES)
def test_ten_thousand_operations(benchmark: Any, name: str) -> None:  # noqa: ANN401 - it has no annotations
    """Run all operations in each round, without the GIL."""
    benchmark.pedantic(loops.run, args=(name, OPERATIONS), rounds=ROUNDS, warmup_rounds=4)
