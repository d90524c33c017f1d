"""Scheduled snapshots and purges with killed members: no member lacks purged log."""

import struct
from dataclasses import dataclass

import pytest

from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.archive.storage.segments import segment_bases, segment_name
from aeron_cluster.client.credentials import Credentials
from aeron_cluster.cluster.security import DefaultAuthenticator
from aeron_cluster.cluster.state.control_toggle import NodeToggle
from aeron_cluster.cluster.state.recording_log import EntryType, RecordingLog
from aeron_cluster.codecs.archive import PurgeRecordingRequest
from aeron_cluster.errors import InvariantError
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.invariants import Checker, standard_checkers
from aeron_cluster.simulator.clients.reference import Request, Verb
from tests.conftest import SEED
from tests.simulation.scenarios.rig import FILES, MS, S, Scenario, send_to_archive

SEGMENT = 64 * 1024
KEPT = 2
SCHEDULES = {"snapshot_interval_ns": 2 * S, "snapshots_kept": KEPT}


@dataclass
class Held:
    """A member's disk: the beginning and end of its log, and its valid snapshots."""

    start: int
    end: int
    snapshots: list[int]
    lost: list[int]


def held_by(member):
    files = member.machine.files
    if not files.is_file(f"{FILES}/cluster/recording.log"):
        return None
    copy = files.copy(FILES)
    with RecordingLog(copy, f"{FILES}/cluster", writable=False) as log:
        term = log.find_last_term()
        positions = [each[-1].log_position for each in log.find_snapshots(1)]
    if term is None:
        return None
    with Catalog(copy, f"{FILES}/archive", writable=False) as catalog:
        found = catalog.get(term.recording_id).descriptor
        known = [entry.recording_id for entry in log.entries if entry.is_valid_snapshot]
        lost = [each for each in known if each not in catalog]
    end = found.stop_position if found.stop_position >= 0 else written(copy, term.recording_id)
    return Held(found.start_position, end, sorted(positions), lost)


def written(files, recording_id):
    """Return the end of the written frames in a recording's last segment."""
    position = base = segment_bases(files, f"{FILES}/archive", recording_id)[-1]
    with files.open(f"{FILES}/archive/{segment_name(recording_id, base)}") as file:
        while position < base + SEGMENT:
            (length,) = struct.unpack("<i", file.read_at(4, position - base))
            if length <= 0:
                break
            position += -(-length // 32) * 32
    return position


class NoMemberMissesLog(Checker):
    """Each member's log begins at or before its own snapshots and the ends of the others' logs."""

    def __init__(self):
        self._next_ns = 0
        self.is_tampered_with = False

    def check(self, cluster):
        if cluster.now_ns < self._next_ns:
            return
        self._next_ns = cluster.now_ns + 200 * MS
        everybody = [each for each in map(held_by, cluster.members) if each is not None]
        for one in everybody:
            if one.lost and not self.is_tampered_with:
                raise InvariantError("what is known is there", f"{one}")
            if one.start and len(one.snapshots) < 2:
                raise InvariantError("two snapshots are kept", f"{one}")
            for position in one.snapshots[-2:]:
                if one.start > position:
                    raise InvariantError("own snapshots have their log", f"{one}")
            for other in everybody:
                if other.end < one.start:
                    raise InvariantError("the others can read on", f"{one}, {other}")


class Purging(Scenario):
    """A cluster that takes and removes snapshots on a schedule."""

    def __init__(self, seed, **module):
        self.watch = NoMemberMissesLog()
        super().__init__(
            seed,
            module={**SCHEDULES, **module},
            options={"archive": {"segment_file_length": SEGMENT}},
            checkers=[*standard_checkers(), self.watch],
        )

    def start_of(self, member):
        return held_by(member).start

    def await_purged(self):
        """Wait until every member has exactly its retained snapshots."""
        for _ in range(30):
            self.run_for(S)
            if all(len(self.snapshots(each)) == KEPT for each in self.members):
                return
        raise AssertionError(f"expected {KEPT} snapshots of each")

    def write(self, seconds):
        """Append some log under the current leader without waiting for answers."""
        for _ in range(seconds):
            for _ in range(12):
                request = Request(self.client.number, self._number, Verb.NEXT, padding=1200)
                self.client.send(request.encode())
                self._number += 1
            self.run_for(S)

    def load(self, seconds):
        """Append some log in each second."""
        for _ in range(seconds):
            self.send_request(12, padding=1200)
            self.run_for(S)


def test_snapshots_are_taken_and_the_log_before_them_purged():
    with Purging(3) as cluster:
        cluster.begin()
        cluster.load(12)
        cluster.await_purged()
        for member in cluster.members:
            assert cluster.start_of(member) > 0
            log_start = member.module.counters.log_start.get()
            assert log_start == cluster.start_of(member)
            names = member.machine.files.list(f"{FILES}/archive")
            assert not [name for name in names if name.endswith("-0.rec") and name[0] == "0"]
        # Only the retained snapshots and the log.
        recordings = {name.split("-")[0] for name in names if name.endswith(".rec")}
        assert len(recordings) == 1 + 2 * KEPT
        cluster.restart_all()
        cluster.send_request()
        cluster.await_equal()


def test_log_is_retained_for_an_absent_member():
    with Purging(4) as cluster:
        cluster.begin()
        cluster.load(8)
        away = cluster.followers[0]
        away.kill()
        end = held_by(away).end
        cluster.load(14)
        cluster.run_for(12 * S)
        rest = [each for each in cluster.members if each is not away]
        assert all(cluster.start_of(each) <= end for each in rest)
        errors = [str(error) for error in rest[0].errors]
        assert sum(f"member {away.member_id}: no answer" in each for each in errors) == 1
        away.start()
        cluster.await_equal()
        cluster.load(5)
        cluster.await_purged()
        assert all(cluster.start_of(each) > end for each in cluster.members)


def test_snapshot_lost_by_the_archive_does_not_count():
    with Purging(6, snapshot_interval_ns=0) as cluster:
        cluster.begin()
        cluster.load(4)
        cluster.snapshot()
        member = cluster.members[0]
        cluster.watch.is_tampered_with = True
        for entry in cluster.entries(member, EntryType.SNAPSHOT):
            send_to_archive(member, PurgeRecordingRequest, recording_id=entry.recording_id)
        cluster.load(8)
        cluster.snapshot()
        cluster.run_for(25 * S)
        # One of its two retained snapshots is unusable, but without the log it had one to recover
        # from.
        assert cluster.start_of(member) == 0
        member.module.counters.node_toggle.set(NodeToggle.VALIDATE_RECORDING_LOG)
        cluster.load(8)
        cluster.snapshot()
        cluster.run_for(25 * S)
        assert cluster.start_of(member) > 0


class Door(DefaultAuthenticator):
    """Accepts clients, and challenges the queries of members, which have ids below -1."""

    def __init__(self):
        self.answers = {}

    def on_connected_session(self, proxy, now_ms):
        del now_ms
        if proxy.session_id < -1:
            proxy.challenge(b"who")
        else:
            proxy.authenticate(b"client")

    def on_challenge_response(self, session_id, encoded_credentials, now_ms):
        del now_ms
        self.answers[session_id] = encoded_credentials

    def on_challenged_session(self, proxy, now_ms):
        del now_ms
        match self.answers.get(proxy.session_id):
            case None:
                pass
            case b"a member":
                proxy.authenticate(b"member")
            case _:
                proxy.reject()


class Member(Credentials):
    def on_challenge(self, encoded_challenge):
        assert encoded_challenge == b"who"
        return b"a member"


class Stranger(Credentials):
    def on_challenge(self, encoded_challenge):
        del encoded_challenge
        return b"nobody"


def test_members_identify_themselves_when_they_query():
    with Purging(5, authenticator_supplier=Door, credentials=Member()) as cluster:
        cluster.begin()
        cluster.load(14)
        cluster.await_purged()
        assert all(cluster.start_of(each) > 0 for each in cluster.members)


def test_unknown_members_purge_nothing_and_report_why():
    with Purging(5, authenticator_supplier=Door, credentials=Stranger()) as cluster:
        cluster.begin()
        cluster.load(14)
        cluster.run_for(12 * S)
        assert all(cluster.start_of(each) == 0 for each in cluster.members)
        errors = [str(error) for error in cluster.members[0].errors]
        assert any("member 1: AUTHENTICATION_REJECTED" in each for each in errors)


@pytest.mark.parametrize("seed", [SEED])
def test_no_killed_member_misses_purged_log(seed):
    random = SeededRandom(seed)
    with Purging(seed, snapshot_interval_ns=(1 + random.below(3)) * S) as cluster:
        cluster.begin()
        for _ in range(5):
            cluster.write(2 + random.below(4))
            member = cluster.members[random.below(3)]
            match random.below(4):
                case 0:
                    member.kill()
                case 1:
                    member.machine.files.stop_after(1 + random.below(400))
                case 2:
                    member.pause((1 + random.below(6)) * S)
                case _:
                    pass
            cluster.write(random.below(4))
            cluster.start()
            cluster.await_leader()
        # A call at which another process is to be killed happens now.
        for _ in range(3):
            cluster.write(2)
            cluster.start()
        cluster.await_leader()
        cluster.drop_client()
        cluster.load(6)
        cluster.await_equal()
        cluster.await_purged()
        assert all(cluster.start_of(each) > 0 for each in cluster.members)
