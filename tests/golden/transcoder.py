"""A C program that decodes and encodes messages by the generated headers.

Values are passed as bytes: eight per field, and a length and the bytes per variable part. gcc
builds it as a library for the tests, and with sanitizers as a program that decodes damaged
messages.
"""

import ctypes
import shutil
import struct
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import aeron_cluster
from aeron_cluster.codecs.message import Data, Field, Message
from tests.conftest import ROOT
from tests.golden.vectors import SCHEMAS, Vector, snake

PACKAGE = Path(aeron_cluster.__file__).parent
# In an installed package the headers are inside of it.
INCLUDE = next(path for path in (PACKAGE / "include", ROOT / "include") if path.is_dir())
C_CODECS = tomllib.loads((PACKAGE / "codecs/schemas/c_codecs.toml").read_text(encoding="utf-8"))
OUT_OF_BOUNDS = -1
NO_ROOM = -2
UNKNOWN = -3


def message_types(listed: str) -> Iterator[type[Message]]:
    """Yield the messages that the list of C codecs has under `listed`: ``read`` or ``written``."""
    for schema, codecs in C_CODECS.items():
        by_name = {message.name: message for message in SCHEMAS[schema].messages.values()}
        yield from (by_name[name] for name in codecs[listed])


def items(message: type[Message]) -> list[Field | Data]:
    return [*message.fields, *message.data]


def read_items(message: type[Message]) -> list[Field | Data]:
    """Return the fields and variable parts that C reads, in the order of the message."""
    names = {snake(name) for name in C_CODECS[message.schema.name]["read"][message.name]}
    return [item for item in items(message) if item.name in names]


def c_name(message: type[Message]) -> str:
    return f"ac_{message.schema.name}_{snake(message.name)}"


def _reader(message: type[Message]) -> Iterator[str]:
    name = c_name(message)
    yield f"static int read_{name}(const ac_sbe_message *in, ac_sbe_writer *out) {{"
    yield "ac_sbe_reader reader = ac_sbe_reader_after(in); (void)reader;"
    yield "uint8_t *value; (void)value;"
    for item in read_items(message):
        if isinstance(item, Data):
            yield "{ const uint8_t *data = NULL;"
            yield f"int64_t length = {name}_read_{item.name}(&reader, in->version, &data);"
            yield f"if (length < 0) return {OUT_OF_BOUNDS};"
            yield f"if (!ac_sbe_write_data(out, data, (uint32_t)length)) return {NO_ROOM}; }}"
        else:
            yield f"if ((value = ac_sbe_reserve(out, 8)) == NULL) return {NO_ROOM};"
            source = "in->body, in->block_length, in->version"
            yield f"ac_put_int64(value, (int64_t){name}_{item.name}({source}));"
    yield "return 0; }"


def _writer(message: type[Message]) -> Iterator[str]:
    name = c_name(message)
    yield f"static int write_{name}(ac_sbe_reader *in, ac_sbe_writer *out) {{"
    yield f"uint8_t *body = {name}_begin(out);"
    yield f"if (body == NULL) return {NO_ROOM};"
    for item in items(message):
        if isinstance(item, Data):
            yield "{ const uint8_t *data = NULL; int64_t length = ac_sbe_read_data(in, &data);"
            yield f"if (length < 0) return {OUT_OF_BOUNDS};"
            written = f"{name}_write_{item.name}(out, data, (uint32_t)length)"
            yield f"if (!{written}) return {NO_ROOM}; }}"
        else:
            yield f"if (in->limit - in->at < 8) return {OUT_OF_BOUNDS};"
            yield f"{name}_put_{item.name}(body, ac_get_int64(in->at)); in->at += 8;"
    yield "return 0; }"


def _cases(kind: str, listed: str, arguments: str) -> Iterator[str]:
    yield "switch ((uint32_t)schema_id << 16 | template_id) {"
    for message in message_types(listed):
        name = c_name(message)
        yield f"case AC_{message.schema.name.upper()}_SCHEMA_ID << 16 | {name.upper()}_TEMPLATE_ID:"
        yield f"status = {kind}_{name}({arguments}); break;"
    yield "default: break; }"
    yield "return status < 0 ? status : out.at - to; }"


def source() -> str:
    """Return the C text of ``ac_read`` and ``ac_write``."""
    out_of = "uint8_t *to, size_t capacity)"
    read = f"int64_t ac_read(const uint8_t *from, size_t length, {out_of}"
    write = (
        "int64_t ac_write(uint16_t schema_id, uint16_t template_id, const uint8_t *values,"
        f" size_t length, {out_of}"
    )
    begin = [
        f"int status = {UNKNOWN};",
        "ac_sbe_writer out = {.at = to, .limit = to + capacity};",
    ]
    return "\n".join(
        [
            *(f'#include "aeron_cluster/codecs/{name}.h"' for name in C_CODECS),
            *(line for message in message_types("read") for line in _reader(message)),
            *(line for message in message_types("written") for line in _writer(message)),
            f"{read};",
            f"{read} {{",
            *begin,
            "ac_sbe_message in;",
            f"if (!ac_sbe_wrap(&in, from, length)) return {OUT_OF_BOUNDS};",
            "const uint16_t schema_id = in.schema_id, template_id = in.template_id;",
            *_cases("read", "read", "&in, &out"),
            f"{write};",
            f"{write} {{",
            *begin,
            "ac_sbe_reader in = {.at = values, .limit = values + length};",
            *_cases("write", "written", "&in, &out"),
            "",
        ]
    )


def compile_c(text: str, target: Path, *options: str) -> Path:
    """Compile `text` with all warnings as errors; skip the test without gcc."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no gcc")
    path = target.with_suffix(".c")
    path.write_text(text)
    command = [gcc, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", *options]
    done = subprocess.run(
        [*command, path, "-o", target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return target


class Transcoder:
    """The library, called through ctypes."""

    def __init__(self, folder: Path) -> None:
        target = compile_c(source(), folder / "transcoder.so", "-O1", "-shared", "-fPIC")
        library = ctypes.CDLL(str(target))
        buffers = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        self._read, self._write = library.ac_read, library.ac_write
        self._read.restype = self._write.restype = ctypes.c_int64
        self._read.argtypes = buffers
        self._write.argtypes = [ctypes.c_uint16, ctypes.c_uint16, *buffers]

    def read(self, encoded: bytes, message: type[Message]) -> dict[str, Any] | int:
        """Return the values that C decodes from `encoded`, by name, or the negative status."""
        capacity = len(encoded) + (1 << 12)
        out = ctypes.create_string_buffer(capacity)
        length = self._read(encoded, len(encoded), out, capacity)
        return length if length < 0 else _unpack(out.raw[:length], message)

    def write(
        self, message: type[Message], values: dict[str, Any], capacity: int = 1 << 16
    ) -> bytes | int:
        """Return the message that C encodes from `values`, or the negative status."""
        out = ctypes.create_string_buffer(capacity)
        packed = b"".join(_packed(values[item.name]) for item in items(message))
        ids = (message.schema.schema_id, message.template_id)
        length = self._write(*ids, packed, len(packed), out, capacity)
        return length if length < 0 else out.raw[:length]


def _packed(value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return struct.pack("<q", value)
    data = value.encode("ascii") if isinstance(value, str) else value
    return struct.pack("<I", len(data)) + data


def _unpack(packed: bytes, message: type[Message]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    at = 0
    for item in read_items(message):
        if isinstance(item, Data):
            (length,) = struct.unpack_from("<I", packed, at)
            data = packed[at + 4 : at + 4 + length]
            values[item.name] = data.decode("ascii", "replace") if item.is_text else data
            at += 4 + length
        else:
            (values[item.name],) = struct.unpack_from("<q", packed, at)
            at += 8
    assert at == len(packed)
    return values


def seeds(vectors: list[Vector]) -> bytes:
    """Return the vectors as one file, each as a 32-bit length and the bytes."""
    return b"".join(len(v.encoded).to_bytes(4, "little") + v.encoded for v in vectors)
