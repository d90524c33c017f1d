"""``aeron-cluster users``."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import Final

import click

from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cluster.security.access_file import read
from aeron_cluster.cluster.security.users_file import (
    SALT_LENGTH,
    PasswordHash,
    check_name,
    parse_users,
    with_user,
    without_user,
)
from aeron_cluster.errors import AeronClusterError, ConfigurationError
from aeron_cluster.memory.system.seams import SystemFiles

__all__ = ["users"]

_FILES: Final = SystemFiles()

_file = click.option(
    "--file",
    "path",
    required=True,
    metavar="FILE",
    help="The file of users (aeron.cluster.authenticator.file).",
)


class _ErrorsOnOneLine(click.Group):
    """A group whose commands print errors on one line instead of a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except AeronClusterError as error:
            fail(error)


@click.group(cls=_ErrorsOnOneLine)
def users() -> None:
    """Edit the file of users who may connect to a cluster.

    It contains names and salted scrypt hashes, never a password. A running node rereads it within a
    second of a change; the change affects only new sessions.

    \b
    Examples:
      aeron-cluster users add --file users alice
      pass show cluster/bob | aeron-cluster users add --file users --stdin bob
      aeron-cluster node --service my_service:MyService --users users
    """  # noqa: D301 - \b is click's mark


@users.command()
@_file
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the password from standard input.")
@click.argument("name")
def add(path: str, name: str, *, from_stdin: bool) -> None:
    """Add a user, or change a user's password.

    \b
    Example:
      aeron-cluster users add --file users alice
    """  # noqa: D301 - \b is click's mark
    check_name(name)
    data = read(_FILES, path) if Path(path).exists() else b""
    was_there = name in parse_users(path, data)
    password = _password(name, from_stdin=from_stdin)
    hashed = PasswordHash.of(password, secrets.token_bytes(SALT_LENGTH))
    _write(path, with_user(path, data, name, hashed))
    click.echo(f"{name}: {'password changed' if was_there else 'added'} in {path}")


@users.command()
@_file
@click.argument("name")
def remove(path: str, name: str) -> None:
    """Remove a user. An open session of the user continues until it ends.

    \b
    Example:
      aeron-cluster users remove --file users alice
    """  # noqa: D301 - \b is click's mark
    data = read(_FILES, path)
    if name not in parse_users(path, data):
        click.echo(f"{name}: not in {path}", err=True)
        raise SystemExit(ExitCode.NO)
    _write(path, without_user(path, data, name))
    click.echo(f"{name}: removed from {path}")


@users.command(name="list")
@_file
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(path: str, *, as_json: bool) -> None:
    """List the users by name.

    \b
    Example:
      aeron-cluster users list --file users
    """  # noqa: D301 - \b is click's mark
    names = sorted(parse_users(path, read(_FILES, path)))
    click.echo(json.dumps({"users": names}) if as_json else "\n".join(names))


def _password(name: str, *, from_stdin: bool) -> bytes:
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = click.prompt(f"Password of {name}", hide_input=True, confirmation_prompt=True)
    if not password:
        raise ConfigurationError("password", "one", "none")
    return str(password).encode()


def _write(path: str, data: bytes) -> None:
    # A symbolic link is kept: its target is replaced.
    place = Path(path).resolve()
    before = place.stat() if place.exists() else None
    _FILES.replace(str(place), data)
    if before is None:
        return
    # The node that reads it may run as another user, or have the file's group.
    with contextlib.suppress(PermissionError):
        os.chown(place, before.st_uid, before.st_gid)
    place.chmod(stat.S_IMODE(before.st_mode))
