"""A backup without permission has each of its queries refused, and gets nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.security import SimpleAuthenticator
from aeron_cluster.errors import InvariantError
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.member_disk import read_valid_entries
from aeron_cluster.simulator.faults.backup_events import OPTIONS
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from aeron_cluster.simulator.endings.run_host import RunHost

__all__ = ["check_backup_is_refused", "refusing_options"]

_S: Final = 1_000_000_000
_STRANGER: Final = b"stranger"
_REFUSAL: Final = "Not authorised for BackupQuery"
_REFUSALS: Final = 2
_TIMEOUT_NS: Final = 15 * _S


def refusing_options() -> dict[str, dict[str, Any]]:
    """Return options of members that refuse the queries of one principal."""
    return {
        "consensus_module": {
            "authenticator_supplier": _authenticator,
            "authorisation_service": _is_allowed,
        }
    }


def check_backup_is_refused(host: RunHost) -> None:
    """Start a backup without permission: each query must be refused, and it must have no log.

    The cluster must have been started with `refusing_options`.

    Raises
    ------
    InvariantError
        It has something of the cluster.
    TimeoutExpiredError
        A query is not answered.
    """
    backup = host.cluster.add_backup(
        options={"backup": {**OPTIONS["backup"], "credentials": _Stranger()}}
    )
    host.on_step("a backup without permission is refused, repeatedly")
    host.await_until(
        lambda: sum(_REFUSAL in str(each) for each in backup.errors) >= _REFUSALS, _TIMEOUT_NS
    )
    disk = DiskCopies().of(backup)
    if disk is not None and (entries := read_valid_entries(disk, DIRECTORY)):
        raise InvariantError("a backup without permission has nothing", f"{backup}: {entries}")


class _Stranger(Credentials):
    def encoded_credentials(self) -> bytes:
        return _STRANGER


def _authenticator() -> SimpleAuthenticator:
    return SimpleAuthenticator({each: each for each in (b"", _STRANGER)})


def _is_allowed(
    protocol_id: int,  # noqa: ARG001
    action_id: int,  # noqa: ARG001
    type_: object,  # noqa: ARG001
    encoded_principal: bytes,
) -> bool:
    return encoded_principal != _STRANGER
