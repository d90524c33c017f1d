"""Mark files of components that run: each field is that of its owner.

The process, its start and its options are the simulation's own; the reader is a second, plain one.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.world.machine import AERON_DIR, DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aeron_cluster.simulator.world.memory_files import MemoryFiles

__all__ = ["PlainMark", "check_mark", "mark_of_module", "mark_of_service", "read_mark"]

_CLUSTER: Final = f"{DIRECTORY}/cluster"
_MARK: Final = struct.Struct("<4H 2i4q9i")
_TEXTS_OFFSET: Final = 136
_TEXT_COUNT: Final = 6
_SIZE: Final = struct.Struct("<I")

_MESSAGE: Final = (128, 200, 110, 2)  # length of the block, template, schema, version
_VERSION: Final = 768
_OF_MODULE: Final = 1
_OF_CONTAINER: Final = 2
_NONE: Final = -1
_ARCHIVE_STREAM: Final = 10
_SERVICE_STREAM: Final = 104
_MODULE_STREAM: Final = 105
_INGRESS_STREAM: Final = 101
_CONTROL_CHANNEL: Final = "aeron:ipc?term-length=128k"
_INGRESS_CHANNEL: Final = "aeron:udp"
_AUTHENTICATOR: Final = "aeron_cluster.client.security.DefaultAuthenticator"
_HEADER_LENGTH: Final = 8192
_ERROR_LENGTH: Final = 1 << 20
_PAGE_LENGTH: Final = 4096
_LATEST_MS: Final = 2_500  # a mark is made once a second
_NS_PER_MS: Final = 1_000_000


class PlainMark(NamedTuple):
    """The fields of a mark file, and its length."""

    message: tuple[int, ...]
    """The header of the message: length of its block, template, schema, version."""
    version: int
    component: int
    activity_ms: int
    start_ms: int
    pid: int
    candidate_term_id: int
    archive_stream_id: int
    service_stream_id: int
    module_stream_id: int
    ingress_stream_id: int
    member_id: int
    service_id: int
    header_length: int
    error_length: int
    cluster_id: int
    texts: tuple[str, ...]
    """Driver's directory, control and ingress channel, service, authenticator, services' marks."""
    length: int


def read_mark(disk: MemoryFiles, path: str) -> PlainMark:
    """Return the fields of a mark file."""
    with disk.open(path) as file:
        data, length = file.read_at(_HEADER_LENGTH, 0), file.length
    fields = _MARK.unpack_from(data)
    texts, offset = [], _TEXTS_OFFSET
    for _ in range(_TEXT_COUNT):
        (size,) = _SIZE.unpack_from(data, offset)
        offset += _SIZE.size
        texts.append(data[offset : offset + size].decode("ascii", "replace"))
        offset += size
    count = len(_MESSAGE)
    return PlainMark._make((fields[:count], *fields[count:], tuple(texts), length))


def mark_of_module(member_id: int, pid: int, options: Mapping[str, Any]) -> PlainMark:
    """Return the mark file that a consensus module has, without its times.

    Parameters
    ----------
    member_id : int
    pid : int
        The id of its process.
    options : mapping
        The options that the module was given; others have the documented defaults.
    """
    supplier = options.get("authenticator_supplier")
    authenticator = (
        _AUTHENTICATOR if supplier is None else f"{supplier.__module__}.{supplier.__qualname__}"
    )
    control, ingress = (
        str(options.get("control_channel", _CONTROL_CHANNEL)),
        str(options.get("ingress_channel", _INGRESS_CHANNEL)),
    )
    return _mark(
        _OF_MODULE,
        pid,
        options,
        error_length=options.get("error_buffer_length", _ERROR_LENGTH),
        ingress_stream_id=options.get("ingress_stream_id", _INGRESS_STREAM),
        member_id=member_id,
        service_id=_NONE,
        texts=(AERON_DIR, control, ingress, "", authenticator, _CLUSTER),
    )


def mark_of_service(
    member_id: int, service_id: int, pid: int, options: Mapping[str, Any]
) -> PlainMark:
    """Return the mark file that a service container has, without its times.

    Parameters are those of `mark_of_module`, with the options of the container.
    """
    control = str(options.get("control_channel", _CONTROL_CHANNEL))
    default = f"clustered-service-{options.get('cluster_id', 0)}-{service_id}"
    name = options.get("service_name", default)
    return _mark(
        _OF_CONTAINER,
        pid,
        options,
        error_length=options.get("service_error_buffer_length", _ERROR_LENGTH),
        ingress_stream_id=_NONE,
        member_id=member_id,
        service_id=service_id,
        texts=(AERON_DIR, control, "", name, "", ""),
    )


def _mark(
    component: int,
    pid: int,
    options: Mapping[str, Any],
    *,
    error_length: int,
    ingress_stream_id: int,
    member_id: int,
    service_id: int,
    texts: tuple[str, ...],
) -> PlainMark:
    length = _HEADER_LENGTH + error_length
    return PlainMark(
        _MESSAGE,
        _VERSION,
        component,
        0,
        0,
        pid,
        _NONE,
        _ARCHIVE_STREAM,
        options.get("service_stream_id", _SERVICE_STREAM),
        options.get("consensus_module_stream_id", _MODULE_STREAM),
        ingress_stream_id,
        member_id,
        service_id,
        _HEADER_LENGTH,
        error_length,
        options.get("cluster_id", 0),
        texts,
        length + -length % _PAGE_LENGTH,
    )


def check_mark(
    name: str, mark: PlainMark, expected: PlainMark, now_ms: int, launched_ns: tuple[int, int]
) -> None:
    """Check a mark file of a component that lives.

    Parameters
    ----------
    name : str
        Whose it is, for the error.
    mark, expected : PlainMark
        What was found, and what it should be but for its times.
    now_ms : int
        The machine's wall clock, in ms since 1970.
    launched_ns : tuple of int
        The wall clock's readings before and after the launch, in ns since 1970.

    Raises
    ------
    InvariantError
        It is of another one, was not started then, or is not as young as it should be.
    """
    wanted = expected._replace(activity_ms=mark.activity_ms, start_ms=mark.start_ms)
    wrong = [
        f"{field} {found!r}, expected {right!r}"
        for field, found, right in zip(PlainMark._fields, mark, wanted, strict=True)
        if found != right
    ]
    if wrong:
        raise InvariantError("mark files name their owner", f"{name}: {'; '.join(wrong)}")
    earliest_ms, latest_ms = (each // _NS_PER_MS for each in launched_ns)
    if not earliest_ms <= mark.start_ms <= latest_ms:
        raise InvariantError(
            "mark files have the start of their owner",
            f"{name}: {mark.start_ms}, started from {earliest_ms} to {latest_ms}",
        )
    if not now_ms - _LATEST_MS <= mark.activity_ms <= now_ms:
        raise InvariantError("mark files are young", f"{name}: {mark}, at {now_ms}")
