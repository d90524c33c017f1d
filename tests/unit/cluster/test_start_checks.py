import pytest

from aeron_cluster.cli.options.ports import check_endpoint
from aeron_cluster.cluster.members.members import Member
from aeron_cluster.cluster.module.start_checks import find_port_in_use
from aeron_cluster.memory.system.seams import UdpNetwork


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 64}.b"])
def test_ports_of_a_name_that_cannot_be_looked_up_are_not_in_use(host):
    endpoints = ",".join(f"{host}:{9000 + offset}" for offset in range(5))
    member = Member.parse(f"0,{endpoints}")
    assert find_port_in_use(UdpNetwork(), member, has_peers=True) is None
    check_endpoint(UdpNetwork(), f"{host}:9000", "archive control", "--port")


def test_a_number_with_too_many_digits_is_no_port_in_use():
    digits = "9" * 5000
    member = Member.parse(f"0,{','.join([digits] * 5)}")
    assert find_port_in_use(UdpNetwork(), member, has_peers=True) is None
    check_endpoint(UdpNetwork(), f"localhost:{digits}", "archive control", "--port")
