"""A module's handling of a log written by another version."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.agent.module_status import ConsensusModuleState as State
from aeron_cluster.cluster.members.time_unit import time_unit_of
from aeron_cluster.cluster.module.log_events import LogEvents
from aeron_cluster.cluster.state.app_version import SEMANTIC_VERSIONING_VALIDATOR
from aeron_cluster.codecs.cluster import (
    ClusterAction,
    ClusterActionRequest,
    ClusterTimeUnit,
    NewLeadershipTermEvent,
    SessionKeepAlive,
)
from aeron_cluster.errors import (
    LogMismatchError,
    MemberVersionError,
    UnknownMessageError,
    UserComponentError,
)
from tests.unit.cluster.doubles import create_with_doubles
from tests.unit.codecs.older import of_version

TERM, POSITION, OWN_ID = 7, 4096, 2


class EndedError(Exception):
    pass


def term_event(version=1 << 16, time_unit=ClusterTimeUnit.MILLIS):
    return NewLeadershipTermEvent.encode(
        leadership_term_id=TERM,
        log_position=POSITION,
        timestamp=0,
        term_base_log_position=POSITION - 96,
        leader_member_id=0,
        log_session_id=1,
        time_unit=time_unit,
        app_version=version,
    )


def end_unexpectedly(error):
    raise EndedError from error


def events_of(status=None, begin_snapshot=None, on_error=pytest.fail):
    context = SimpleNamespace(
        error_handler=on_error,
        app_version=1 << 16,
        app_version_validator=SEMANTIC_VERSIONING_VALIDATOR,
        time_unit=ClusterTimeUnit.MILLIS,
        options=SimpleNamespace(member_id=OWN_ID),
        extension=None,
    )
    terms_begun = []
    parts = SimpleNamespace(context=context, status=status)
    return create_with_doubles(
        LogEvents,
        parts,
        begin_snapshot=begin_snapshot,
        on_term=terms_begun.append,
        end_unexpectedly=end_unexpectedly,
    ), terms_begun


@pytest.mark.parametrize(
    ("event", "kind", "found"),
    [
        (
            term_event(version=2 << 16),
            MemberVersionError,
            "incompatible version: application version of the log is 2.0.0, expected 1.x.y",
        ),
        (
            term_event(time_unit=ClusterTimeUnit.NANOS),
            LogMismatchError,
            "incompatible timestamp units: ",
        ),
    ],
)
def test_an_incompatible_log_is_reported_with_its_position_and_a_remedy(event, kind, found):
    events, _ = events_of()
    with pytest.raises(EndedError) as raised:
        events.on_event(event, POSITION)
    error = raised.value.__cause__
    assert isinstance(error, kind)
    assert error.condition.startswith(found)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (
        OWN_ID,
        TERM,
        POSITION,
    )
    assert error.remedy


def test_term_without_a_time_unit_is_in_milliseconds():
    terms = []
    events, terms_begun = events_of(SimpleNamespace(set_term=terms.append))
    events.on_event(term_event(time_unit=ClusterTimeUnit.NULL_VALUE), POSITION)
    assert [each.leadership_term_id for each in terms_begun] == terms == [TERM]


def test_an_extension_that_fails_in_a_new_term_is_reported():
    failure, errors = ValueError("of the extension"), []

    def fail(_):
        raise failure

    events, terms_begun = events_of(SimpleNamespace(set_term=lambda _: None), None, errors.append)
    events._context.extension = SimpleNamespace(on_new_leadership_term=fail)
    events.on_event(term_event(), POSITION)
    assert errors == [failure]
    assert len(terms_begun) == 1


@pytest.mark.parametrize(
    ("version", "flags", "is_taken"),
    [(10, 0, True), (11, -(2**31), True), (16, 0, True), (16, 1, False), (16, -2, False)],
)
def test_a_snapshot_is_taken_with_default_flags_or_without(version, flags, is_taken):
    action = ClusterActionRequest.encode(
        leadership_term_id=TERM,
        log_position=POSITION,
        timestamp=55,
        action=ClusterAction.SNAPSHOT,
        flags=flags,
    )
    started, states = [], []
    status = SimpleNamespace(
        leadership_term_id=TERM, enter=lambda *arguments: states.append(arguments)
    )
    events, _ = events_of(status, lambda *place: started.append(place))
    events.on_event(of_version(action, ClusterActionRequest, version), POSITION)
    assert started == [(POSITION, 55)] * is_taken
    assert states == [(State.SNAPSHOT, "ReplayClusterAction.SNAPSHOT")] * is_taken


def test_time_units_are_used_and_an_unset_one_is_milliseconds():
    assert list(map(time_unit_of, ClusterTimeUnit)) == [
        ClusterTimeUnit.MILLIS,
        ClusterTimeUnit.MICROS,
        ClusterTimeUnit.NANOS,
        ClusterTimeUnit.MILLIS,
    ]


def test_an_unknown_event_is_reported_and_one_of_no_effect_skipped():
    errors = []
    events, _ = events_of(on_error=errors.append)  # any use of a part would fail
    unknown = bytearray(term_event())
    unknown[2:4] = (9999).to_bytes(2, "little")  # the template id
    events.on_event(bytes(unknown), POSITION)
    events.on_event(SessionKeepAlive.encode(leadership_term_id=7, cluster_session_id=1), POSITION)
    (error,) = errors
    assert isinstance(error, UnknownMessageError)


@pytest.mark.parametrize("action", ClusterAction)
def test_an_action_of_another_term_has_no_effect(action):
    event = ClusterActionRequest.encode(
        leadership_term_id=TERM - 1, log_position=POSITION, timestamp=0, action=action, flags=0
    )
    events, _ = events_of(SimpleNamespace(leadership_term_id=TERM))
    assert events.on_event(event, POSITION) is None


def test_a_validator_that_fails_ends_the_member():
    def fail(*_):
        raise ValueError("of the validator")

    events, _ = events_of()
    events._context.app_version_validator = SimpleNamespace(is_version_compatible=fail)
    with pytest.raises(EndedError) as raised:
        events.on_event(term_event(), POSITION)
    assert isinstance(raised.value.__cause__, UserComponentError)
    assert isinstance(raised.value.__cause__.__cause__, ValueError)
