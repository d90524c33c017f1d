"""The screen of a local cluster: each member's row in 80 columns."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from aeron_cluster.cli.local.screen import MemberRow, Rate, local_view, member_row
from aeron_cluster.cli.local.supervisor import Event, Member, MemberState
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.members.role import Role

S = 1_000_000_000
GIB = 1 << 30


def shown(rows, *, titles=("kv:KeyValue: 3 members",), events=(), **options):
    given = {"latency": "", "followed": None, "prompt": "", "size": (80, 24), **options}
    out = io.StringIO()
    console = Console(file=out, width=given["size"][0], highlight=False)
    console.print(local_view(titles, rows, events=events, **given))
    return out.getvalue().splitlines()


def member(state=MemberState.RUNNING, *, runs=True):
    found = Member(1, (), "data/member-1")
    found.state = state
    found.process = SimpleNamespace(pid=4711) if runs else None
    return found


def status(*, role=Role.LEADER, silent_ms=0, election=ElectionState.CLOSED, errors=(), **header):
    sessions = (SimpleNamespace(cluster_session_id=each) for each in (7, 8, -1))
    return SimpleNamespace(
        component=SimpleNamespace(header=SimpleNamespace(**{"candidate_term_id": 3, **header})),
        inactive_s=silent_ms / 1000,
        is_silent=silent_ms >= 2_000,
        live=SimpleNamespace(
            state=SimpleNamespace(name="ACTIVE"),
            role=role,
            is_leader=role is Role.LEADER,
            election_state=election,
            election_count=2,
            snapshot_count=1,
            leadership_term_id=3,
            commit_position=4096,
            append_position=4160,
            sessions=tuple(sessions),
        ),
        disk=[SimpleNamespace(allocated=5 << 20, usable=9 * GIB) for _ in range(3)],
        errors=errors,
    )


def test_no_number_is_cut_in_80_columns():
    row = MemberRow(
        member_id=0,
        role="was follower",
        term=1234,
        committed=123_456_789_012,
        appended=123_456_789_312,
        sessions=1234,
        log_rate=1023.9 * 1024,
        state="active",
    )
    ahead = MemberRow(member_id=1, role="leader", committed=123_456_799_011)
    lines = shown([row, ahead])
    (line,) = [line for line in lines if line.startswith("0 ")]
    assert line.split() == [
        *("0", "was", "follower", "1,234", "123,456,789,012", "123,456,789,312"),
        *("9,999", "1023.9", "KiB", "1,234"),
    ]
    assert max(map(len, lines)) <= 80


def test_a_row_has_role_term_positions_process_disk_and_sessions():
    row = member_row(member(), status(), 2048.0, 0)
    lines = shown([row])
    assert lines[2].split() == ["1", "leader", "3", "4,096", "4,160", "0", "2.0", "KiB", "2"]
    assert lines[3] == "  active, process 4711, disk 10.0 MiB, elections 2, snapshots 1"
    assert row.style == "green"


def test_a_full_disk_and_a_vote_in_a_later_term_are_shown():
    found = status(candidate_term_id=4)
    found.disk = [SimpleNamespace(allocated=0, usable=5 << 20)]
    details = member_row(member(), found, 0.0, 0).details
    assert "disk 0 bytes, 5.0 MiB free" in details
    assert "voted in term 4" in details


def test_member_without_files_shows_no_disk_use():
    found = status()
    found.disk = []
    details = member_row(member(), found, 0.0, 0).details
    assert details == ("process 4711", "elections 2", "snapshots 1")


@pytest.mark.parametrize(
    ("row", "role", "state"),
    [
        (member_row(member(), status(silent_ms=4_100), 0, 0), "was leader", "silent for 4."),
        (
            member_row(member(MemberState.CUT_OFF), status(), 0, 0),
            "was leader",
            "cut off (paused by SIGSTOP)",
        ),
        (
            member_row(
                member(), status(role=Role.CANDIDATE, election=ElectionState.CANDIDATE_BALLOT), 0, 0
            ),
            "candidate",
            "electing: candidate ballot",
        ),
        (member_row(member(MemberState.STOPPING), status(), 0, 0), "leader", "stopping"),
        (member_row(member(), None, 0, 0), "-", "starting"),
        (member_row(member(MemberState.DOWN, runs=False), status(), 0, 0), "-", "down"),
        (member_row(member(MemberState.FAILED, runs=False), None, 0, 0), "-", "failed"),
    ],
)
def test_member_not_serving_is_not_shown_as_serving(row, role, state):
    assert row.role == role
    assert state in row.state
    assert row.style != "green"


def test_failed_member_is_shown_with_its_last_output_and_restart_time():
    found = member(MemberState.WAITING, runs=False)
    found.last_output = "member 1 in data\nerror: the node ended unexpectedly: ValueError: seven"
    found.restart_at_ns = 3 * S
    row = member_row(found, None, 0, S)
    assert row.state == "starts again in 2.0 s"
    assert row.error == "error: the node ended unexpectedly: ValueError: seven"


def test_the_latest_error_is_shown_in_a_line():
    error = SimpleNamespace(
        observation_count=2,
        last_observation_ms=1_700_000_000_000,
        text="aeron_cluster.errors.ServiceCallbackError: on_timer raised\nTraceback",
    )
    row = member_row(member(), status(errors=(("service 0", error),)), 0, 0)
    of, _, what = row.error.partition(", ")
    assert of == "service 0"
    assert what[8:] == ": ServiceCallbackError: on_timer raised"


def test_only_the_followed_members_last_lines_are_shown():
    events = [Event(each * S, each % 2, f"line {each}", is_output=True) for each in range(100)]
    lines = shown([MemberRow(member_id=0)], events=events, followed=1)
    assert len(lines) == 24
    assert lines[4].startswith("-- log of member 1 ---")
    assert lines[-2] == "  99.00 s  1| line 99"
    assert not any("line 98" in line for line in lines)
    assert "l  log of" in lines[-1]


def test_keys_and_prompts_fit_and_titles_are_not_cut():
    assert max(map(len, shown([]))) <= 80
    assert shown([], prompt="kill which member? 0 to 2; Esc: none")[-1].startswith("kill which")
    ends = ",".join(f"localhost:{9001 + 10 * each}" for each in range(9))
    lines = shown([], titles=("kv", f"clients: {ends}"))
    assert "".join(lines[1:3]).rstrip() == f"clients: {ends}"
    assert len(lines) == 24


def test_rate_is_of_the_last_readings_and_restarts_with_another_process():
    rate = Rate()
    assert rate.add(0, 1000) == 0
    assert rate.add(S, 3000) == 2000
    assert rate.add(2 * S, 5000) == 2000
    assert rate.add(3 * S, 100) == 0
    assert rate.add(4 * S, -1) == 0
    assert rate.add(5 * S, 100) == 0
    assert rate.add(6 * S, 150) == 50
