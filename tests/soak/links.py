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
# What makes links slow and lossy, the better one first: a token bucket drops what is too much.
_SLOW = {
    "netem": ("delay", "20ms", "10ms", "loss", "5%"),
    "tbf": ("rate", "400kbit", "burst", "4kb", "latency", "40ms"),
}


class NoNamespacesError(Exception):
    """Network namespaces cannot be made here, and why."""


def _ip(*arguments):
    _run("ip", *arguments)


def _run(*command):
    done = subprocess.run(
        [*map(str, command)], check=False, capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0:
        raise NoNamespacesError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")


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
    slow_by = None
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
        self._slowed = set()
        self.slow_by = None
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
        self.slow_by = self._probe_slow()

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

    def _probe_slow(self):
        """Return what makes links slow here, or None."""
        for kind in _SLOW:
            with contextlib.suppress(NoNamespacesError, FileNotFoundError):
                self._queue(self._hub, "port0", "add", kind)
                self._queue(self._hub, "port0", "del", kind)
                return kind
        return None

    def _queue(self, namespace, device, verb, kind):
        how = (kind, *_SLOW[kind]) if verb == "add" else ()
        _run("tc", "-n", namespace, "qdisc", verb, "dev", device, "root", *how)

    def slow(self, host):
        """Make a host's link slow and lossy, in both directions."""
        if self.slow_by is not None and host not in self._slowed:
            for namespace, device in self._ends(host):
                self._queue(namespace, device, "add", self.slow_by)
            self._slowed.add(host)

    def speed_up(self, host):
        """Undo `slow`."""
        if host in self._slowed:
            for namespace, device in self._ends(host):
                self._queue(namespace, device, "del", self.slow_by)
            self._slowed.discard(host)

    def _ends(self, host):
        return (self._hub, f"port{host}"), (self._names[host], "eth0")

    def _route(self, verb, sender, receiver):
        to = f"{self.addresses[receiver]}/32"
        _ip("-n", self._names[sender], "route", verb, "blackhole", to)

    def heal(self):
        """Undo everything."""
        for host in [*self._unplugged]:
            self.plug(host)
        for host in [*self._slowed]:
            self.speed_up(host)
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
