"""Our node as a program with the arguments, the events and the commands of ``ClusterNode.java``.

``python -m tests.interop.our_node key=value...``, besides Java's with ``threads=one|two|each``,
``service=native library=PATH:SYMBOL``, and ``busy=true``: another thread runs Python code without a
pause.
"""

import os
import selectors
import signal
import sys
import threading

from aeron_cluster.client.security import SimpleAuthenticator, allow_all
from aeron_cluster.cluster.agent.module_status import ConsensusModuleState
from aeron_cluster.cluster.assembly import ClusterNode, local_member
from aeron_cluster.cluster.election.election import ElectionState
from aeron_cluster.cluster.service.clustered_service import Role
from aeron_cluster.cluster.service.native_service import NativeService
from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.shared.counters import AtomicCounter
from tests.interop.our_services import (
    Checksum,
    Diverging,
    Ledger,
    Plain,
    ReportingAccounts,
    ReportingEcho,
    emit,
)

WATCH_S = 0.002
MODULE_STATE, ROLE, TOGGLE, COMMIT_POSITION, ELECTION = 200, 201, 202, 203, 207
TERM = 239
WATCHED = (
    ("election", ELECTION, ElectionState),
    ("role", ROLE, Role),
    ("module", MODULE_STATE, ConsensusModuleState),
)


class Challenger:
    """Challenges every client, and accepts those that answer "secret"."""

    def __init__(self):
        self.principals, self.answers = {}, {}

    def on_connect_request(self, session_id, encoded_credentials, _now_ms):
        self.principals[session_id] = bytes(encoded_credentials)

    def on_challenge_response(self, session_id, encoded_credentials, _now_ms):
        self.answers[session_id] = bytes(encoded_credentials)

    def on_connected_session(self, proxy, _now_ms):
        proxy.challenge(b"who goes there")

    def on_challenged_session(self, proxy, _now_ms):
        answer = self.answers.get(proxy.session_id)
        if answer == b"secret":
            proxy.authenticate(self.principals[proxy.session_id])
        elif answer is not None:
            proxy.reject()


AUTHENTICATORS = {
    "password": lambda: SimpleAuthenticator({b"secret": b"secret"}),
    "challenge": Challenger,
}


TIMEOUTS = {
    "sessionTimeoutMs": "session_timeout_ns",
    "canvassMs": "startup_canvass_timeout_ns",
    "electionMs": "election_timeout_ns",
    "electionStatusMs": "election_status_interval_ns",
    "heartbeatTimeoutMs": "leader_heartbeat_timeout_ns",
    "heartbeatIntervalMs": "leader_heartbeat_interval_ns",
}


def service_of(arguments):
    """Return the service that the arguments name."""
    match arguments.get("service", "echo"):
        case "echo":
            return ReportingEcho(int(arguments.get("snapshotPad", "0")))
        case "ledger":
            return Ledger()
        case "plain":
            return Plain()
        case "diverged":
            return Diverging(int(arguments["diverge_at"]))
        case "accounts":
            return ReportingAccounts()
        case "checksum":
            return Checksum()
        case "native":
            return NativeService.load(*arguments["library"].rsplit(":", 1))
        case name:
            raise SystemExit(f"service={name}")


def launch(arguments, service, on_end):
    """Start the node that the arguments describe."""
    module = {
        "log_channel": arguments.get("log", "aeron:udp?term-length=64m"),
        "replication_channel": "aeron:udp?endpoint=localhost:0",
    }
    for argument, option in TIMEOUTS.items():
        if argument in arguments:
            module[option] = int(arguments[argument]) * 1_000_000
    if arguments.get("authoriseAll") == "true":
        module["authorisation_service"] = allow_all
    if "authenticator" in arguments:
        module["authenticator_supplier"] = AUTHENTICATORS[arguments["authenticator"]]
    if "users" in arguments:
        module["authenticator_file"] = arguments["users"]
    if "policy" in arguments:
        module["authorisation_file"] = arguments["policy"]
    archive = {}
    if "segment" in arguments:
        archive["segment_file_length"] = int(arguments["segment"])
    member_id = int(arguments.get("member", "0"))
    members = arguments.get("clusterMembers")
    return ClusterNode.launch(
        service,
        directory=f"{arguments['base']}/node{member_id}",
        members=members or local_member(member_id, "localhost", int(arguments["portBase"])),
        member_id=member_id,
        threads=arguments.get("threads", "one"),
        idle_strategy=arguments.get("idle", "backoff"),
        driver={"aeron_dir": arguments["dir"], "dir_delete_on_shutdown": True},
        archive=archive,
        consensus_module=module,
        termination_hook=on_end,
    )


def run_python(stop):
    """Hold the GIL as long as the interpreter allows."""
    number = 0
    while not stop.is_set():
        number = (number * 31 + 7) % 1_000_003


class Watch:
    """Reports the counters, and executes the commands of standard input."""

    def __init__(self, node, service):
        self._node = node
        self._service = service
        self._counters = {}  # last reported values, by counter type
        self._reported = {}
        self._is_snapshot_requested = False

    def report_changes(self):
        """Report changes; takes a few us, since it competes with a measured service for the GIL."""
        if not self._counters:
            self._counters = self._find()
        for event, type_id, kind in WATCHED if self._counters else ():
            counter = self._counters[type_id]
            if not counter.is_current or self._reported.get(event) == (value := counter.get()):
                continue
            self._reported[event] = value
            name = kind(value).name
            more = {"role": name} if event == "role" else {"state": name}
            if event == "election":
                more["commitPosition"] = self._counters[COMMIT_POSITION].get()
            if event == "role":
                more["leadershipTermId"] = self._counters[TERM].get()
            emit(event, **more)
        # By the counter, not the states in between: a quick snapshot ends between two polls.
        if (
            self._is_snapshot_requested
            and self._reported.get("module") == ConsensusModuleState.ACTIVE
        ):
            toggle = self._counters[TOGGLE]
            if toggle.is_current and toggle.get() != ControlToggle.SNAPSHOT:
                self._is_snapshot_requested = False
                emit("snapshotDone")

    def _find(self):
        reader = self._node.driver.counters
        found = {each.type_id: AtomicCounter(reader, each.counter_id) for each in reader.counters()}
        # The term's counter is the last one that a module creates.
        return found if TERM in found else {}

    def execute(self, command):
        match command:
            case "state":
                emit("state", state=self._service.state())
            case _:
                toggle = self._counters.get(TOGGLE)
                accepted = toggle is not None and toggle.compare_and_set(
                    ControlToggle.NEUTRAL, ControlToggle[command.upper()]
                )
                self._is_snapshot_requested = accepted and command == "snapshot"
                emit("toggle", command=command, accepted=accepted)


def main():
    """Run until a signal requests the end."""
    arguments = dict(each.split("=", 1) for each in sys.argv[1:])
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    service = service_of(arguments)

    def on_end():
        emit("terminationHook")
        stop.set()

    with launch(arguments, service, on_end) as node, selectors.DefaultSelector() as selector:
        emit("READY", pid=os.getpid(), dir=node.driver.aeron_dir)
        watch = Watch(node, service)
        if arguments.get("busy") == "true":
            threading.Thread(target=run_python, args=(stop,), daemon=True).start()
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        typed = b""
        while not stop.is_set():
            if not node.is_running:
                emit("error", message="a thread of the node ended")
                break
            watch.report_changes()
            for _ in selector.select(WATCH_S):
                chunk = os.read(sys.stdin.fileno(), 4096)
                if not chunk:
                    selector.unregister(sys.stdin.fileno())
                *commands, typed = (typed + chunk).split(b"\n")
                for command in commands:
                    watch.execute(command.decode())
        emit("stopping")
    emit("CLOSED")


if __name__ == "__main__":
    main()
