"""The options of the Spark sink, parsed from strings.

No counterpart in Aeron.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.sink.reports import Promise
from aeron_cluster.pipeline.sink.row_payloads import RowColumns
from aeron_cluster.pipeline.sink.target import ClusterTarget
from aeron_cluster.pipeline.spark.option_values import (
    Parser,
    as_is,
    directory,
    one_of,
    positive,
    seconds,
)

__all__ = ["SINK_OPTION_NAMES", "SinkOptions", "parse_sink_options"]

_NS_A_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """The options of the sink.

    Parameters
    ----------
    target : ClusterTarget
    columns : RowColumns
    cluster_dir : str, optional
        The cluster directory of a member on Spark's driver, to complete the target.
    promise : Promise
        The guarantee for written rows.
    rejected : str
        ``fail`` or ``report`` if the service rejects rows.
    window_length : int, optional
        The highest number of unanswered rows of a task.
    write_id : str, optional
        The id by which the service recognises the rows.
    report_dir : str, optional
        The directory for reports of Spark's driver.
    """

    target: ClusterTarget = field(default_factory=ClusterTarget)
    columns: RowColumns = field(default_factory=lambda: RowColumns("payload"))
    cluster_dir: str | None = None
    promise: Promise = "applied"
    rejected: str = "fail"
    window_length: int | None = None
    write_id: str | None = None
    report_dir: str | None = None


def _name(name: str, text: str) -> str:
    """Return a text that is valid in a file name."""
    if re.fullmatch(r"[A-Za-z0-9._-]+", text) is None:
        raise ConfigurationError(name, "letters, digits, dots, dashes and underscores", text)
    return text


def _timeout(name: str, text: str) -> int:
    """Return a positive number of seconds in ns."""
    value = seconds(name, text)
    if not 0 < value < math.inf:
        raise ConfigurationError(name, "a number of seconds above 0", text)
    return int(value * _NS_A_S)


_TARGET: Final[dict[str, Parser]] = {
    "ingress_channel": as_is,
    "ingress_endpoints": as_is,
    "egress_channel": as_is,
    "aeron_dir": as_is,
    "credentials_file": as_is,
    "timeout_s": _timeout,
}
_COLUMNS: Final[dict[str, Parser]] = {"payload": as_is, "key": as_is}
_OWN: Final[dict[str, Parser]] = {
    "cluster_dir": directory,
    "promise": one_of("applied", "offered"),
    "rejected": one_of("fail", "report"),
    "window_length": positive,
    "write_id": _name,
    "report_dir": directory,
}
# The names in the target, if different.
_ARGUMENTS: Final = {"timeout_s": "timeout_ns"}
# Spark's own options, which it passes too.
_OF_SPARK: Final = ("checkpointlocation", "queryname")

SINK_OPTION_NAMES: Final = (*_TARGET, *_COLUMNS, *_OWN)


def parse_sink_options(options: Mapping[str, str]) -> SinkOptions:
    """Return options as values.

    Raises
    ------
    ConfigurationError
        An option is unknown or invalid, or the cluster's endpoints are missing.
    """
    given = {name.lower(): text for name, text in options.items()}
    for name in given:
        if name not in SINK_OPTION_NAMES and "." not in name and name not in _OF_SPARK:
            raise ConfigurationError("option", f"one of {', '.join(SINK_OPTION_NAMES)}", name)
    target = {_ARGUMENTS.get(name, name): value for name, value in _of(_TARGET, given).items()}
    own = _of(_OWN, given)
    if not {"ingress_endpoints", "ingress_channel", "cluster_dir"} & given.keys():
        raise ConfigurationError("ingress_endpoints", "id=host:port of each member", "none")
    if own.get("promise") == "offered":
        for name in ("rejected", "window_length"):
            if name in given:
                raise ConfigurationError(
                    name, "none with promise=offered, which does not wait for answers", given[name]
                )
    return SinkOptions(
        ClusterTarget(**target), RowColumns(**{"payload": "payload", **_of(_COLUMNS, given)}), **own
    )


def _of(parsers: Mapping[str, Parser], given: Mapping[str, str]) -> dict[str, Any]:
    return {name: parse(name, given[name]) for name, parse in parsers.items() if name in given}
