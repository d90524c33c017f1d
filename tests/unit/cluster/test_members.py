import pytest

from aeron_cluster.cluster.members.members import (
    Member,
    find_member,
    ingress_endpoints,
    parse_members,
)
from aeron_cluster.errors import ConfigurationError

ZERO = "0,a:1,a:2,a:3,a:4,a:5"
ONE = "1,b:1,b:2,b:3,b:4,b:5,b:6"
TWO = "2,c:1,c:2,c:3,c:4,c:5,,c:7"


def test_reads_and_writes_the_same_text():
    members = parse_members(f"{ZERO}|{ONE}|{TWO}|")
    assert "|".join(str(member) for member in members) == f"{ZERO}|{ONE}|{TWO}"


def test_names_every_endpoint():
    member = Member.parse(ONE)
    assert member.member_id == 1
    assert (member.ingress_endpoint, member.consensus_endpoint) == ("b:1", "b:2")
    assert (member.log_endpoint, member.catchup_endpoint) == ("b:3", "b:4")
    assert (member.archive_endpoint, member.archive_response_endpoint) == ("b:5", "b:6")
    assert member.egress_response_endpoint == ""


def test_sends_clients_the_ingress_endpoints_in_member_order():
    assert ingress_endpoints(parse_members(f"{ONE}|{ZERO}")) == "1=b:1,0=a:1"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "cluster member"),
        ("0,a:1", "cluster member"),
        ("x,a:1,a:2,a:3,a:4,a:5", "cluster member id"),
        ("-1,a:1,a:2,a:3,a:4,a:5", "cluster member id"),
        ("2147483648,a:1,a:2,a:3,a:4,a:5", "cluster member id"),
        ("0,a:1,,a:3,a:4,a:5", "consensus endpoint"),
        ("0,a:1, a:2,a:3,a:4,a:5", "consensus endpoint"),
        ("0,:1,a:2,a:3,a:4,a:5", "ingress endpoint"),
        (f"{ZERO},1,2,3", "cluster member"),
        (f"{ZERO}|{ZERO}", "cluster members"),
    ],
)
def test_rejects_invalid_values_and_names_the_part(text, part):
    with pytest.raises(ConfigurationError) as caught:
        parse_members(text)
    assert caught.value.name == part


def test_finds_a_member_or_names_the_existing_ones():
    members = parse_members(f"{ZERO}|{ONE}")
    assert find_member(members, 1).member_id == 1
    with pytest.raises(ConfigurationError, match="one of 0, 1"):
        find_member(members, 7)


def test_a_fresh_member_retains_its_endpoints_and_forgets_its_progress():
    member = Member.parse(ZERO)
    member.log_position, member.vote = 64, True
    fresh = member.fresh()
    assert fresh == member
    assert (fresh.log_position, fresh.vote) == (-1, None)


@pytest.mark.parametrize("port", ["99999", "port", "-1", ""])
def test_rejects_an_invalid_port(port):
    with pytest.raises(ConfigurationError, match="log endpoint: expected a port from 0 to 65535"):
        Member.parse(f"0,a:1,b:2,c:{port},d:4,e:5")
