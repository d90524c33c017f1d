"""The directories that commands make for the data of nodes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["refuse_foreign"]


def refuse_foreign(place: Path, mark: Path, whose: str) -> None:
    """Refuse a directory in which something lies that this command did not make.

    Parameters
    ----------
    place : Path
        The directory.
    mark : Path
        The file in it that the command leaves.
    whose : str
        What leaves the mark, for the error.

    Raises
    ------
    ConfigurationError
        It is another user's, or has something in it and no mark, or cannot be read.
    """
    expected = f"a new or empty directory, or that of {whose}"
    try:
        if not place.exists():
            return
        is_foreign = place.stat().st_uid != os.getuid()
        if is_foreign or (any(place.iterdir()) and not mark.exists()):
            raise ConfigurationError("--dir", expected, str(place))
    except OSError as error:
        raise ConfigurationError("--dir", expected, str(error)) from None
