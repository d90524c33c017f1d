"""A real cluster under load, to which an attacker sends hostile datagrams; it is checked at the
end.

A soak without faults: three members, clients whose history is checked, and an attacker on a
separate host or on a member's. Under every attack requests are still answered, no member ends, and
members print little. A stranger causes no election and no lost request, unless the machine paused
for longer than half a heartbeat timeout.
"""

import sys
import time
from collections import Counter

from aeron_cluster.cluster.state.module_counters import ELECTION_COUNT_TYPE
from aeron_cluster.errors import InvariantError
from tests.interop.java_peer import Peer, key_values
from tests.soak.members import COUNT, HEARTBEAT_S
from tests.soak.soak import Soak

MAX_PRINTED = 1_000_000
"""The limit of what a member prints, in bytes, for any duration."""
_RATE = 500
# Stream ids by the offset of their port in a member's block of ten ports.
_STREAMS = {1: 101, 2: 108, 3: 100, 4: 100, 5: 10}


class Siege(Soak):
    """One run.

    Parameters
    ----------
    settings, notify
        As of `Soak`.
    kind
        ``stranger``: the attacker knows the ports. ``insider``: it is on a member's host and knows
        the streams.
    silence_s
        The longest time that a client may wait for an answer, in seconds.
    """

    kinds = ("plain", "plain")
    strangers = 1

    def __init__(self, settings, notify=lambda _: None, *, kind="stranger", silence_s=60.0):
        super().__init__(settings, notify)
        self.kind = kind
        self._silence_s = silence_s
        self._elections = []
        self._is_outside = False
        self._looked_at = self._paused_s = 0.0
        self.sent = Counter()

    def run(self):
        """Run to the end; return the `Result`.

        Raises
        ------
        InvariantError
            A check failed.
        """
        result = super().run()
        if self._is_blamed and result.answers != result.requests:
            raise InvariantError(
                "a stranger loses no client's request",
                f"{result.answers} of {result.requests} answered",
            )
        return result

    @property
    def _is_blamed(self):
        """Whether an election or a lost request can only be caused by the attacker."""
        return self._is_outside and self._paused_s < HEARTBEAT_S / 2

    def _draw_events(self):
        return []

    def _begin(self):
        given = self._settings
        self._await(self._have_all_followed, 120.0, "all members are in a term")
        self._elections = self._election_counts()
        self._looked_at, self._paused_s = self._now, 0.0
        # Without namespaces the attacker is on the members' host too.
        self._is_outside = self.kind == "stranger" and self._links.has_links
        ports = [
            f"{self._links.addresses[member]}:{given.port_base + 10 * member + place}:{stream}"
            for member in range(COUNT)
            for place, stream in _STREAMS.items()
        ]
        addresses = self._links.addresses
        processes = [(addresses[each.index], each.process.pid) for each in self._members]
        processes += [(addresses[COUNT], each.pid) for each in self._clients]
        arguments = {
            "seed": given.seed,
            "kind": self.kind,
            "ports": ",".join(ports),
            "processes": ",".join(f"{host}:{pid}" for host, pid in processes),
            "rate": _RATE,
        }
        if self.kind == "insider":
            arguments["dirs"] = ",".join(str(each.aeron_dir) for each in self._members)
        command = [sys.executable, "-m", "tests.hostile.attacker", *key_values(arguments)]
        host = 0 if self.kind == "insider" else COUNT + 1
        log = self._report / "attacker.log"
        self._other_processes = [Peer("attacker", self._links.command(host, command), log)]

    def _supervise(self):
        super()._supervise()
        # A pause of this process also paused the members.
        self._paused_s = max(self._paused_s, self._now - self._looked_at)
        self._looked_at = self._now
        since = time.monotonic_ns() - int(self._silence_s * 1e9)
        if self._other_processes and not self._answered_since(since):
            raise InvariantError(
                "requests continue", f"none answered for {self._silence_s:g} s under attack"
            )
        for each in self._other_processes:
            if each.code not in (None, 0):
                raise InvariantError("the attacker continues", f"{each.code}\n{each.report()}")

    def _end(self):
        (attacker,) = self._other_processes
        attacker.emit("stop")
        self._await(lambda: attacker.code == 0, 120.0, "the attacker ends")
        attacker.read()
        progress = [each for each in attacker.events if each["event"] == "progress"]
        self.sent = Counter(progress[-1]["sent"])
        if self.kind == "insider" and not any(each["live"] for each in progress):
            raise InvariantError("an insider knows streams", "none found in the members' drivers")
        if not any(each["others"] for each in progress):
            raise InvariantError("every port is attacked", "senders' were not found")
        self._other_processes = []
        for member in self._members:
            printed = sum(path.stat().st_size for path in self._logs_of(member))
            self._note("printed", member=member.index, bytes=printed)
            if printed > MAX_PRINTED:
                reported = member.log.read_text(errors="replace")[:4000]
                raise InvariantError(
                    "what a member prints is bounded",
                    f"member {member.index}: {printed} bytes, at most {MAX_PRINTED}\n{reported}",
                )
            if member.start_count != 1:
                raise InvariantError("members continue", f"{member.index}: {member.start_count}")
        elections = self._election_counts()
        if self._paused_s >= HEARTBEAT_S / 2:
            self._note("paused", longest_s=round(self._paused_s, 3))
        if self._is_blamed and elections != self._elections:
            raise InvariantError(
                "a stranger causes no election", f"{self._elections}, then {elections}"
            )

    def _logs_of(self, member):
        return member.log.parent.glob(f"member-{member.index}-*.log")

    def _election_counts(self):
        return [each.counters().get(ELECTION_COUNT_TYPE) for each in self._members]

    def _have_all_followed(self):
        return all(each.commit_position >= 0 for each in self._members)
