"""The hot half of one of several members, with streams from and to the other members."""

from collections.abc import Sequence

from aeron_cluster.cluster.log.log_adapter import LogAdapter
from aeron_cluster.codecs.cluster import AppendPosition, CommitPosition
from tests.unit.cluster.module_rig import FOLLOWER, LEADER, TERM_ID, ModuleRig, change_leadership
from tests.unit.cluster.streams import TERM_LENGTH, Stream, Streams, messages

IDS = (10, 11, 12, 13, 14)
"""Member ids, different from the indexes."""

TIMEOUT_NS = 10_000
INTERVAL_NS = 200


def append_position(position: int, index: int, term_id: int = TERM_ID, flags: int = 0) -> bytes:
    return AppendPosition.encode(
        leadership_term_id=term_id,
        log_position=position,
        follower_member_id=IDS[index],
        flags=flags,
    )


def commit_position(position: int, index: int, term_id: int = TERM_ID) -> bytes:
    return CommitPosition.encode(
        leadership_term_id=term_id, log_position=position, leader_member_id=IDS[index]
    )


class MembersRig(ModuleRig):
    """One of several members, settled; it is the member at index 0.

    `emit` sends messages from other members to it; `observed` reads the messages it sends to them.
    """

    def __init__(
        self,
        streams: Streams,
        *,
        leader: int = 0,
        member_ids: Sequence[int] = IDS[:3],
        term_length: int = TERM_LENGTH,
        **reported,
    ) -> None:
        super().__init__(streams, member_ids=member_ids, **reported)
        self.term_length = term_length
        agent = self.agent
        change_leadership(
            agent,
            leader_index=leader,
            leadership_term_id=TERM_ID,
            log_leader_index=leader if leader else 1,
            role=LEADER if leader == 0 else FOLLOWER,
        )
        agent.set_last_leader_update_ns(self.clock.nano_time())
        self.others = range(1, len(member_ids))
        self.from_others = {index: self._stream(70 + index) for index in self.others}
        self.images = {index: each.image() for index, each in self.from_others.items()}
        self.consensus = streams.subscription(*self.images.values())
        agent.set_consensus(self.consensus)
        self.to_others = {index: self._stream(80 + index) for index in self.others}
        self.received_images = {index: each.image() for index, each in self.to_others.items()}
        for index, stream in self.to_others.items():
            agent.set_peer(index, stream.publication)
        # The log's events other than session messages.
        self.events: list[tuple[bytes, int]] = []
        self.reader = LogAdapter(self._on_event, self.sessions, self.trackers, self.clock)
        self.read_image = self.log_stream.image()
        self.then_of_event = lambda: None

    def _stream(self, session_id: int) -> Stream:
        return self.streams.stream(session_id, 108, term_length=self.term_length)

    def _on_event(self, message: bytes, position: int) -> None:
        self.events.append((message, position))
        self.then_of_event()

    def follow(self) -> None:
        """Read the log as a follower does."""
        self.reader.set_image(self.read_image)
        change_leadership(self.agent, log_reader=self.reader)

    def emit(self, index: int, *reported: bytes) -> None:
        for message in reported:
            assert self.from_others[index].publication.offer(message) > 0

    def refresh(self) -> None:
        """Set the last-message time of all other members to now."""
        for index in self.others:
            position, _, term_id = self.agent.member(index)
            self.agent.set_member(index, max(position, 0), self.clock.nano_time(), term_id)

    def observed(self, index: int) -> list[bytes]:
        return [message for message, _ in messages(self.received_images[index])]

    def settle(self) -> None:
        """Send all messages that are due now, and discard them."""
        self.agent.do_work()
        self.commit.do_work()
        for index in self.others:
            self.observed(index)
        self.conductor.take_calls()
