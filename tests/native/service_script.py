"""Scripts for ``service_host.c``, and its record of what the service did."""

import ctypes
import shlex
import struct
import subprocess
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from aeron_cluster.native import get_include

SOURCE = Path(__file__).parent / "service_host.c"
ASAN = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
ENTRY = struct.Struct("<BBHIqq")


class Status(IntEnum):
    MOCKED_OFFER = 1
    NOT_CONNECTED = -1
    BACK_PRESSURED = -2
    ADMIN_ACTION = -3
    CLOSED = -4
    MAX_POSITION_EXCEEDED = -5
    INVALID = -6
    FAILED = -7
    SNAPSHOT_END = -20
    TERMINATE = -100


class Did(IntEnum):
    RETURN = 101
    EGRESS = 102
    OFFER = 103
    SCHEDULE = 104
    CANCEL = 105
    CLOSE = 106
    WRITE = 107
    EXPLAIN = 108


@dataclass(frozen=True)
class Entry:
    """One line of the record."""

    op: Did
    callback: int
    a: int
    b: int
    data: bytes


class Script:
    """The calls of a container, in order."""

    def __init__(self) -> None:
        self.text = bytearray()

    def _add(self, op, a=0, b=0, data=b"", flag=0):
        self.text += ENTRY.pack(op, flag, 0, len(data), a, b) + data
        return self

    def start(self, snapshot: Iterable[bytes] | None = None, *, breaks_off=False):
        for message in snapshot or ():
            self._add(7, data=message)
        return self._add(1, flag=0 if snapshot is None else 2 if breaks_off else 1)

    def open(self, session, timestamp=0, principal=b""):
        return self._add(2, session, timestamp, principal)

    def close(self, session, timestamp=0, reason=0):
        return self._add(3, session, timestamp, flag=reason)

    def message(self, session, data, timestamp=0):
        return self._add(4, -1 if session is None else session, timestamp, data)

    def timer(self, correlation_id, timestamp=0):
        return self._add(5, correlation_id, timestamp)

    def take_snapshot(self):
        return self._add(6)

    def role(self, role):
        return self._add(8, role)

    def lead(self):
        return self.role(2)

    def term(self, leadership_term_id, timestamp=0):
        return self._add(9, leadership_term_id, timestamp)

    def terminate(self):
        return self._add(10)

    def work(self, now_ns):
        return self._add(11, now_ns)

    def reject(self, status, times=1):
        return self._add(12, status, times)

    def end_idling(self):
        return self._add(13)


def parse(record: bytes) -> list[Entry]:
    entries = []
    at = 0
    while at < len(record):
        op, callback, _, length, a, b = ENTRY.unpack_from(record, at)
        at += ENTRY.size
        entries.append(Entry(Did(op), callback, a, b, record[at : at + length]))
        at += length
    return entries


def only(entries, *ops):
    return [entry for entry in entries if entry.op in ops]


def returned(entries):
    return [entry.a for entry in only(entries, Did.RETURN)]


def compile_host(output: Path, flags: Iterable[str]) -> Path:
    compiler = shlex.split(str(sysconfig.get_config_var("CC") or "cc"))
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    include = ["-I", get_include()]
    command = [*compiler, *warnings, *include, *flags, str(SOURCE), "-o", str(output), "-ldl"]
    subprocess.run(command, check=True)
    return output


class HostLibrary:
    """The host in this process, which drives the table at an address."""

    def __init__(self, directory: Path) -> None:
        path = compile_host(directory / "service_host.so", ["-g", "-O1", "-shared", "-fPIC"])
        self._library = ctypes.CDLL(str(path))
        self._library.service_host_run.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(ctypes.c_size_t),
        ]
        self._library.service_host_free.argtypes = [ctypes.c_void_p]

    def run(self, address: int, script: Script) -> list[Entry]:
        record = ctypes.c_void_p()
        length = ctypes.c_size_t()
        text = bytes(script.text)
        fault = self._library.service_host_run(
            address, text, len(text), ctypes.byref(record), ctypes.byref(length)
        )
        assert fault == 0
        try:
            return parse(ctypes.string_at(record, length.value))
        finally:
            self._library.service_host_free(record)


class HostProgram:
    """The host in a separate process, whose exit code is the sanitizers' result."""

    def __init__(self, directory: Path, flags: Iterable[str]) -> None:
        self._path = compile_host(directory / "service_host", [*flags, "-DSERVICE_HOST_PROGRAM"])

    def run(self, library: Path, symbol: str, script: Script, **options: object) -> list[Entry]:
        words = [str(word) for option in options.items() for word in option]
        done = subprocess.run(
            [str(self._path), str(library), symbol, *words],
            input=bytes(script.text),
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
        return parse(done.stdout)
