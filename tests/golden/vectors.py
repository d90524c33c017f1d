"""The committed vectors of the real Java codecs, with the names of the Python codecs.

``tests/golden/make_vectors.sh`` (``make vectors``) generates the files.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aeron_cluster.codecs import archive, archive_mark, cluster, cluster_mark, node_state
from aeron_cluster.codecs.message import Message

GOLDEN = Path(__file__).parent
SCHEMAS = {
    module.SCHEMA.name: module.SCHEMA
    for module in (archive, archive_mark, cluster, cluster_mark, node_state)
}


@dataclass(frozen=True)
class Vector:
    """The bytes of a message, and the values that Java decodes from them.

    ``values`` names how the message was encoded: ``zeros``, ``counting``, ``high``, ``low`` and
    ``nulls`` by the Java encoder; ``version <n>`` and ``newer`` stand for an older and a newer
    sender.
    """

    schema: str
    message: str
    values: str
    read: dict[str, Any]
    encoded: bytes

    def __str__(self) -> str:
        return f"{self.schema}.{self.message} {self.values}"

    @property
    def is_current(self) -> bool:
        return not self.values.startswith(("version", "newer"))

    @property
    def message_type(self) -> type[Message]:
        by_name = {m.name: m for m in SCHEMAS[self.schema].messages.values()}
        return by_name[self.message]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _plain(value: Any) -> Any:
    match value:
        case {"text": text}:
            return bytes.fromhex(text).decode("ascii")
        case {"data": data}:
            return bytes.fromhex(data)
        case dict():
            return {snake(name): _plain(item) for name, item in value.items()}
        case list():
            return [_plain(item) for item in value]
    return value


@cache
def codec_vectors() -> list[Vector]:
    lines = (GOLDEN / "codecs.jsonl").read_text(encoding="ascii").splitlines()
    return [
        Vector(
            line["schema"],
            line["message"],
            line["values"],
            _plain(line["read"]),
            bytes.fromhex(line["hex"]),
        )
        for line in map(json.loads, lines)
    ]


@cache
def channel_uri_vectors() -> list[dict[str, Any]]:
    lines = (GOLDEN / "channel_uris.jsonl").read_text(encoding="ascii").splitlines()
    return [json.loads(line) for line in lines]


@cache
def event_vectors() -> list[dict[str, Any]]:
    lines = (GOLDEN / "events.jsonl").read_text(encoding="ascii").splitlines()
    return [json.loads(line) for line in lines]


_LINE = re.compile(r"\w+: ([A-Z_]+) \[\d+/\d+\]: (.*)")
_CHANGE = re.compile(r"(?:action=\w+ )?\w+ -> \w+")
_REASON = re.compile(r'reason="(.*)"$')


def differing_changes(lines: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the lines whose changes of state, or reasons, differ from those of a run of Java.

    ``agent_changes.txt`` has the latter. A reason may continue after upstream's, and may be any
    where upstream's is empty.

    Parameters
    ----------
    lines : iterable of str
    others : iterable of str
        Parts of lines that have no counterpart in that run.
    """
    known: dict[tuple[str, str], list[str]] = {}
    for row in (GOLDEN / "agent_changes.txt").read_text().splitlines()[1:]:
        event, change, reason = row.split("|")
        known.setdefault((event, change), []).append(reason)
    return [
        line
        for line in lines
        if not any(each in line for each in others)
        and not any(map(_reason(line).startswith, known.get(_change(line), ())))
    ]


def _change(line: str) -> tuple[str, str]:
    found = _LINE.search(line)
    assert found, line
    change = _CHANGE.search(found[2])
    return found[1], change[0] if change else ""


def _reason(line: str) -> str:
    found = _REASON.search(line)
    return re.sub(r"-?\d+", "#", found[1]) if found else ""
