"""Options of the sink's cluster clients."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster_client.context import ClusterClientContext
from aeron_cluster.errors import AccessFileError, MissingFileError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.pipeline.sink import target as target_module
from aeron_cluster.pipeline.sink.target import ClusterTarget, locate
from tests.unit.cluster.tools.conftest import (  # noqa: F401 - fixtures
    member,
)


def test_an_unset_option_is_left_to_the_client():
    options = ClusterTarget(ingress_endpoints="0=localhost:1").client_options(Seams())
    context = ClusterClientContext.of(**options)
    assert context.ingress_channel == "aeron:udp"
    assert context.egress_channel == "aeron:udp?endpoint=localhost:0"
    assert context.ingress_endpoints == "0=localhost:1"
    assert context.credentials.encoded_credentials() == b""
    assert "aeron_dir" not in options


def test_credentials_are_read_from_a_file_of_the_writing_machine(tmp_path):
    path = tmp_path / "credentials"
    path.write_text("me:secret\n")
    path.chmod(0o600)
    target = ClusterTarget("aeron:ipc", aeron_dir="/d", credentials_file=str(path))
    options = target.client_options(Seams())
    assert ClusterClientContext.of(**options).credentials.encoded_credentials() == b"me:secret"
    assert options["aeron_dir"] == "/d"
    path.write_text("\n")
    with pytest.raises(AccessFileError):
        target.client_options(Seams())


def test_a_directory_of_no_member_is_named(tmp_path):
    target = ClusterTarget(timeout_ns=1)
    with pytest.raises(MissingFileError, match=str(tmp_path)):
        locate(Seams(), str(tmp_path), target)


@pytest.fixture
def query(monkeypatch):
    """Make the module answer with two members; return the timeouts of the questions."""
    asked = []
    members = [SimpleNamespace(member_id=each, ingress_endpoint=f"h:{each}") for each in (0, 2)]

    def ask(_seams, component, timeout_ns):
        assert component.header.member_id == 3
        asked.append(timeout_ns)
        return SimpleNamespace(active_members=members)

    monkeypatch.setattr(target_module, "query_membership", ask)
    return asked


def test_running_member_names_the_endpoints_and_its_driver(member, query):  # noqa: F811
    member.mark()
    target = ClusterTarget(timeout_ns=7)
    found = locate(Seams(), str(member.directory), target)
    assert found == replace(
        target, ingress_endpoints="0=h:0,2=h:2", aeron_dir=str(member.aeron_dir)
    )
    assert query == [7]


def test_given_values_are_kept(member, query):  # noqa: F811
    member.mark()
    target = ClusterTarget(ingress_endpoints="9=z:1", aeron_dir="/mine", timeout_ns=7)
    assert locate(Seams(), str(member.directory), target) == target
    assert query == []
