"""The compatibility of application versions: of a member's services, a log, and snapshots.

``io.aeron.cluster.AppVersionValidator``.
"""

from __future__ import annotations

from typing import Final

from aeron_cluster.memory.agents.user_callback import UserComponent

__all__ = [
    "SEMANTIC_VERSIONING_VALIDATOR",
    "AppVersionValidator",
    "expected_version",
    "is_compatible",
    "version_text",
]


class AppVersionValidator:
    """Decides whether application versions are compatible: by default, those of one major number.

    Override `is_version_compatible` for other rules.
    """

    def is_version_compatible(self, context_app_version: int, app_version_under_test: int) -> bool:
        """Return whether the services read what services of another version wrote.

        Parameters
        ----------
        context_app_version : int
            The configured version, as ``major << 16 | minor << 8 | patch``.
        app_version_under_test : int
            The version in a snapshot, in the log, or of a leader.
        """
        return context_app_version >> 16 == app_version_under_test >> 16


SEMANTIC_VERSIONING_VALIDATOR: Final = AppVersionValidator()
"""The default: versions are compatible if their major numbers are equal."""


def is_compatible(validator: AppVersionValidator, own: int, found: int) -> bool:
    """Return whether a validator accepts a version.

    Raises
    ------
    UserComponentError
        The validator raised, or returned something other than a bool.
    """
    component = UserComponent("application version validator", validator)
    expected = "True or False"
    verdict: object = component.call(validator.is_version_compatible, expected, own, found)
    if not isinstance(verdict, bool):
        raise component.error("is_version_compatible", expected, verdict)
    return verdict


def expected_version(validator: AppVersionValidator, own: int) -> str:
    """Return what an error states as the expected version."""
    if type(validator) is AppVersionValidator:
        return f"{own >> 16}.x.y"
    return f"one that {type(validator).__qualname__} accepts beside {version_text(own)}"


def version_text(version: int) -> str:
    """Return a version as text."""
    return f"{version >> 16}.{version >> 8 & 0xFF}.{version & 0xFF}"
