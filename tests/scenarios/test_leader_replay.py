"""The replay of the log at a leader, as in the document of that name."""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.client.archive_client import Answer
from aeron_cluster.cluster.log.log_replay import replay_log
from aeron_cluster.cluster.log.service_link import ServiceLink
from aeron_cluster.codecs.archive import ControlResponse, ControlResponseCode
from aeron_cluster.codecs.cluster import ServiceAck, decode
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.agents.waiting import Task
from tests.scenarios.transcript import FOLDER, run

SHOWN = ("position", "length", "replay_session_id")


class Member:
    """A module, its archive and its services, played by the commands."""

    def __init__(self):
        self.reported = []
        self.task = None
        self.answers = {}
        self.next_id = 1
        self.image = None
        self.frames = []
        self.position = 0
        self.is_ready = True
        options = SimpleNamespace(
            service_count=2,
            member_id=0,
            replay_channel="aeron:ipc",
            replay_stream_id=103,
            log_fragment_limit=50,
        )
        clock = SimpleNamespace(nano_time=lambda: 0)
        self.context = SimpleNamespace(
            options=options,
            message_timeout_ns=10**9,
            now_ns=clock.nano_time,
            seams=SimpleNamespace(clock=clock),
        )
        self.services = ServiceLink(self.context, None)
        self.services._publication = self

    # ---- used by the module's steps ----

    def offer(self, message):
        join = decode(message)
        self.reported.append(
            f"module to services: join {join.log_channel} stream {join.log_stream_id} from"
            f" {join.log_position} to {join.max_log_position} role {join.role}"
        )
        return 1

    def request(self, kind, _, _via=None, **values):
        shown = " ".join(f"{key}={values[key]}" for key in SHOWN if key in values)
        self.reported.append(f"module to archive: {kind.__name__} {shown}")
        self.next_id += 1
        self.answers[self.next_id] = None
        return self.next_id

    def poll(self, limit_position=None, _=None):
        if limit_position is None:
            return 0  # the archive sends nothing
        if not self.frames:
            return 0
        self.position = self.frames.pop(0)
        self.reported.append(f"module reads the log up to {self.position}")
        return 1

    def take_answer(self, correlation_id):
        return self.answers[correlation_id]

    def forget(self, correlation_id):
        del self.answers[correlation_id]

    def route_errors(self, correlation_id, handler):
        pass  # the archive sends no replay

    @property
    def is_connected(self):
        return True

    def async_add_subscription(self, channel, stream_id):
        self.reported.append(f"module subscribes: {channel} stream {stream_id}")
        return 1

    def get_subscription(self, _):
        return self

    def image_by_session_id(self, session_id):
        return self.image if self.image and self.image.session_id == session_id else None

    def check_fragments(self, recording_id):
        assert recording_id == 0

    def set_image(self, image):
        if image is not None:
            self.position = image.join_position
        self.reported.append("module polls the image" if image else "module releases the image")

    def close(self):
        self.reported.append("module closes its subscription")

    def propose_max(self, position):
        self.reported.append(f"commit position {position}: services may read up to there")

    @property
    def aeron(self):
        return self

    # ---- commands ----

    def do(self, name, arguments):
        self.reported = []
        getattr(self, f"on_{name}")(**{key: int(value) for key, value in arguments.items()})
        for _ in range(3):
            if self.task.is_done:
                break
            try:
                self.task.do_work()
            except AeronClusterError as error:
                self.reported.append(f"error: {error}")
            else:
                if self.task.is_done:
                    self.reported.append("the replay is done")
        return self.reported

    def on_replay(self, begin, end):
        self.task = Task(
            replay_log(
                self.context,
                self,
                self,
                self.services,
                self,
                self,
                recording_id=0,
                start_position=begin,
                stop_position=end,
            )
        )

    def on_archive_answers(self, relevant):
        response = ControlResponse(
            control_session_id=1,
            correlation_id=self.next_id,
            relevant_id=relevant,
            code=ControlResponseCode.OK,
            version=0,
            error_message="",
        )
        self.answers[self.next_id] = Answer(response=response)

    def on_image(self, session, join):
        self.image = SimpleNamespace(
            session_id=session,
            join_position=join,
            is_closed=False,
            is_given_up=False,
            is_publication_revoked=False,
        )

    def on_ack(self, service, ack, position):
        self.services.on_ack(
            ServiceAck(
                log_position=position, timestamp=0, ack_id=ack, relevant_id=-1, service_id=service
            )
        )

    def on_frames(self, end):
        self.frames.append(end)

    def on_image_closes(self):
        self.image.is_closed = True

    def on_snapshot(self, started):
        self.is_ready = not started


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("leader_replay*.txt")), ids=lambda path: path.stem
)
def test_leader_replay(path, rewrite):
    run(path, Member().do, rewrite=rewrite)
