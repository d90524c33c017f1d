"""Messages of ``market.xml``, packed by hand."""

import struct
from pathlib import Path

from tests.unit.pipeline.logs import LogBuilder

SCHEMA = Path(__file__).parent / "market.xml"
NAN = float("nan")


def header(block_length, template_id, version=2, schema_id=77):
    return struct.pack("<HHHH", block_length, template_id, schema_id, version)


def order(
    id_=7,
    quantity=-5,
    mantissa=12345,
    side=b"S",
    state=2,
    flags=0x8000,
    symbol=b"ABC",
    name=b"\xe9t\xe9",
    digest=b"\x00\x01\xff",
    depth=(3, -7),
    weight=1.5,
    ratio=0.25,
    version=2,
):
    """Return an order; of an older version, or with additional bytes of a newer one."""
    block = struct.pack("<Qi", id_, quantity) + bytes(4)
    block += struct.pack("<q", mantissa) + side + bytes(7)
    block += struct.pack("<HH", state, flags) + symbol.ljust(6, b"\0") + name.ljust(4, b"\0")
    block += digest + struct.pack("<hh", *depth)
    if version >= 1:
        block += struct.pack("<d", weight)
    if version >= 2:
        block += struct.pack("<f", ratio)
    if version >= 3:
        block += b"what is new"
    return header(len(block), 1, version) + block


ORDER_LENGTH = len(order())

# The fields of the order without arguments.
ORDER = {
    "id": 7,
    "quantity": -5,
    "price": {"mantissa": 12345, "exponent": -4, "side": "SELL"},
    "state": "DONE",
    "marks": {"ioc": False, "hidden": True},
    "symbol": "ABC",
    "name": "été",
    "digest": b"\x00\x01\xff",
    "depth": [3, None],
    "venue": "XYZ",
    "only": "DONE",
    "weight": 1.5,
    "ratio": 0.25,
}


def varying(data, kind="<H"):
    return struct.pack(kind, len(data)) + data


def group(block_length, entries):
    return struct.pack("<HB", block_length, len(entries)) + b"".join(entries)


def leg(quantity, fills=(), note=b"", more=b""):
    entries = [struct.pack("<B", fill) for fill in fills]
    return struct.pack("<h", quantity) + more + group(1, entries) + varying(note)


def basket(owner=9, legs=(), tags=(), memo=b"", proof=b"", version=2, more=b""):
    out = header(8, 2, version) + struct.pack("<I", owner) + bytes(4)
    out += group(2 + len(more), [leg(*each, more=more) for each in legs])
    if version >= 1:
        out += group(2, [struct.pack("<H", tag) for tag in tags])
    out += varying(memo)
    if version >= 2:
        out += varying(proof, "<B")
    return out


def log_of_orders(count=100):
    """Return a log of orders, with baskets and timers between them."""
    log = LogBuilder()
    log.begin_term(0)
    log.open(1)
    for index in range(count):
        log.emit(1, order(id_=index))
        if index % 10 == 0:
            log.emit(1, basket(index, [(index, [1], b"n" * 3000)]))
            log.timer(index)
    return log
