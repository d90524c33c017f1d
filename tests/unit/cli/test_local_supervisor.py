"""Which members of a local cluster are restarted, when, and which are not."""

import os
import signal
from itertools import count

import pytest

from aeron_cluster.cli.local.supervisor import Member, MemberState, Supervisor

S = 1_000_000_000


class Clock:
    now_ns = 5 * S

    def nano_time(self):
        return self.now_ns


class Process:
    """A node that ends on the test's request."""

    numbers = count(100)

    def __init__(self, *arguments):
        self.arguments = arguments
        self.pid = next(self.numbers)
        self.exit_code = None
        self.printed = []
        self.calls = []

    def lines(self):
        printed, self.printed = self.printed, []
        return printed

    def end(self, code, *lines):
        self.printed += lines
        self.exit_code = code

    def kill(self):
        self.exit_code = -signal.SIGKILL

    def __getattr__(self, name):
        return lambda: self.calls.append(name)


class World:
    """A supervisor and its reports."""

    def __init__(self, members=1, **options):
        self.clock = Clock()
        self.events = []
        self.members = [
            Member(each, ("--id", str(each)), f"data/{each}") for each in range(members)
        ]
        self.supervisor = Supervisor(
            self.members, self.clock, self.events.append, launch=Process, **options
        )
        self.supervisor.start_all()

    def poll(self, seconds=0.0):
        self.clock.now_ns += round(seconds * S)
        self.supervisor.poll()

    def serve(self, member):
        member.process.printed.append("  0.58 s  leader in term 0, log at 0")
        self.poll()

    @property
    def texts(self):
        return [event.text for event in self.events]


def test_failed_member_is_restarted_after_doubling_pauses():
    world = World()
    (member,) = world.members
    pauses = []
    for _ in range(4):
        world.serve(member)
        member.process.end(-signal.SIGKILL)
        world.poll()
        assert member.state is MemberState.WAITING
        pauses.append((member.restart_at_ns - world.clock.now_ns) / S)
        world.poll(pauses[-1] - 0.01)
        assert member.process is None
        world.poll(0.02)
        assert member.state is MemberState.RUNNING
    assert pauses == [0.5, 1, 2, 4]
    assert member.process.arguments == ("--id", "0")
    assert not world.supervisor.is_over


def test_member_failing_five_times_in_a_minute_stays_down_until_requested():
    world = World(2)
    member = world.members[0]
    world.serve(member)
    for _ in range(5):
        member.process.end(1, "error: the node ended unexpectedly: no luck")
        world.poll()
        world.poll(4)
    assert member.state is MemberState.FAILED
    assert world.supervisor.has_failed
    assert world.texts[-2:] == [
        "ended with 1 5 times in a minute, and is not restarted",
        "its last output: error: the node ended unexpectedly: no luck",
    ]
    assert not world.supervisor.is_over  # the other one runs
    world.supervisor.restart(member)
    assert member.state is MemberState.RUNNING
    assert not world.supervisor.has_failed


def test_rare_failures_do_not_stop_restarts():
    world = World()
    (member,) = world.members
    for _ in range(12):
        world.serve(member)
        member.process.end(1)
        world.poll()
        assert member.restart_at_ns - world.clock.now_ns == S // 2
        world.poll(61)
    assert member.state is MemberState.RUNNING


@pytest.mark.parametrize("code", [2, 3, 4])
def test_failed_first_start_of_a_member_ends_the_cluster(code):
    world = World(3)
    world.members[1].process.end(code, "error: --service: expected a module, found kv")
    world.poll()
    assert world.supervisor.is_over
    assert world.supervisor.first_failure == (code, "error: --service: expected a module, found kv")


def test_later_failed_start_of_a_member_is_retried():
    world = World()
    (member,) = world.members
    world.serve(member)
    member.process.end(-signal.SIGKILL)
    world.poll()
    world.poll(1)
    member.process.end(3, "error: localhost:9001/udp (clients' ingress) is in use")
    world.poll()
    assert member.state is MemberState.WAITING
    assert world.supervisor.first_failure is None


def test_member_ending_in_order_or_on_request_stays_down():
    world = World(3)
    for each in world.members:
        world.serve(each)
    world.members[0].process.end(0)
    world.supervisor.kill(world.members[1])
    world.supervisor.stop(world.members[2])
    assert "terminate" in world.members[2].process.calls
    world.members[2].process.end(1)
    world.poll()
    world.poll(100)
    assert {each.state for each in world.members} == {MemberState.DOWN}
    assert world.supervisor.is_over
    assert not world.supervisor.has_failed


@pytest.mark.parametrize("verb", ["kill", "stop"])
def test_member_waiting_for_its_restart_can_be_kept_down(verb):
    world = World()
    (member,) = world.members
    world.serve(member)
    member.process.end(1)
    world.poll()
    getattr(world.supervisor, verb)(member)
    world.poll(100)
    assert member.process is None
    assert world.texts[-1] == "stays down; r 0 restarts it"
    assert world.supervisor.is_over


def test_without_restarts_a_failure_is_final():
    world = World(restarts=False)
    world.serve(world.members[0])
    world.members[0].process.end(1, "last output")
    world.poll()
    assert world.supervisor.is_over
    assert world.supervisor.has_failed
    assert world.members[0].last_output.endswith("last output")


def test_restart_of_a_running_member_waits_for_its_end():
    world = World()
    (member,) = world.members
    world.serve(member)
    first = member.process
    world.supervisor.restart(member)
    world.poll()
    assert member.process is first
    first.end(0)
    world.poll()
    assert member.process is not first
    assert member.state is MemberState.RUNNING


def test_paused_member_resumes_without_a_stop_or_start():
    world = World()
    (member,) = world.members
    world.supervisor.cut_off(member)
    assert member.state is MemberState.CUT_OFF
    world.supervisor.start(member)
    world.supervisor.cut_off(member)
    assert member.state is MemberState.RUNNING
    assert member.process.calls == ["pause", "resume"]


def test_lines_are_passed_on_without_their_own_time_and_place():
    world = World()
    (member,) = world.members
    member.process.printed = [
        "  0.12 s  canvass, log at 0",
        "data/0/cluster/x: y",
        "Ctrl-C ends it",
    ]
    world.poll(1.5)
    printed = [event for event in world.events if event.is_output]
    assert [event.text for event in printed] == ["canvass, log at 0", "cluster/x: y"]
    assert printed[0].time_ns == 1_500_000_000
    assert printed[0].member_id == 0


@pytest.mark.parametrize("verb", ["kill", "stop", "cut_off"])
def test_requests_for_a_member_that_is_down_do_nothing(verb):
    world = World()
    (member,) = world.members
    world.serve(member)
    member.process.end(0)
    world.poll()
    reported = list(world.texts)
    getattr(world.supervisor, verb)(member)
    assert member.state is MemberState.DOWN
    assert world.texts == reported


def test_member_that_is_stopping_is_not_paused_and_restarts_after_its_end():
    world = World()
    (member,) = world.members
    world.serve(member)
    world.supervisor.stop(member)
    world.supervisor.cut_off(member)
    world.supervisor.restart(member)
    assert repr(member) == "<Member 0 stopping>"
    assert member.process.calls == ["terminate"]
    member.process.end(0)
    world.poll()
    assert member.state is MemberState.RUNNING


class FastClock(Clock):
    """A clock that advances by a second with each reading."""

    def nano_time(self):
        self.now_ns += S
        return self.now_ns


def test_closing_stops_all_members_and_kills_those_that_do_not_end_in_time(monkeypatch):
    reader, writer = os.pipe()
    os.write(writer, b"x")  # always ready
    monkeypatch.setattr(Process, "fileno", lambda _: reader, raising=False)
    world = World(3)
    prompt, slow, down = world.members
    for each in world.members:
        world.serve(each)
    down.process.end(0)
    world.poll()
    processes = [each.process for each in (prompt, slow)]
    monkeypatch.setattr(
        processes[0], "terminate", lambda: processes[0].end(0, "closed"), raising=False
    )
    world.clock.__class__ = FastClock
    world.supervisor.close()
    for each in (reader, writer):
        os.close(each)
    assert {each.state for each in world.members} == {MemberState.DOWN}
    assert processes[1].calls == ["terminate", "close"]
    assert [(each.member_id, each.text) for each in world.events if each.is_failure] == [
        (1, "did not stop in time: killed")
    ]
    assert world.texts[-3:] == [
        "ended with 0",
        "did not stop in time: killed",
        "ended by SIGKILL",
    ]
