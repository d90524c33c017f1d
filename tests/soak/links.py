"""A private network of a soak: a namespace for each host, a bridge between them, and links to cut.

Nothing outside is changed: the bridge is in a namespace too, and everything is removed with the
namespaces.
"""

import contextlib
import os
import subprocess
from pathlib import Path

_PREFIX = "acsoak"
_NETWORK = "10.177.23"
_FIRST_HOST = 10


class NoNamespacesError(Exception):
    """Network namespaces cannot be made here, and why."""


def _ip(*arguments):
    done = subprocess.run(
        ["ip", *map(str, arguments)], check=False, capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0:
        raise NoNamespacesError(f"ip {' '.join(map(str, arguments))}: {done.stderr.strip()}")


def _remove_stale():
    """Remove the namespaces of soaks that were killed."""
    folder = Path("/var/run/netns")
    for path in folder.glob(f"{_PREFIX}-*") if folder.is_dir() else ():
        pid = path.name.split("-")[1]
        if not Path(f"/proc/{pid}").exists():
            with contextlib.suppress(NoNamespacesError):
                _ip("netns", "del", path.name)


class Loopback:
    """The replacement if namespaces cannot be made: one host without links to cut."""

    has_links = False
    hosts = None

    def __init__(self, count):
        self.addresses = ["localhost"] * count

    def command(self, _host, command):
        """Return a command unchanged."""
        return command

    def heal(self):
        """Do nothing: there are no links."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Namespaces:
    """Hosts on one switch, each in a network namespace.

    Parameters
    ----------
    count
        The number of hosts.

    Attributes
    ----------
    addresses
        The address of each host.

    Raises
    ------
    NoNamespacesError
        ``ip`` is missing, or the permission.
    """

    has_links = True

    def __init__(self, count):
        self._hub = f"{_PREFIX}-{os.getpid()}-hub"
        self._names = [f"{_PREFIX}-{os.getpid()}-{host}" for host in range(count)]
        self._unplugged = set()
        self._blocked = set()
        self.addresses = [f"{_NETWORK}.{_FIRST_HOST + host}" for host in range(count)]
        try:
            _remove_stale()
            self._make()
        except FileNotFoundError:
            raise NoNamespacesError("no ip (of iproute2) on the path") from None
        except BaseException:
            self.close()
            raise

    def _make(self):
        _ip("netns", "add", self._hub)
        _ip("-n", self._hub, "link", "add", "switch", "type", "bridge")
        _ip("-n", self._hub, "link", "set", "switch", "up")
        for host, name in enumerate(self._names):
            _ip("netns", "add", name)
            # Both ends are made within their namespaces: outside their names might be in use.
            _ip(
                *("-n", self._hub, "link", "add", f"port{host}", "type", "veth"),
                *("peer", "name", "eth0", "netns", name),
            )
            _ip("-n", self._hub, "link", "set", f"port{host}", "master", "switch")
            _ip("-n", self._hub, "link", "set", f"port{host}", "up")
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "address", "add", f"{self.addresses[host]}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            _ip("netns", "exec", name, "true")  # more likely to be denied than the commands before

    def command(self, host, command):
        """Return a command that runs on a host."""
        return ["ip", "netns", "exec", self._names[host], *command]

    def unplug(self, host):
        """Take a host off the switch."""
        _ip("-n", self._hub, "link", "set", f"port{host}", "down")
        self._unplugged.add(host)

    def plug(self, host):
        """Undo `unplug`."""
        if host in self._unplugged:
            _ip("-n", self._hub, "link", "set", f"port{host}", "up")
            self._unplugged.discard(host)

    def block(self, sender, receiver):
        """Drop all packets from one host to another, but not the reverse."""
        if (sender, receiver) not in self._blocked:
            self._route("add", sender, receiver)
            self._blocked.add((sender, receiver))

    def unblock(self, sender, receiver):
        """Undo `block`."""
        if (sender, receiver) in self._blocked:
            self._route("del", sender, receiver)
            self._blocked.discard((sender, receiver))

    def _route(self, verb, sender, receiver):
        to = f"{self.addresses[receiver]}/32"
        _ip("-n", self._names[sender], "route", verb, "blackhole", to)

    def heal(self):
        """Undo everything."""
        for host in [*self._unplugged]:
            self.plug(host)
        for pair in [*self._blocked]:
            self.unblock(*pair)

    def close(self):
        """Remove the namespaces; idempotent."""
        for name in (*self._names, self._hub):
            if Path(f"/var/run/netns/{name}").exists():
                _ip("netns", "del", name)
        self._names.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
