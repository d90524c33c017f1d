"""Names that resolve to other hosts, by a table controlled by counters.

``aeron_csv_table_name_resolver.c``: for tests of a driver when a name's address changes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.shared.counter_descriptor import MAX_KEY_LENGTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aeron_cluster.driver.streams.driver_counters import DriverCounters

__all__ = ["NAME_ENTRY_COUNTER_TYPE", "NameTable"]

NAME_ENTRY_COUNTER_TYPE: Final = 2001
_OPTION: Final = "aeron.name.resolver.init.args"
_LENGTH: Final = struct.Struct("<i")
_COLUMN_COUNT: Final = 3
_DISABLED: Final = -1
_MOVED: Final = 1


@dataclass(frozen=True, slots=True)
class _Entry:
    initial_host: str
    later_host: str
    counter_id: int


class NameTable:
    """Resolves the names of a table by its counters, and other names by another resolver.

    A counter of 0 means the first host of its row, 1 the second, -1 an unknown name.

    Parameters
    ----------
    text : str or None
        Rows ``name,host,host`` separated by bars.
    resolve : Callable
        ``Network.resolve``; may block.
    counters : DriverCounters

    Raises
    ------
    ConfigurationError
        The text is not such a table.
    """

    def __init__(
        self,
        text: str | None,
        resolve: Callable[[str], Iterable[str]],
        counters: DriverCounters,
    ) -> None:
        self._resolve = resolve
        self._counters = counters
        self._entries: dict[str, _Entry] = {}
        for row in filter(None, (text or "").split("|")):
            columns = row.split(",")
            if len(columns) != _COLUMN_COUNT or not all(columns):
                raise ConfigurationError(_OPTION, "rows name,host,host separated by bars", text)
            name, initial_host, later_host = columns
            key = name.encode("ascii", "replace")[: MAX_KEY_LENGTH - _LENGTH.size]
            counter_id = counters.allocate(
                NAME_ENTRY_COUNTER_TYPE,
                _LENGTH.pack(len(key)) + key,
                f"NameEntry{{name='{name}', initialResolutionHost='{initial_host}', "
                f"reResolutionHost='{later_host}'}}",
                registration_id=0,
            )
            self._entries[name] = _Entry(initial_host, later_host, counter_id)
        if not self._entries:
            raise ConfigurationError(_OPTION, "rows name,host,host separated by bars", text)

    def resolve(self, host: str) -> Iterable[str]:
        """Return the addresses of a name.

        Raises
        ------
        OSError
            The name is unknown.
        """
        entry = self._entries.get(host)
        if entry is None:
            return self._resolve(host)
        operation = self._counters.value(entry.counter_id)
        if operation == _DISABLED:
            raise OSError(f"Unable to resolve host=({host}): (forced)")
        return self._resolve(entry.later_host if operation == _MOVED else entry.initial_host)
