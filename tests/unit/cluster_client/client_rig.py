"""Test doubles of cluster members, and their clients, on simulated machines."""

import contextlib

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.codecs.cluster import (
    EventCode,
    NewLeaderEvent,
    SessionConnectRequest,
    SessionEvent,
    SessionMessageHeader,
)
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import UnknownMessageError
from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.memory.agents.agent import AgentInvoker, PythonAgent
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from aeron_cluster.simulator.world.machine import World

MS = 1_000_000
S = 1_000_000_000
TERM = 7
INGRESS_STREAM_ID = 101
SESSION_ID = 42
HEADER_LENGTH = 32  # the length of a session message's header


def endpoint(index):
    """Return a member's ingress endpoint."""
    return f"cluster:{9001 + 10 * index}"


def endpoints(*indexes):
    return ",".join(f"{i}={endpoint(i)}" for i in indexes)


class FakeMember:
    """A test double of a member: stores clients' messages, and has methods to reply."""

    role_name = "member"

    def __init__(self, rig, index):
        self.index = index
        self.messages = []
        self._aeron = rig.members_aeron
        self._rig = rig
        self._assembler = FragmentAssembler(self._on_message)
        self.ingress = None
        self.egress = None
        self.open()

    def open(self):
        """Subscribe to ingress."""
        channel = f"aeron:udp?endpoint={endpoint(self.index)}"
        self.ingress = self._aeron.add_subscription(channel, INGRESS_STREAM_ID)

    def close_ingress(self):
        """Close the ingress subscription, as in an election."""
        self.ingress.close()

    def stop(self):
        self.ingress.close()
        if self.egress is not None:
            self.egress.close()

    def do_work(self):
        return 0 if self.ingress.is_closed else self.ingress.poll(self._assembler, 10)

    def _on_message(self, message, _):
        data = bytes(message)
        try:
            decoded = codecs.decode(data)
        except UnknownMessageError:
            return
        if isinstance(decoded, SessionMessageHeader):
            decoded = (decoded, data[HEADER_LENGTH:])
        self.messages.append(decoded)

    def received(self, kind):
        return [message for message in self.messages if isinstance(message, kind)]

    @property
    def payloads(self):
        """The payloads received in its current term, as (term, payload)."""
        return [
            (message[0].leadership_term_id, message[1])
            for message in self.messages
            if isinstance(message, tuple)
        ]

    # ---- replies ----

    def await_request(self):
        self._rig.run_until(lambda: self.received(SessionConnectRequest))
        return self.received(SessionConnectRequest)[-1]

    def connect_egress(self, request):
        """Add a publication to a client, as a member that leads from now on."""
        self.egress = self._aeron.add_publication(
            request.response_channel, request.response_stream_id
        )
        self._rig.run_until(lambda: self.egress.is_connected)

    def emit(self, message):
        self._rig.run_until(lambda: self.egress.offer(message))

    def answer(self, request, code=EventCode.OK, detail="", leader=None, **more):
        if self.egress is None:
            self.connect_egress(request)
        self.emit(
            SessionEvent.encode(
                cluster_session_id=SESSION_ID if code is EventCode.OK else -1,
                correlation_id=request.correlation_id,
                leadership_term_id=TERM,
                leader_member_id=self.index if leader is None else leader,
                code=code,
                version=1,
                leader_heartbeat_timeout_ns=more.get("heartbeat_ns", 2 * S),
                detail=detail,
            )
        )

    def close_session(self, session_id=SESSION_ID, detail="TIMEOUT", term_id=TERM):
        self.emit(
            SessionEvent.encode(
                cluster_session_id=session_id,
                correlation_id=0,
                leadership_term_id=term_id,
                leader_member_id=self.index,
                code=EventCode.CLOSED,
                version=1,
                detail=detail,
            )
        )

    def lead(self, request, term_id, ingress_endpoints, leader=None, session_id=SESSION_ID):
        """Take over a session as the new leader."""
        if self.egress is None:
            self.connect_egress(request)
        self.emit(
            NewLeaderEvent.encode(
                leadership_term_id=term_id,
                cluster_session_id=session_id,
                leader_member_id=self.index if leader is None else leader,
                ingress_endpoints=ingress_endpoints,
            )
        )

    def send(self, payload, session_id=SESSION_ID, timestamp=1):
        header = SessionMessageHeader.encode(
            leadership_term_id=TERM, cluster_session_id=session_id, timestamp=timestamp
        )
        self.emit(header + payload)


class ClientRig:
    """Three members on one machine, clients on another, and virtual time."""

    def __init__(self, seed=1):
        self.world = World(seed)
        self.invokers = []
        self._stack = contextlib.ExitStack()
        self.members_aeron = self._machine("cluster", "10.0.0.1")
        self.aeron = self._machine("client", "10.0.0.2")
        self.members = []
        for index in range(3):
            member = FakeMember(self, index)
            invoker = AgentInvoker([PythonAgent(member)])
            invoker.start()
            self.invokers.append(invoker)
            self.members.append(member)
        self.client = None

    def _machine(self, name, address):
        machine = self.world.add_machine(name, address)
        seams = machine.start_process()
        directory = f"/dev/shm/{name}"
        driver = MediaDriver.launch(
            seams=seams,
            environment={},
            aeron_dir=directory,
            threading_mode="INVOKER",
            term_buffer_length="64k",
            ipc_term_buffer_length="64k",
            image_liveness_timeout_ns=2 * S,
        )
        self._stack.callback(driver.close)
        driver.invoker.start()
        aeron = Aeron.connect(
            aeron_dir=directory,
            seams=seams,
            use_conductor_invoker=True,
            driver_invoker=driver.invoker.invoke,
        )
        self._stack.callback(aeron.close)
        self.invokers += [driver.invoker, aeron.conductor_agent_invoker]
        return aeron

    def options(self, **more):
        return {
            "aeron": self.aeron,
            "idle_strategy": IdleStrategy("noop"),
            "message_timeout_ns": 5 * S,
            "ingress_channel": "aeron:udp",
            "ingress_endpoints": endpoints(0, 1, 2),
            "egress_channel": "aeron:udp?endpoint=client:0",
            **more,
        }

    def run_until(self, is_done, timeout_ns=30 * S):
        self.world.run_until(is_done, self.invokers, timeout_ns=timeout_ns)

    def run_for(self, duration_ns):
        end_ns = self.world.time.now_ns + duration_ns
        self.run_until(lambda: self.world.time.now_ns >= end_ns, 2 * duration_ns)

    def close(self):
        self._stack.close()
