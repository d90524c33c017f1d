"""A busy log, from a seed, and a cluster's replies in that time."""

import random

from aeron_cluster.codecs.cluster import CloseReason, SessionEvent, SessionMessageHeader
from aeron_cluster.pipeline.jobs.figures.egress import EgressRecording
from tests.unit.pipeline.logs import LogBuilder
from tests.unit.pipeline.recording_builder import RecordingBuilder


def service_message(service_id, number):
    """Return the id of a service's message, used instead of a session id."""
    return -(1 << 63) + (service_id << 56) + number


class BusyDay:
    """Three leaders, a dozen sessions and a service; replies follow immediately or a little later.

    Attributes
    ----------
    log, egress
        Recordings to be written to directories.
    answers
        (session, time) of each reply.
    """

    def __init__(self, seed=1, count=1500):
        seeded = random.Random(seed)
        self.log = log = LogBuilder()
        self.egress = RecordingBuilder(stream_id=102, session_id=5)
        self.answers = []
        late = []
        log.begin_term(0)
        opened = []
        last = 0
        for index in range(count):
            log.time += seeded.choice((0, 0, 1, 3, 40))
            for each in [each for each in late if each[1] <= log.time]:
                late.remove(each)
                self.answer(*each)
            if index in (count // 3, 2 * count // 3):
                log.time += 3000
                log.begin_term(log.term + 1, leader=log.term)
            if index % (count // 12) == 0:
                last += 1
                opened.append(last)
                log.open(opened[-1], b"somebody")
            if index % (count // 4) == count // 5:
                log.close(
                    opened.pop(0), seeded.choice((CloseReason.CLIENT_ACTION, CloseReason.TIMEOUT))
                )
            if index % 50 == 7:
                log.timer(index)
                log.emit(service_message(1, index), b"of a service")
            session = seeded.choice(opened)
            log.emit(session, bytes(seeded.randrange(0, 3000)))
            if seeded.random() < 0.5:
                self.answer(session, log.time)
            else:
                late.append((session, log.time + seeded.choice((1, 20, 90))))
        for each in late:
            self.answer(*each)
        self.egress.message(
            SessionEvent.encode(
                cluster_session_id=1,
                correlation_id=1,
                leadership_term_id=0,
                leader_member_id=0,
                code=0,
                detail="no answer of a service",
            )
        )

    def answer(self, session, time):
        self.answers.append((session, time))
        header = SessionMessageHeader.encode(
            leadership_term_id=self.log.term, cluster_session_id=session, timestamp=time
        )
        self.egress.message(header + b"answer")

    def put(self, path):
        """Write a node's directory; return it and the location of the replies."""
        node = self.log.write_node(path / "node0")
        recording_id = self.egress.put(path / "clients")
        return node, EgressRecording(path / "clients", recording_id)
