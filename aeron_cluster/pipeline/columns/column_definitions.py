"""The columns of a recording, and the additional ones of a cluster's log.

No counterpart in Aeron. Types are Arrow's; the order is the default order of a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.columns.column_buffers import ColumnId

__all__ = [
    "LOG_COLUMNS",
    "RECORDING_COLUMNS",
    "Column",
    "has_payload",
    "leaf_ids",
    "select_columns",
]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Parameters
    ----------
    name : str
    column_id : ColumnId
        The id of the native column that fills it.
    arrow_type : str
        ``int16``, ``int32``, ``int64``, ``bool``, ``string``, ``binary``, ``timestamp`` (in us,
        UTC) or ``struct``.
    is_nullable : bool
    fields : tuple of Column
        The fields of a struct.
    """

    name: str
    column_id: ColumnId
    arrow_type: str
    is_nullable: bool = False
    fields: tuple[Column, ...] = ()


def _field(name: str, column_id: ColumnId, arrow_type: str) -> Column:
    return Column(name, column_id, arrow_type, is_nullable=True)


def _struct(name: str, column_id: ColumnId, *fields: Column) -> Column:
    return Column(name, column_id, "struct", is_nullable=True, fields=fields)


_FRAME: Final = (
    Column("recording_id", ColumnId.RECORDING_ID, "int64"),
    Column("position", ColumnId.POSITION, "int64"),
    Column("end_position", ColumnId.END_POSITION, "int64"),
    Column("term_id", ColumnId.TERM_ID, "int32"),
    Column("term_offset", ColumnId.TERM_OFFSET, "int32"),
    Column("session_id", ColumnId.SESSION_ID, "int32"),
    Column("stream_id", ColumnId.STREAM_ID, "int32"),
    Column("flags", ColumnId.FLAGS, "int16"),
    Column("reserved_value", ColumnId.RESERVED_VALUE, "int64"),
    Column("frame_length", ColumnId.FRAME_LENGTH, "int32"),
)

RECORDING_COLUMNS: Final = (*_FRAME, Column("payload", ColumnId.PAYLOAD, "binary"))

LOG_COLUMNS: Final = (
    Column("member", ColumnId.MEMBER, "int32"),
    *_FRAME,
    Column("message_type", ColumnId.MESSAGE_TYPE, "string"),
    _field("template_id", ColumnId.TEMPLATE_ID, "int32"),
    _field("leadership_term_id", ColumnId.LEADERSHIP_TERM_ID, "int64"),
    _field("cluster_session_id", ColumnId.CLUSTER_SESSION_ID, "int64"),
    _field("timestamp", ColumnId.TIMESTAMP, "timestamp"),
    _field("timestamp_raw", ColumnId.TIMESTAMP_RAW, "int64"),
    _field("timestamp_unit", ColumnId.TIMESTAMP_UNIT, "string"),
    _field("correlation_id", ColumnId.CORRELATION_ID, "int64"),
    _field("committed", ColumnId.COMMITTED, "bool"),
    _field("payload", ColumnId.LOG_PAYLOAD, "binary"),
    _struct(
        "session_open",
        ColumnId.SESSION_OPEN,
        _field("correlation_id", ColumnId.SESSION_OPEN_CORRELATION_ID, "int64"),
        _field("response_stream_id", ColumnId.SESSION_OPEN_RESPONSE_STREAM_ID, "int32"),
        _field("response_channel", ColumnId.SESSION_OPEN_RESPONSE_CHANNEL, "string"),
        _field("encoded_principal", ColumnId.SESSION_OPEN_ENCODED_PRINCIPAL, "binary"),
    ),
    _struct(
        "session_close",
        ColumnId.SESSION_CLOSE,
        _field("close_reason", ColumnId.SESSION_CLOSE_REASON, "string"),
    ),
    _struct(
        "timer",
        ColumnId.TIMER,
        _field("correlation_id", ColumnId.TIMER_CORRELATION_ID, "int64"),
    ),
    _struct(
        "cluster_action",
        ColumnId.CLUSTER_ACTION,
        _field("log_position", ColumnId.CLUSTER_ACTION_LOG_POSITION, "int64"),
        _field("action", ColumnId.CLUSTER_ACTION_ACTION, "string"),
        _field("flags", ColumnId.CLUSTER_ACTION_FLAGS, "int32"),
    ),
    _struct(
        "new_leadership_term",
        ColumnId.NEW_LEADERSHIP_TERM,
        _field("log_position", ColumnId.NEW_LEADERSHIP_TERM_LOG_POSITION, "int64"),
        _field(
            "term_base_log_position",
            ColumnId.NEW_LEADERSHIP_TERM_TERM_BASE_LOG_POSITION,
            "int64",
        ),
        _field("leader_member_id", ColumnId.NEW_LEADERSHIP_TERM_LEADER_MEMBER_ID, "int32"),
        _field("log_session_id", ColumnId.NEW_LEADERSHIP_TERM_LOG_SESSION_ID, "int32"),
        _field("time_unit", ColumnId.NEW_LEADERSHIP_TERM_TIME_UNIT, "string"),
        _field("app_version", ColumnId.NEW_LEADERSHIP_TERM_APP_VERSION, "int32"),
    ),
)


def select_columns(available: Sequence[Column], names: Iterable[str] | None) -> tuple[Column, ...]:
    """Return the columns with the given names, in that order; by default all.

    Raises
    ------
    ConfigurationError
        A name is unknown, or occurs twice.
    """
    if names is None:
        return tuple(available)
    by_name = {column.name: column for column in available}
    picked: list[Column] = []
    for name in names:
        column = by_name.get(name)
        if column is None:
            raise ConfigurationError("columns", f"some of {', '.join(by_name)}", name)
        if column in picked:
            raise ConfigurationError("columns", "each name once", name)
        picked.append(column)
    return tuple(picked)


def leaf_ids(columns: Iterable[Column]) -> list[ColumnId]:
    """Return the columns to fill: each column, and after a struct its fields."""
    ids: list[ColumnId] = []
    for column in columns:
        ids.append(column.column_id)
        ids += leaf_ids(column.fields)
    return ids


def has_payload(columns: Iterable[Column]) -> bool:
    """Return whether payloads are among the columns."""
    return any(
        column.column_id in (ColumnId.PAYLOAD, ColumnId.LOG_PAYLOAD, ColumnId.SESSION_OPEN)
        for column in columns
    )
