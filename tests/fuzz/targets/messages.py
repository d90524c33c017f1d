"""SBE messages, in Python and in C, envelopes of requests, frames of names, records of events."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from aeron_cluster.codecs.message import Schema
from aeron_cluster.codecs.request_envelope import Envelope, EnvelopeKind
from aeron_cluster.codecs.resolution_frames import decode_frame
from aeron_cluster.events.event_log import EventLog, EventLogReader
from aeron_cluster.events.text import decode_record
from aeron_cluster.memory.system.seams import SystemClock
from tests.fuzz.mutator import Mutator
from tests.fuzz.target import Feed, Finding, Result, Target
from tests.golden import vectors
from tests.golden.transcoder import compile_c, message_types, seeds, source

__all__ = ["TARGETS", "CTarget", "of_bytes"]

_CODECS = Path(__file__).parents[1] / "codecs"
_SANITIZE = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_NAME_LIMIT = 100
_EVENT_LOG_LENGTH = 65536


def of_bytes(
    name: str, corpus: Callable[[], Sequence[bytes]], parse: Callable[[bytes], object], **more: int
) -> Target:
    """Return a target of a function of bytes; an input for which it returns None is rejected."""

    @contextlib.contextmanager
    def begin(seed: int) -> Iterator[Feed]:
        mutator = Mutator(corpus(), seed)
        yield lambda: parse(mutator.draw()) is not None

    return Target(name, begin, **more)


@cache
def _encoded(schema: str) -> list[bytes]:
    return [each.encoded for each in vectors.codec_vectors() if each.schema == schema]


def _decoded(schema: Schema, data: bytes) -> object:
    message = schema.decode(data)
    # What was read can be shown, and written again.
    return repr(message), message.to_bytes()


@cache
def _envelopes() -> list[bytes]:
    return [Envelope(kind, 77, 88, 99, 11).encode(b"body") for kind in EnvelopeKind]


@cache
def _frames_of_names() -> list[bytes]:
    lines = (vectors.GOLDEN / "resolutions.jsonl").read_text(encoding="ascii").splitlines()
    return [bytes.fromhex(json.loads(line)["hex"]) for line in lines]


@cache
def _events() -> list[bytes]:
    """Return the records of all events, after their type as 4 bytes."""
    return [
        ((each["type"] << 16) + each["code"]).to_bytes(4, "little") + bytes.fromhex(each["hex"])
        for each in vectors.event_vectors()
    ]


def _event(data: bytes) -> object:
    # An event log has no record shorter than its header.
    record = data[4:]
    if len(record) < 16:
        return None
    return decode_record(int.from_bytes(data[:4], "little"), record)


@cache
def _event_log() -> list[bytes]:
    memory = bytearray(EventLog.file_length(_EVENT_LOG_LENGTH))
    log = EventLog(memory, SystemClock(), component=1, enabled=2**64 - 1, pid=42)
    for each in vectors.event_vectors()[:12]:
        log.write(each["code"], bytes.fromhex(each["hex"])[16:])
    return [bytes(memory)]


def _read_event_log(data: bytes) -> object:
    reader = EventLogReader(bytearray(data), "an event log")
    # A record may be shorter than its header.
    return [decode_record(*each) for each in reader.poll(50) if len(each[1]) >= 16]


class CTarget(Target):
    """The generated C codecs: a program of their own under the sanitizers."""

    def run(self, seed: int, count: int) -> Result:
        """Run it; its inputs are drawn in C."""
        read = {*message_types("read")}
        encoded = seeds([each for each in vectors.codec_vectors() if each.message_type in read])
        # What it reports is read here, also where the parsers in Python report to a file.
        given = {name: it for name, it in os.environ.items() if not name.endswith("SAN_OPTIONS")}
        with tempfile.TemporaryDirectory(prefix="aeron-cluster-fuzz-") as folder:
            path = Path(folder) / "seeds"
            path.write_bytes(encoded)
            done = subprocess.run(
                [_damage_program(), path, str(count), str(seed)],
                capture_output=True,
                text=True,
                check=False,
                env={name: it for name, it in given.items() if name != "LD_PRELOAD"},
            )
        if done.returncode:
            return Result(findings={"C": Finding("C codecs", done.stderr[-4000:])}, rejected=count)
        accepted, rejected = (int(word) for word in done.stdout.split() if word.isdigit())
        return Result(accepted, rejected)


@cache
def _damage_program() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="aeron-cluster-fuzz-"))
    text = source() + (_CODECS / "damage.c").read_text()
    return compile_c(text, folder / "damage", *_SANITIZE)


TARGETS = (
    *(
        of_bytes(
            f"messages of {name}",
            partial(_encoded, name),
            partial(_decoded, schema),
            share=16 if len(schema.messages) > 1 else 4,
        )
        for name, schema in vectors.SCHEMAS.items()
    ),
    CTarget("codecs in C", lambda _: contextlib.nullcontext(bool), share=320),
    of_bytes("envelopes", _envelopes, Envelope.decode),
    of_bytes("frames of names", _frames_of_names, lambda data: decode_frame(data, _NAME_LIMIT)),
    of_bytes("records of events", _events, _event),
    of_bytes("event logs", _event_log, _read_event_log, share=8),
)
