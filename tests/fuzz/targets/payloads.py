"""Payloads of the pipeline, the SBE schemas that describe them, and archives' control requests."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pyarrow as pa

from aeron_cluster.pipeline.payloads import sbe_decoder
from tests.fuzz.mutator import Mutator
from tests.fuzz.pipeline import test_damaged_payloads as payloads
from tests.fuzz.target import Feed, Target
from tests.unit.pipeline.payloads.market import SCHEMA

__all__ = ["TARGETS"]

_BATCH = 16


@contextlib.contextmanager
def _payloads(seed: int, *, number: int) -> Iterator[Feed]:
    decoder = payloads.DECODERS[number]
    mutator = Mutator([*payloads.WHOLE, b'{"a": 12, "b": ["x", null]}'], seed)
    drawn: list[bytes] = []
    was_accepted = True

    def feed() -> bool:
        nonlocal was_accepted
        drawn.append(mutator.draw())
        if len(drawn) == _BATCH:
            bad: list[object] = []
            for column in decoder.decode(pa.array(drawn, pa.binary()), bad):
                column.validate(full=True)
            was_accepted = len(bad) < _BATCH // 2
            drawn.clear()
        return was_accepted

    yield feed


@cache
def _schema() -> bytes:
    return SCHEMA.read_bytes()


@contextlib.contextmanager
def _schemas(seed: int) -> Iterator[Feed]:
    mutator = Mutator([_schema()], seed)
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-") as directory:
        path = Path(directory) / "schema.xml"

        def feed() -> bool:
            path.write_bytes(mutator.draw())
            sbe_decoder(path).arrow_fields()
            return True

        yield feed


TARGETS = (
    *(
        Target(f"payloads, decoder {number}", partial(_payloads, number=number), share=4)
        for number in range(len(payloads.DECODERS))
    ),
    Target("SBE schemas", _schemas, renewal=500, share=4),
)
