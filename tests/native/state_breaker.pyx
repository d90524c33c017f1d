"""Corrupt the internal state of agents, as a defect or a stray write would."""

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
    """Give a sender more publications than entries for them."""
    sender.c.publications.capacity = 0


def overfill_commands(Sender sender not None):
    """Give a sender's queue more commands than its capacity."""
    sender.c.common.commands.tail_seen = sender.c.common.commands.head + 1_000_000


def clean_ahead(NetworkPublication publication not None):
    """Move a publication's clean position past its sender position."""
    publication.c.clean_position = 1 << 40


def overfill_receivers(NetworkPublication publication not None):
    publication.c.receiver_count = 1_000_000


def rebuild_ahead(PublicationImage image not None):
    """Move an image's rebuild position past its high-water mark."""
    image.c.rebuilder.contiguous_position = image.c.rebuilder.high_water_position + 32


def shrink_images(StreamTracking tracking not None):
    tracking.c.images.capacity = 0


def move_recording(RecordingSession session not None, int64_t distance):
    """Move a recording's position away from that of its file."""
    session.c.position += distance


def move_segment(RecordingSession session not None, int64_t distance):
    session.c.segment_base += distance


def move_first_recording(Recorder recorder not None, int64_t distance):
    """Move the first recording of a running recorder; return its id, -1 if it has none yet."""
    cdef recording_session *session = <recording_session *>recorder.c.common.sessions.session
    if session == NULL:
        return -1
    session.position += distance
    return session.recording_id


def move_replay(ReplaySession session not None, int64_t distance):
    session.c.position += distance


def rename_member(ModuleAgent agent not None):
    """Give a module the id of a member that does not exist."""
    agent.c.members.own_index = 1000


def append_too_many(ModuleAgent agent not None, int service_id):
    """Count more of a service's messages as appended than are retained."""
    agent.c.control.trackers[service_id].appended_count = (
        agent.c.control.trackers[service_id].count + 1)


def read_elsewhere(LogAdapter reader not None, Image image not None):
    """Make a follower read another log."""
    reader.c.poller = &image.poller


def forget_sessions(SessionTable table not None):
    table.c.count = 0


def read_ahead(ServiceAgent agent not None):
    """Move a service's read position past the commit position."""
    agent.cluster.c.table.log_position = 1 << 40


def mistake_heartbeat(ConductorAgent agent not None):
    """Make a client write its heartbeats to a counter that does not exist."""
    agent.c.heartbeat_id = 1 << 30
    agent.c.keepalive_deadline_ns = 0


def misplace_publication(ExclusivePublication publication not None):
    """Move a publication's position into a frame."""
    publication.c.appender.term_offset += 5


def misplace_log(LocalLog log not None, int32_t distance):
    log.exclusive.term_offset += distance


def skip_term(LocalLog log not None):
    """Move a publication's log to another term than its appender."""
    log.log.metadata.active_term_count += 1


def misread(LocalLog log not None):
    """Move a subscriber's position into a frame."""
    log.position += 5
