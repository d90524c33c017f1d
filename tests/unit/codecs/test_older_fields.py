"""Every field newer than its message, and its replacement if the sender lacks it.

Java maps these null values where it decodes them (``...NullValue()`` in its adapters and pollers).
The handlers have their own tests; this table shows that each field has a replacement.
"""

from types import SimpleNamespace

import pytest

from aeron_cluster.archive.control.control_requests import _set_absent_fields
from aeron_cluster.cluster.agent.members_response import members_response
from aeron_cluster.cluster.election.catchup_replays import CatchupReplays
from aeron_cluster.cluster.members.optional_fields import action_flags, queried_log_position
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.cluster_client.cluster_client import (
    _DEFAULT_NEW_LEADER_TIMEOUT_NS,
    _new_leader_timeout,
)
from aeron_cluster.codecs import archive, archive_mark, cluster, cluster_mark, node_state
from aeron_cluster.codecs.cluster import BooleanType, ClusterTimeUnit
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.codecs.older import of_version

SCHEMAS = (archive, archive_mark, cluster, cluster_mark, node_state)
INT32_MIN, INT64_MIN, INT64_MAX = -(2**31), -(2**63), 2**63 - 1


def as_decoded(name):
    return lambda message: getattr(message, name)


def archive_request(name):
    def replaced(request):
        _set_absent_fields(request)
        return getattr(request, name)

    return replaced


def is_extended(query):
    context = SimpleNamespace(members=(), options=SimpleNamespace(member_id=0), members_text="")
    answer = members_response(query, context, leader_member_id=-1, progress=(), now_ns=0)
    return isinstance(cluster.decode(answer), cluster.ClusterMembersExtendedResponse)


def ends_catchup(message):
    """Return whether an append position at the end of the log is treated as part of a catch-up."""
    sent = []
    link = SimpleNamespace(send=lambda _, stop: sent.append(stop))
    parts = SimpleNamespace(log=SimpleNamespace(position=0))
    create_with_doubles(CatchupReplays, parts, link=link).on_append_position(message)
    return bool(sent)


def is_standby(message):
    return message.is_standby == BooleanType.TRUE


TABLE = {
    "archive.AuthConnectRequest.client_info": (as_decoded("client_info"), ""),
    "archive.BoundedReplayRequest.file_io_max_length": (archive_request("file_io_max_length"), -1),
    "archive.BoundedReplayRequest.replay_token": (archive_request("replay_token"), -1),
    # Major version 0, which the archive rejects, as Java does.
    "archive.ConnectRequest.version": (as_decoded("version"), 0),
    # An archive that does not know its id.
    "archive.ControlResponse.version": (as_decoded("version"), 0),
    "archive.ReplayRequest.file_io_max_length": (archive_request("file_io_max_length"), -1),
    "archive.ReplayRequest.replay_token": (archive_request("replay_token"), -1),
    "archive.ReplicateRequest2.encoded_credentials": (as_decoded("encoded_credentials"), b""),
    "archive.ReplicateRequest2.file_io_max_length": (archive_request("file_io_max_length"), -1),
    "archive.ReplicateRequest2.replication_session_id": (
        archive_request("replication_session_id"),
        -1,
    ),
    "archive.ReplicateRequest2.src_response_channel": (as_decoded("src_response_channel"), ""),
    "archive_mark.MarkFileHeader.archive_id": (as_decoded("archive_id"), -1),
    "archive_mark.MarkFileHeader.error_buffer_length": (as_decoded("error_buffer_length"), 0),
    "archive_mark.MarkFileHeader.header_length": (as_decoded("header_length"), 0),
    "cluster.AppendPosition.flags": (ends_catchup, False),
    "cluster.BackupQuery.log_position": (queried_log_position, INT64_MAX),
    "cluster.BackupQuery.version": (as_decoded("version"), 0),
    # Below every id: a backup queries another member.
    "cluster.BackupResponse.member_id": (as_decoded("member_id"), INT32_MIN),
    # 0 stands for the version before the field was added.
    "cluster.CanvassPosition.protocol_version": (as_decoded("protocol_version"), 0),
    "cluster.ClusterActionRequest.flags": (action_flags, 0),
    "cluster.ClusterMembersQuery.extended": (is_extended, False),
    # Without a tracker in the module's own record.
    "cluster.ConsensusModule.log_service_session_id": (
        as_decoded("log_service_session_id"),
        INT64_MIN,
    ),
    "cluster.ConsensusModule.next_service_session_id": (
        as_decoded("next_service_session_id"),
        INT64_MIN,
    ),
    "cluster.ConsensusModule.pending_message_capacity": (as_decoded("pending_message_capacity"), 0),
    "cluster.JoinLog.is_standby": (is_standby, False),
    # Below every position, so it raises none.
    "cluster.NewLeadershipTerm.commit_position": (as_decoded("commit_position"), INT64_MIN),
    "cluster.NewLeadershipTermEvent.app_version": (as_decoded("app_version"), 0),
    "cluster.NewLeadershipTermEvent.time_unit": (
        lambda event: time_unit_of(event.time_unit),
        ClusterTimeUnit.MILLIS,
    ),
    "cluster.RequestVote.protocol_version": (as_decoded("protocol_version"), 0),
    "cluster.SessionConnectRequest.client_info": (as_decoded("client_info"), ""),
    "cluster.SessionConnectRequest.version": (as_decoded("version"), 0),
    "cluster.SessionEvent.leader_heartbeat_timeout_ns": (
        _new_leader_timeout,
        _DEFAULT_NEW_LEADER_TIMEOUT_NS,
    ),
    "cluster.SessionEvent.version": (as_decoded("version"), 0),
    "cluster.SnapshotMarker.app_version": (as_decoded("app_version"), 0),
    "cluster.SnapshotMarker.time_unit": (
        lambda marker: time_unit_of(marker.time_unit),
        ClusterTimeUnit.MILLIS,
    ),
    "cluster_mark.MarkFileHeader.services_cluster_dir": (as_decoded("services_cluster_dir"), ""),
}


def newer_fields():
    """Return the class and the version of each field added after version 0, by name."""
    return {
        f"{module.__name__.rpartition('.')[2]}.{kind.name}.{field.name}": (kind, field.since)
        for module in SCHEMAS
        for kind in module.SCHEMA.messages.values()
        for field in (*kind.fields, *kind.data)
        if field.since > 0
    }


def example(kind):
    """Return a message with a value in every field."""
    values = {field.name: 1 if field.enum is None else max(field.enum) for field in kind.fields}
    values |= {data.name: "x" if data.is_text else b"x" for data in kind.data}
    return kind.encode(**values)


def test_each_newer_field_is_in_the_table():
    assert sorted(newer_fields()) == sorted(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_field_missing_in_an_older_version_is_replaced_as_java_does(name):
    kind, since = newer_fields()[name]
    replaced, expected = TABLE[name]
    assert replaced(kind.decode(of_version(example(kind), kind, since - 1))) == expected
    assert replaced(kind.decode(example(kind))) != expected
