"""A leader and a follower of a cluster of three on one thread, as a counted program.

A line on standard input is the number of messages that the client sends; after all are committed at
both members, it prints "done".
"""

import json
import sys
from pathlib import Path
from threading import Event

from aeron_cluster.memory.agents.agent_runner import AgentRunner
from tests.unit.cluster.members_rig import IDS, INTERVAL_NS, MembersRig
from tests.unit.cluster.module_rig import session_message
from tests.unit.cluster.streams import Streams

TERM_LENGTH = 1 << 24  # larger than any stream of the test
SESSION = 17


class TwoMembers:
    """The members exchange messages, and the follower reads the leader's log; the test simulates
    the recorders.
    """

    def __init__(self, directory: Path) -> None:
        streams = Streams(directory)
        reported = {"log_term_length": TERM_LENGTH, "term_length": TERM_LENGTH}
        self.leader = MembersRig(streams, **reported)
        follower_ids = (IDS[1], IDS[0], IDS[2])
        self.follower = follower = MembersRig(
            streams, leader=1, member_ids=follower_ids, **reported
        )
        self.leader.refresh()
        for one, other in ((self.leader, follower), (follower, self.leader)):
            one.agent.set_consensus(streams.subscription(other.to_others[1].image()))
            one.open_session(SESSION)
        follower.read_image = self.leader.log_stream.image()
        follower.follow()
        self.client = streams.stream(7, term_length=TERM_LENGTH)
        self.leader.ingress(self.client)
        self.agents = [each for rig in (self.leader, follower) for each in (rig.agent, rig.commit)]
        self.message = session_message(SESSION, bytes(64))
        self.log_position = 0

    def send(self, count: int) -> None:
        """Send messages until each is committed at both members, one after the other."""
        rigs = (self.leader, self.follower)
        for _ in range(count):
            assert self.client.publication.offer(self.message) > 0
            self.log_position += 128
            for rig in rigs:
                rig.clock.advance(INTERVAL_NS // 2)
                rig.recorded.set(self.log_position)
            self.await_true(
                lambda: all(rig.commit_position.get() == self.log_position for rig in rigs)
            )

    def await_true(self, condition) -> None:
        pause = Event()
        for _ in range(1_000_000):
            if condition():
                return
            pause.wait(0.00001)
        raise AssertionError([rig.conductor.take_calls() for rig in (self.leader, self.follower)])


def emit(what: str) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(directory: str) -> None:
    members = TwoMembers(Path(directory))
    with AgentRunner(members.agents, name="members", idle_strategy="yield"):
        emit("up")
        for line in sys.stdin:
            members.send(int(line))
            emit("done")


if __name__ == "__main__":
    main(sys.argv[1])
