"""A C program over the generated headers that reads a message field by field and writes it again.

It uses every accessor, cursor and writer there is: what it writes equals what it read, in the
current version of the schema. Built by gcc as a library for the tests, and with sanitizers as a
program that feeds itself damaged messages.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import aeron_cluster
from aeron_cluster.codecs.message import Block, Message, Schema
from tests.conftest import ROOT
from tests.golden.vectors import SCHEMAS, Vector

PACKAGE = Path(aeron_cluster.__file__).parent
# Installed, the headers are inside of the package.
INCLUDE = next(path for path in (PACKAGE / "include", ROOT / "include") if path.is_dir())
OUT_OF_BOUNDS = -1
NO_ROOM = -2
UNKNOWN = -3


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _block(block: type[Block], name: str, source: str, target: str) -> Iterator[str]:
    """Yield C that copies a block from `source` (an expression triple) to `target`."""
    for field in block.fields:
        yield f"{name}_put_{field.name}({target}, {name}_{field.name}({source}));"
    for group_name, entry in block.groups:
        own = f"{name}_{group_name}"
        yield "{ ac_sbe_group group; const uint8_t *entry; uint8_t *copy;"
        yield f"if (!{name}_read_{group_name}(&reader, &group)) return {OUT_OF_BOUNDS};"
        yield f"if (!{name}_write_{group_name}(out, group.count)) return {NO_ROOM};"
        yield "while ((entry = ac_sbe_next_entry(&reader, &group)) != NULL) {"
        yield f"if ((copy = {own}_next(out)) == NULL) return {NO_ROOM};"
        yield from _block(entry, own, "entry, group.block_length, in->version", "copy")
        yield f"}} if (group.index != group.count) return {OUT_OF_BOUNDS}; }}"
    for data in block.data:
        yield "{ const uint8_t *data = NULL;"
        yield f"int64_t length = {name}_read_{data.name}(&reader, in->version, &data);"
        yield f"if (length < 0) return {OUT_OF_BOUNDS};"
        yield f"if (!{name}_write_{data.name}(out, data, (uint32_t)length)) return {NO_ROOM}; }}"


def _function(message: type[Message]) -> Iterator[str]:
    name = f"ac_{message.schema.name}_{_snake(message.name)}"
    yield f"static int transcode_{name}(const ac_sbe_message *in, ac_sbe_writer *out) {{"
    yield "ac_sbe_reader reader = ac_sbe_reader_after(in); (void)reader;"
    yield f"uint8_t *body = {name}_begin(out);"
    yield f"if (body == NULL) return {NO_ROOM};"
    yield from _block(message, name, "in->body, in->block_length, in->version", "body")
    yield "return 0; }"


def _entry(schema: Schema) -> Iterator[str]:
    wrap = f"ac_{schema.name}_wrap" if schema.has_frame_length else "ac_sbe_wrap"
    yield f"if (schema_id == {schema.schema_id}) {{"
    yield f"if (!{wrap}(&in, from, length)) return {OUT_OF_BOUNDS};"
    yield "switch (in.template_id) {"
    for message in schema.messages.values():
        name = f"ac_{schema.name}_{_snake(message.name)}"
        yield f"case {name.upper()}_TEMPLATE_ID:"
        yield f"status = transcode_{name}(&in, &out); break;"
    yield f"default: return {UNKNOWN}; }}"
    if schema.has_frame_length:
        yield "if (status == 0) ac_put_int32(to + 8, (int32_t)(out.at - to));"
    yield "}"


def source() -> str:
    """Return the C text of ``ac_transcode(from, length, to, capacity)``."""
    lines = [f'#include "aeron_cluster/codecs/{name}.h"' for name in SCHEMAS]
    for schema in SCHEMAS.values():
        for message in schema.messages.values():
            lines += _function(message)
    lines += [
        "int64_t ac_transcode(const uint8_t *from, size_t length, uint8_t *to, size_t capacity);",
        "int64_t ac_transcode(const uint8_t *from, size_t length, uint8_t *to, size_t capacity) {",
        "ac_sbe_message in;",
        "ac_sbe_writer out = {.at = to, .limit = to + capacity};",
        f"int status = {UNKNOWN};",
        f"if (length < 8) return {OUT_OF_BOUNDS};",
        "const uint16_t schema_id = ac_get_uint16(from + 4);",
    ]
    for schema in SCHEMAS.values():
        lines += _entry(schema)
    lines += ["return status < 0 ? status : out.at - to; }"]
    return "\n".join(lines) + "\n"


def compile_c(text: str, target: Path, *options: str) -> Path:
    """Compile `text` with all warnings as errors; skip the test where there is no gcc."""
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
        self._call = ctypes.CDLL(str(target)).ac_transcode
        self._call.restype = ctypes.c_int64
        self._call.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]

    def __call__(self, encoded: bytes, capacity: int = 1 << 16) -> bytes | int:
        """Return the bytes that were written, or the negative status."""
        out = ctypes.create_string_buffer(capacity)
        length = self._call(encoded, len(encoded), out, capacity)
        return length if length < 0 else out.raw[:length]


def seeds(vectors: list[Vector]) -> bytes:
    """Return the vectors as one file: each a length of 32 bits and its bytes."""
    return b"".join(len(v.encoded).to_bytes(4, "little") + v.encoded for v in vectors)
