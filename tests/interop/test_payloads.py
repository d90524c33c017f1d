"""Payloads as columns, compared with the real SBE decoder of the same schema file."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interop.conftest import unavailable
from tests.interop.java_peer import OPENS, QUICK
from tests.unit.pipeline.payloads.market import SCHEMA, basket, order

pa = pytest.importorskip("pyarrow")
sbe = pytest.importorskip("aeron_cluster.pipeline.payloads")

SBE = "1.35.6"
PROGRAM = Path(__file__).parent / "java_sbe" / "PrintPayloads.java"


@pytest.fixture(scope="module")
def sbe_jar(aeron_jar):
    """Return SBE's jar, fetched by Maven once; its dependencies are in Aeron's jar."""
    jar = aeron_jar.parent / f"sbe-tool-{SBE}.jar"
    if jar.exists():
        return jar
    if shutil.which("mvn") is None:
        unavailable(f"no mvn on the path to fetch uk.co.real-logic:sbe-tool:{SBE}")
    fetched = aeron_jar.parent / f"fetched-{os.getpid()}"
    command = ["mvn", "-q", "-B", "dependency:copy"]
    command += [f"-Dartifact=uk.co.real-logic:sbe-tool:{SBE}", f"-DoutputDirectory={fetched}"]
    done = subprocess.run(
        command, check=False, cwd=aeron_jar.parent, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        unavailable(f"mvn could not fetch uk.co.real-logic:sbe-tool:{SBE}: {done.stdout[-800:]}")
    (fetched / jar.name).replace(jar)
    shutil.rmtree(fetched)
    return jar


def printed(jars, payloads):
    """Return payloads as decoded by the real SBE."""
    class_path = os.pathsep.join(str(jar) for jar in jars)
    command = ["java", *QUICK, *OPENS, "-cp", class_path, str(PROGRAM), str(SCHEMA)]
    lines = "".join(f"{payload.hex()}\n" for payload in payloads)
    done = subprocess.run(
        command, input=lines, check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def random_order(draw):
    # The printer also reads fields that are newer than the payload, from the bytes after it.
    return order(
        id_=draw.getrandbits(63),
        quantity=draw.choice([draw.randrange(-(2**31), 2**31), -(2**31)]),
        mantissa=draw.choice([draw.randrange(-(2**63), 2**63), -(2**63)]),
        side=draw.choice([b"B", b"S", b"\0", b"?"]),
        state=draw.choice([1, 2, 3, 65535]),
        flags=draw.getrandbits(16),
        symbol=draw.choice([b"", b"A", b"ABCDEF", b'"\\/']),
        name=draw.choice([b"", b"wxyz"]),
        digest=draw.randbytes(3),
        depth=(draw.randrange(-(2**15), 2**15), draw.choice([-7, 7])),
        weight=draw.choice([draw.randrange(-1000, 1000) / 8, float("nan")]),
        ratio=draw.randrange(-1000, 1000) / 8,
        version=draw.randrange(3),
    ) + bytes(16)


def random_basket(draw):
    def text():
        return "".join(draw.choices('aé\n"\\/', k=draw.randrange(4))).encode()

    return basket(
        owner=draw.getrandbits(32),
        legs=[
            (draw.randrange(-(2**15), 2**15), draw.randbytes(draw.randrange(3)), text())
            for _ in range(draw.randrange(4))
        ],
        tags=[draw.getrandbits(16) for _ in range(draw.randrange(3))],
        memo=text(),
        proof=draw.randbytes(draw.randrange(5)),
        version=draw.randrange(3),
    )


def of_order(row, version):
    """Return an order as the printer prints it: null values instead of nulls."""
    fields = {
        **row,
        "quantity": -(2**31) if row["quantity"] is None else row["quantity"],
        "price": {
            **row["price"],
            "mantissa": -(2**63) if row["price"]["mantissa"] is None else row["price"]["mantissa"],
            "side": named(row["price"]["side"]),
        },
        "state": named(row["state"]),
        "name": row["name"] or "",
        "digest": list(row["digest"]),
        "depth": [-7 if each is None else each for each in row["depth"]],
        "weight": "0/0" if row["weight"] is None else row["weight"],
    }
    if version < 2:
        del fields["ratio"]
    if version < 1:
        del fields["price"]["side"]
    return fields


def named(value):
    return "null" if value is None or value.isdigit() else value


def of_basket(row):
    return {**row, "tags": row["tags"] or [], "proof": (row["proof"] or b"").hex()}


def cut(row, version):
    """Return the printed fields without fill bytes and without fields that the payload lacks."""
    for name in ("symbol", "name"):
        row[name] = row[name].split("\0")[0]
    if version < 2:
        del row["ratio"]
    if version < 1:
        del row["price"]["side"]
    return row


def test_columns_match_the_real_sbe_decoder(aeron_jar, sbe_jar):
    draw = random.Random(20)
    orders = [random_order(draw) for _ in range(200)]
    baskets = [random_basket(draw) for _ in range(200)]
    expected_rows = printed((aeron_jar, sbe_jar), orders + baskets)
    assert len(expected_rows) == 400
    decoder = sbe.sbe_decoder(SCHEMA)
    found_orders, found_baskets = (
        column.to_pylist() for column in decoder.decode(pa.array(orders + baskets))
    )
    for payload, row, expected in zip(orders, found_orders, expected_rows, strict=False):
        version = payload[6]
        assert of_order(row, version) == cut(expected, version)
    for row, expected in zip(found_baskets[200:], expected_rows[200:], strict=True):
        assert of_basket(row) == expected
