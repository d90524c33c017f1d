"""The directories that commands create for the data of nodes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aeron_cluster.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_ownership"]


def check_ownership(place: Path, mark: Path, whose: str) -> None:
    """Reject a directory with files that this command did not create.

    Parameters
    ----------
    place : Path
        The directory.
    mark : Path
        The marker file that the command creates in it.
    whose : str
        The command, for the error.

    Raises
    ------
    ConfigurationError
        The directory belongs to another user, is not empty and has no marker file, or cannot be
        read.
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
