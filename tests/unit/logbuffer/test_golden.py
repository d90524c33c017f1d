"""Our logs and those written by real Java publications (``tests/golden/logs.jsonl``)."""

import json
import struct
from functools import cache
from pathlib import Path

import pytest

from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.logbuffer.local_log import LocalLog
from aeron_cluster.logbuffer.term_appender import AppendStatus

TERM_LENGTH = 65536
PATH = Path(__file__).parents[2] / "golden" / "logs.jsonl"


@cache
def vectors():
    return [json.loads(line) for line in PATH.read_text(encoding="ascii").splitlines()]


def name_of(vector):
    return f"{vector['kind']} from {vector['term_id']}:{vector['term_offset']}"


def start_of(vector):
    terms = (vector["term_id"] - vector["initial_term_id"]) % 2**32
    return terms * TERM_LENGTH + vector["term_offset"]


def new_log(vector, kind=None):
    supplier = (lambda offset, length: offset * 100_000 + length) if supplied(vector) else None
    return LocalLog(
        kind or vector["kind"],
        term_length=TERM_LENGTH,
        mtu_length=1408,
        session_id=vector["session_id"],
        stream_id=vector["stream_id"],
        initial_term_id=vector["initial_term_id"],
        position=start_of(vector),
        reserved_value_supplier=supplier,
    )


def supplied(vector):
    return vector["has_reserved_value"]


class Script:
    """Applies the Java program's operations to our log."""

    def __init__(self, vector, log):
        self.vector = vector
        self.log = log
        self.made = 0
        self.whole = []  # the messages that a subscriber must receive

    def message(self, length):
        self.made += 1
        return bytes((self.made * 31 + i) % 256 for i in range(length))

    def perform(self, operation):
        name, *words = operation.split()
        return getattr(self, name)(*words)

    def keep(self, message, position):
        if position > 0:
            self.whole.append((message, position))
        return position

    def offer(self, length):
        message = self.message(int(length))
        return self.keep(message, self.log.offer(message))

    def two(self, *lengths):
        parts = [self.message(int(length)) for length in lengths]
        return self.keep(b"".join(parts), self.log.offer_vectored(parts))

    three = two

    def claim(self, length, how):
        claim = self.log.try_claim(int(length))
        if isinstance(claim, int):
            return claim
        message = self.message(int(length))
        with memoryview(claim) as view:
            view[:] = message
        if how == "flags":
            claim.set_header(flags=0x80, reserved_value=-9)
        if how == "abort":
            claim.abort()
            return self.log.producer_position
        claim.commit()
        if how == "flags":
            return self.log.producer_position
        return self.keep(message, self.log.producer_position)

    def pad(self, length):
        return self.log.append_padding(int(length))

    def block(self, length):
        length = int(length)
        position = self.log.producer_position
        term_id = (self.vector["initial_term_id"] + position // TERM_LENGTH) % 2**32
        message = self.message(length)
        header = struct.pack(
            "<iBBHiiiIq",
            length + 32,
            0,
            0xC0,
            1,
            position % TERM_LENGTH,
            self.vector["session_id"],
            self.vector["stream_id"],
            term_id,
            length,
        )
        block = (header + message).ljust((length + 63) // 32 * 32, b"\0")
        return self.keep(message, self.log.offer_block(block))


@pytest.mark.parametrize("vector", vectors(), ids=name_of)
def test_appends_the_same_bytes_as_java(vector):
    log = new_log(vector)
    script = Script(vector, log)
    for operation, result in vector["operations"]:
        assert script.perform(operation) == result, operation
    blocks = []
    while log.block_poll(lambda block, *_: blocks.append(block), TERM_LENGTH):
        pass
    assert b"".join(blocks).hex() == vector["stream"]
    metadata = bytes(memoryview(log)[-4096:])
    assert metadata[24:28].hex() == vector["active_term_count"]
    assert metadata[264:284].hex() == vector["shape"]
    assert metadata[497] == vector["type"]
    header = bytearray(metadata[320:352])
    header[8:12] = bytes.fromhex(vector["default_header"])[8:12]  # its term offset is never read
    assert header.hex() == vector["default_header"]
    tails = struct.unpack("<3q", bytes.fromhex(vector["tails"]))
    assert struct.unpack("<3q", metadata[:24]) == tails


@pytest.mark.parametrize("vector", vectors(), ids=name_of)
def test_reads_the_bytes_written_by_java(vector):
    script = Script(vector, new_log(vector))
    for operation, result in vector["operations"]:
        assert script.perform(operation) == result
    image = new_log(vector, "image")
    stream = bytes.fromhex(vector["stream"])
    start = start_of(vector)
    with memoryview(image) as memory:
        for offset in range(0, len(stream), 32):
            at = (start + offset) % (3 * TERM_LENGTH)
            memory[at : at + 32] = stream[offset : offset + 32]
    messages = []

    def handler(message, header):
        messages.append((bytes(message), header.position))
        assert header.session_id == vector["session_id"]
        assert header.stream_id == vector["stream_id"]
        if supplied(vector) and header.reserved_value != -9:
            assert header.reserved_value // 100_000 in (0, header.term_offset)  # 0: claimed

    assembler = FragmentAssembler(handler)
    for _ in stream:  # a poll that skips only padding returns 0 too
        image.poll(assembler, 3)
    assert image.subscriber_position == start + len(stream)
    assert messages == script.whole


def test_the_vectors_have_each_status_an_append_may_answer_at_an_end():
    results = {result for vector in vectors() for _, result in vector["operations"]}
    assert AppendStatus.ADMIN_ACTION in results
    assert AppendStatus.MAX_POSITION_EXCEEDED in results
