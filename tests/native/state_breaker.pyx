"""Make the own state of agents wrong, as a defect or a stray write would."""

from libc.stdint cimport int32_t, int64_t

from aeron_cluster.archive.recording.recorder cimport (
    Recorder,
    RecordingSession,
    recording_session,
)
from aeron_cluster.archive.replay.replayer cimport ReplaySession
from aeron_cluster.client.conductor_agent cimport ConductorAgent
from aeron_cluster.client.image cimport Image
from aeron_cluster.client.publication cimport ExclusivePublication
from aeron_cluster.cluster.agent.module_agent cimport ModuleAgent
from aeron_cluster.cluster.log.log_adapter cimport LogAdapter
from aeron_cluster.cluster.service.service_agent cimport ServiceAgent
from aeron_cluster.cluster.state.session_table cimport SessionTable
from aeron_cluster.driver.control.stream_tracking cimport StreamTracking
from aeron_cluster.driver.receive.publication_image cimport PublicationImage
from aeron_cluster.driver.send.network_publication cimport NetworkPublication
from aeron_cluster.driver.send.sender cimport Sender
from aeron_cluster.logbuffer.local_log cimport LocalLog


def shrink_publications(Sender sender not None):
    """Let a sender have more publications than places for them."""
    sender.c.publications.capacity = 0


def overfill_commands(Sender sender not None):
    """Let a sender's queue hold more than it has room for."""
    sender.c.common.commands.tail_seen = sender.c.common.commands.head + 1_000_000


def clean_ahead(NetworkPublication publication not None):
    """Let a publication have cleaned what it has not sent."""
    publication.c.clean_position = 1 << 40


def overfill_receivers(NetworkPublication publication not None):
    publication.c.receiver_count = 1_000_000


def rebuild_ahead(PublicationImage image not None):
    """Let an image have rebuilt more than it has received."""
    image.c.rebuilder.contiguous_position = image.c.rebuilder.high_water_position + 32


def shrink_images(StreamTracking tracking not None):
    tracking.c.images.capacity = 0


def move_recording(RecordingSession session not None, int64_t distance):
    """Let a recording be elsewhere than its file."""
    session.c.position += distance


def move_segment(RecordingSession session not None, int64_t distance):
    session.c.segment_base += distance


def move_first_recording(Recorder recorder not None, int64_t distance):
    """Let the first recording of a recorder that runs be elsewhere; return its id."""
    cdef recording_session *session = <recording_session *>recorder.c.common.sessions.session
    session.position += distance
    return session.recording_id


def move_replay(ReplaySession session not None, int64_t distance):
    session.c.position += distance


def rename_member(ModuleAgent agent not None):
    """Let a module be a member that there is not."""
    agent.c.members.own_index = 1000


def append_too_many(ModuleAgent agent not None, int service_id):
    """Let more of a service's messages be in the log than there are."""
    agent.c.control.trackers[service_id].appended_count = (
        agent.c.control.trackers[service_id].count + 1)


def read_elsewhere(LogAdapter reader not None, Image image not None):
    """Let a follower's log be another one."""
    reader.c.poller = &image.poller


def forget_sessions(SessionTable table not None):
    table.c.count = 0


def read_ahead(ServiceAgent agent not None):
    """Let a service have read what is not there yet."""
    agent.cluster.c.table.log_position = 1 << 40


def mistake_heartbeat(ConductorAgent agent not None):
    """Let a client write its heartbeats to a counter that there is not."""
    agent.c.heartbeat_id = 1 << 30
    agent.c.keepalive_deadline_ns = 0


def misplace_publication(ExclusivePublication publication not None):
    """Let a publication stand within a frame."""
    publication.c.appender.term_offset += 5


def misplace_log(LocalLog log not None, int32_t distance):
    log.exclusive.term_offset += distance


def skip_term(LocalLog log not None):
    """Let the log of a publication be in another term than its appender."""
    log.log.metadata.active_term_count += 1


def misread(LocalLog log not None):
    """Let a subscriber stand within a frame."""
    log.position += 5
