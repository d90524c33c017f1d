"""``HOST:PORT`` of an HTTP server, and its listening socket."""

from __future__ import annotations

import errno
import socket  # noqa: TID251 - of HTTP, not of a driver

from aeron_cluster.config import parse_digits
from aeron_cluster.errors import ConfigurationError, PortInUseError

__all__ = ["listen", "url"]

_HIGHEST_PORT = 65535
_BACKLOG = 32


def listen(option: str, endpoint: str) -> socket.socket:
    """Return a socket that listens at ``host:port``, or on all addresses for ``:port``.

    Parameters
    ----------
    option : str
        The name of the option, for errors.
    endpoint : str
        With port 0 the system chooses one.

    Raises
    ------
    ConfigurationError
        The endpoint is malformed, or not an address of this machine.
    PortInUseError
        The port is in use.
    """
    host, colon, digits = endpoint.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    port = parse_digits(digits)
    if not colon or port is None or port > _HIGHEST_PORT:
        raise ConfigurationError(option, "host:port, or :port for all addresses", endpoint)
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        # IPv4 addresses first: IPv6 may be disabled.
        family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        return _bound(family, address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(
                endpoint, f"{option}", "tcp", f"choose another one ({option})"
            ) from None
        raise ConfigurationError(
            option, "an address of this machine", f"{endpoint}: {error}"
        ) from None
    except UnicodeError:  # a part of the host's name is empty or too long
        raise ConfigurationError(option, "an address of this machine", endpoint) from None


def _bound(family: int, address: object) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)  # type: ignore[arg-type] # as it was found
        bound.listen(_BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


def url(bound: socket.socket) -> str:
    """Return the URL of a listening socket for a browser on this machine."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - recognized, not bound
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
