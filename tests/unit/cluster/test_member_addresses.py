"""Which sources a member accepts."""

import threading

import pytest

from aeron_cluster.cluster.members.member_addresses import MEMBER_MESSAGES, MemberAddresses
from aeron_cluster.cluster.members.members import parse_members
from aeron_cluster.codecs import cluster as codecs
from aeron_cluster.errors import MemberIdMismatchError, UnknownSourceError
from aeron_cluster.memory.system.seams import UdpNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock
from tests.unit.cluster.test_module_context import context
from tests.waiting import await_true

SECOND_NS = 1_000_000_000


def members(*hosts):
    return parse_members(
        "|".join(f"{index},i:1,{host}:20,l:3,c:4,a:5" for index, host in enumerate(hosts))
    )


class Names:
    """A name service with changeable entries; it counts the queries."""

    def __init__(self, **known):
        self.known = known
        self.requested = 0

    def __call__(self, host):
        self.requested += 1
        if host not in self.known:
            raise OSError(f"{host}: name not known")
        return self.known[host]


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def reported():
    return []


def guard(members_, clock, reported, names=None, **options):
    return MemberAddresses(
        members_,
        names or Names(),
        clock,
        reported.append,
        member_id=0,
        log_place=lambda: (3, 1024),
        **options,
    )


def test_receives_from_every_member_at_any_port(clock, reported):
    made = guard(members("10.0.0.1", "10.0.0.2", "[fd00::3]"), clock, reported)
    for source in ("10.0.0.1:20", "10.0.0.2:40123", "10.0.0.2:1", "[fd00:0:0:0:0:0:0:3]:4000"):
        assert made.is_member(source)
    assert (made.rejected_count, reported) == (0, [])


@pytest.mark.parametrize(
    "source",
    ["10.0.0.3:20", "10.0.0.10:20", "[::1]:20", "127.0.0.1:20", "[fd00::4]:1", "nonsense", "", ":"],
)
def test_rejects_others_and_names_each_once(clock, reported, source):
    counted = []
    made = guard(members("10.0.0.1", "[fd00::3]"), clock, reported)
    made.count_by(lambda: counted.append(1))
    for _ in range(3):
        assert not made.is_member(source)
    assert made.rejected_count == len(counted) == 3
    [error] = reported
    assert isinstance(error, UnknownSourceError)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (0, 3, 1024)
    assert "expected a member's host, 10.0.0.1, fd00::3" in str(error)
    assert "aeron.cluster.consensus.source.check=false" in error.remedy


def test_a_host_is_named_once_for_all_its_ports(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported)
    for port in range(100):
        made.is_member(f"10.9.9.9:{port}")
    assert [error.found for error in reported] == ["10.9.9.9"]


def test_source_forging_its_address_does_not_fill_the_log(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported)
    for index in range(1000):
        made.is_member(f"10.9.{index // 256}.{index % 256}:1")
    assert made.rejected_count == 1000
    assert len(reported) == 64


@pytest.mark.parametrize("configured", ["127.0.0.1", "127.0.1.1", "[::1]", "0.0.0.0"])
@pytest.mark.parametrize(
    "source", ["127.0.0.1:9", "127.0.1.1:9", "[::1]:9", "[::ffff:127.0.0.1]:9"]
)
def test_one_machine_is_one_host(clock, reported, configured, source):
    assert guard(members(configured), clock, reported).is_member(source)


def test_an_address_is_the_same_in_every_spelling(clock, reported):
    made = guard(members("10.0.0.1", "[fe80::1%eth0]"), clock, reported)
    assert made.is_member("[::ffff:10.0.0.1]:40")
    assert made.is_member("[fe80:0:0:0:0:0:0:1%3]:40")
    # As Java's driver writes them.
    assert made.is_member("fe80:0:0:0:0:0:0:1%eth0:40")
    assert made.is_member("fe80:0:0:0:0:0:0:1:40123")
    assert not made.is_member("fe80:0:0:0:0:0:0:2:40")


def test_knows_every_address_of_a_name(clock, reported):
    names = Names(node0=["10.0.0.1", "fd00::1"], node1=["10.0.0.2"])
    made = guard(members("node0", "node1"), clock, reported, names)
    assert made.is_member("10.0.0.1:1")
    assert made.is_member("[fd00::1]:1")
    assert made.members_at("10.0.0.2:1") == {1}
    assert names.requested == 2


def test_reports_the_ids_of_a_source(clock, reported):
    made = guard(members("10.0.0.1", "10.0.0.1", "10.0.0.2"), clock, reported)
    assert made.members_at("10.0.0.1:1") == {0, 1}
    assert made.members_at("10.0.0.1:1") == {0, 1}
    assert made.members_at("10.0.0.2:1") == {2}
    assert made.members_at("10.0.0.3:1") == frozenset()


def test_a_member_at_a_new_address_is_accepted_and_not_reported(clock, reported):
    names = Names(node0=["10.0.0.1"], node1=["10.0.0.2"])
    made = guard(members("node0", "node1"), clock, reported, names)
    assert made.is_member("10.0.0.2:1")
    names.known["node1"] = ["10.0.0.9"]
    clock.advance(SECOND_NS)
    assert made.is_member("10.0.0.9:1")
    assert not made.is_member("10.0.0.2:1")
    assert reported == []


def test_resolves_no_more_often_than_its_interval(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0"), clock, reported, names)
    for _ in range(50):
        assert not made.is_member("10.9.9.9:1")
    assert names.requested == 1
    # It may be a moved member: it is reported after the names were resolved again.
    assert reported == []
    clock.advance(SECOND_NS)
    assert not made.is_member("10.9.9.9:1")
    assert names.requested == 2
    assert [error.found for error in reported] == ["10.9.9.9"]
    clock.advance(SECOND_NS)
    assert not made.is_member("10.9.9.9:1")
    assert names.requested == 3
    assert len(reported) == 1


def test_a_former_sender_is_named_though_it_is_silent(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0"), clock, reported, names)
    assert not made.is_member("10.9.9.9:1")
    assert made.next_deadline_ns() == clock.nano_time() + SECOND_NS
    made.do_work()
    assert reported == []
    clock.advance(SECOND_NS)
    made.do_work()
    assert made.next_deadline_ns() == 2**63 - 1
    assert [error.found for error in reported] == ["10.9.9.9"]
    clock.advance(SECOND_NS)
    made.do_work()
    assert names.requested == 2  # no unresolved name is left


def test_unknown_name_is_awaited(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0", "node1"), clock, reported, names)
    assert made.is_member("10.0.0.1:1")
    clock.advance(SECOND_NS)
    assert not made.is_member("10.0.0.2:1")
    assert "node1 (node1: name not known)" in str(reported[0])
    names.known["node1"] = ["10.0.0.2"]
    clock.advance(SECOND_NS)
    assert made.is_member("10.0.0.2:1")


def test_former_member_host_is_named_again(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0"), clock, reported, names)
    for addresses in (["10.0.0.1"], ["10.0.0.9"], ["10.0.0.1"]):
        names.known["node0"] = addresses
        clock.advance(SECOND_NS)
        made.is_member("10.0.0.9:1")
        made.is_member("10.0.0.250:1")
    clock.advance(SECOND_NS)
    made.is_member("10.0.0.9:1")
    assert [error.found for error in reported].count("10.0.0.9") == 2
    assert [error.found for error in reported].count("10.0.0.250") == 1


def test_a_name_without_addresses_retains_the_last_ones(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0"), clock, reported, names)
    del names.known["node0"]
    clock.advance(SECOND_NS)
    assert not made.is_member("10.9.9.9:1")
    assert names.requested == 2
    assert made.is_member("10.0.0.1:1")


def test_disabled_check_accepts_all_and_resolves_nothing(clock, reported):
    names = Names()
    made = guard(members("node0"), clock, reported, names, is_checked=False)
    assert made.is_member("10.9.9.9:1")
    assert made.members_at("10.9.9.9:1") == {0}
    assert (names.requested, reported, made.rejected_count) == (0, [], 0)


def test_receives_from_clients_of_the_same_driver(clock, reported):
    assert guard(members("10.0.0.1"), clock, reported).is_member("aeron:ipc")


def test_member_messages_are_all_but_a_backups_queries():
    everybodys = {
        message.template_id
        for message in (
            codecs.BackupQuery,
            codecs.HeartbeatRequest,
            codecs.StandbySnapshot,
            codecs.ChallengeResponse,
        )
    }
    assert not MEMBER_MESSAGES & everybodys
    assert codecs.RequestVote.template_id in MEMBER_MESSAGES


def test_runs_on_its_own_thread(clock, reported):
    names = Names(node0=["10.0.0.1"])
    made = guard(members("node0"), clock, reported, names, is_threaded=True)
    await_true(made.do_work, "the answer of the resolver")
    assert made.is_member("10.0.0.1:1")
    clock.advance(SECOND_NS)
    assert not made.is_member("10.9.9.9:1")
    await_true(made.do_work, "the answer of the resolver")
    assert [error.found for error in reported] == ["10.9.9.9"]
    made.close()
    made.close()


def test_images_of_members_and_of_the_other_hosts_are_accepted_and_no_others(clock, reported):
    hosts = ["10.0.0.7", "10.0.4.0/24", "fd00:4::/64"]
    made = guard(members("10.0.0.1", "10.0.0.2"), clock, reported, other_hosts=hosts)
    for source in ("10.0.0.1:5", "10.0.0.7:5", "10.0.4.200:5", "[fd00:4::9]:5", "aeron:ipc"):
        assert made.accepts_image(source)
    assert (made.rejected_count, reported) == (0, [])
    for _ in range(3):
        assert not made.accepts_image("10.0.5.1:5")
    assert made.rejected_count == 3
    (error,) = reported
    assert error.found == "10.0.5.1"
    assert "10.0.4.0/24" in error.expected
    assert "aeron.cluster.consensus.source.hosts" in str(error)


def test_the_other_hosts_have_images_and_are_no_members(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported, other_hosts=["10.0.0.7", "10.0.4.0/24"])
    for host in ("10.0.0.7", "10.0.4.1"):
        assert made.accepts_image(f"{host}:5")
        assert not made.is_member(f"{host}:5")
    assert [error.found for error in reported] == ["10.0.0.7", "10.0.4.1"]


def test_other_host_with_a_members_address_is_still_a_member(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported, other_hosts=["10.0.0.1"])
    assert made.members_at("10.0.0.1:5") == {0}


def test_names_of_other_hosts_are_resolved_again_as_those_of_members_are(clock, reported):
    names = Names(node0=["10.0.0.1"], backup=["10.0.0.7"])
    made = guard(members("node0"), clock, reported, names, other_hosts=["backup"])
    assert made.accepts_image("10.0.0.7:5")
    names.known["backup"] = ["10.0.0.8"]
    clock.advance(SECOND_NS)
    assert made.accepts_image("10.0.0.8:5")
    assert not made.accepts_image("10.0.0.7:5")


def test_an_image_is_checked_once_the_names_are_resolved(clock, reported):
    may_answer = threading.Event()
    names = Names(node0=["10.0.0.1"])

    def resolve(host):
        may_answer.wait()
        return names(host)

    made = guard(members("node0"), clock, reported, resolve, is_threaded=True)
    assert made.accepts_image("10.9.9.9:1")  # it may be node0's address
    assert not made.is_resolved
    may_answer.set()
    await_true(lambda: made.do_work() or made.is_resolved, "the answer of the resolver")
    assert not made.accepts_image("10.9.9.9:1")
    assert made.accepts_image("10.0.0.1:1")
    made.close()


def test_without_the_check_every_image_is_accepted(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported, is_checked=False)
    assert made.accepts_image("10.9.9.9:1")


def test_the_context_creates_it_from_its_options():
    made = context().make_member_addresses(lambda: (0, 0))
    await_true(lambda: made.is_member("127.0.0.1:9"), "localhost is resolved")
    assert made.is_member("127.0.0.1:9")
    assert not made.is_member("192.0.2.1:9")
    made.close()
    unchecked = context({"aeron.cluster.consensus.source.check": "false"})
    off = unchecked.make_member_addresses(lambda: (0, 0))
    assert off.is_member("192.0.2.1:9")


def test_the_real_resolver_knows_this_machine(clock, reported):
    made = guard(members("localhost"), clock, reported, UdpNetwork().resolve)
    assert made.is_member("127.0.0.1:1")


def test_a_sender_with_another_members_id_is_named_once_by_id_and_host(clock, reported):
    made = guard(members("10.0.0.1", "10.0.0.2"), clock, reported)
    for member_id, source in ((1, "10.0.0.1:20"), (1, "10.0.0.1:21"), (7, "10.0.0.2:20")):
        made.reject_id(source, member_id)
    assert [(type(error), error.member_id, error.found) for error in reported] == [
        (MemberIdMismatchError, 1, "10.0.0.1:20"),
        (MemberIdMismatchError, 7, "10.0.0.2:20"),
    ]
    assert {(error.leadership_term_id, error.log_position) for error in reported} == {(3, 1024)}
    assert "expected one of member 0; give every member the same" in str(reported[0])
    for member_id in range(1000):
        made.reject_id("10.0.0.1:20", member_id)
    assert len(reported) == 64


def test_any_number_of_ports_uses_a_limited_amount_of_memory(clock, reported):
    made = guard(members("10.0.0.1"), clock, reported)
    for port in range(10_000):
        assert made.is_member(f"10.0.0.1:{port}")
    assert len(made._known) <= 1024
    assert made.members_at("10.0.0.1:1") == {0}
    assert (made.rejected_count, reported) == (0, [])


def test_any_number_of_unknown_hosts_uses_a_limited_amount_of_memory(clock, reported):
    made = guard(members("node1"), clock, reported, Names(node1=["10.0.0.1"]))
    for number in range(2_000):
        assert not made.is_member(f"10.1.{number >> 8}.{number & 255}:1")
    assert made.rejected_count == 2_000
    assert len(made._unknown) <= 64
    assert len(reported) <= 64
    assert made.is_member("10.0.0.1:1")


def test_a_pending_resolution_is_checked_repeatedly(clock, reported):
    answered = threading.Event()

    def resolve(_host):
        assert answered.wait(60)
        return ["10.0.0.1"]

    made = guard(members("node1"), clock, reported, resolve, is_threaded=True)
    made.is_member("10.0.0.1:1")
    assert clock.nano_time() < made.next_deadline_ns() < clock.nano_time() + SECOND_NS
    answered.set()
    await_true(lambda: made.do_work() or made.is_member("10.0.0.1:1"), "an answer")
    assert made.is_member("10.0.0.1:1")
    assert "rejected=" in repr(made)
    made.close()
