"""The version of Aeron that this package matches, as shown in counters, clients and files."""

from __future__ import annotations

from typing import Final

__all__ = ["AERON_COMMIT", "AERON_VERSION", "VERSION_TEXT"]

AERON_VERSION: Final = "1.51.0"
AERON_COMMIT: Final = "9773cba37e"
VERSION_TEXT: Final = f"version={AERON_VERSION} commit={AERON_COMMIT}"
