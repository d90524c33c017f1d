"""Offsets of a stream: its position in each recording, stored in Spark's checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aeron_cluster.errors import ConfigurationError

__all__ = ["offset_of", "positions_in"]

_VERSION: Final = 1


def offset_of(positions: Mapping[int, int]) -> dict[str, Any]:
    """Return positions by recording id as an offset, which Spark compares and stores as JSON."""
    return {
        "version": _VERSION,
        "recordings": {str(each): positions[each] for each in sorted(positions)},
    }


def positions_in(offset: Mapping[str, Any]) -> dict[int, int]:
    """Return positions by recording id.

    Raises
    ------
    ConfigurationError
        The offset is from another source or a later version.
    """
    try:
        if offset["version"] == _VERSION:
            return {int(key): int(value) for key, value in offset["recordings"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise ConfigurationError("checkpoint", f"an offset of version {_VERSION}", dict(offset))
