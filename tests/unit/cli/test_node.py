"""The identity of `aeron-cluster node`: from options, or else from properties."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cli.processes import node
from aeron_cluster.cluster.assembly import ClusterNode
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.errors import ConfigurationError
from tests.unit.pipeline.logs import log_of_every_kind

MEMBERS = "0,a:1,a:2,a:3,a:4,a:5|1,b:1,b:2,b:3,b:4,b:5"
PROPERTIES = {"aeron.cluster.members": MEMBERS, "aeron.cluster.member.id": "1"}


def membership(properties=None, *, members=None, hosts=None, member_id=None):
    return node.membership(members, hosts, "localhost", 9000, member_id, properties or {})


def test_what_a_start_rarely_needs_is_not_imported():
    """Most of the time until the first echo of a node is the import of modules."""
    code = (
        "import sys, aeron_cluster.cli.main, aeron_cluster.cli.processes.node;print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    rarely_needed = {
        "aeron_cluster.cluster.security.file_authenticator",
        "aeron_cluster.events.printer",
        "aeron_cluster.memory.system.determinism",
        "importlib.metadata",
        "rich",
        "tempfile",
    }
    assert rarely_needed & set(done.stdout.split()) == set()


def test_properties_identify_the_member():
    assert membership(PROPERTIES) == (MEMBERS, 1)


def test_options_win():
    assert membership(PROPERTIES, member_id=0) == (MEMBERS, 0)
    assert membership(PROPERTIES, members="1,c:1,c:2,c:3,c:4,c:5") == ("1,c:1,c:2,c:3,c:4,c:5", 1)
    members, member_id = membership(PROPERTIES, hosts="x,y")
    assert members.startswith("0,x:9001,")
    assert member_id == 1


def test_by_default_the_cluster_is_a_single_local_member():
    alone = "0,localhost:9001,localhost:9002,localhost:9003,localhost:9004,localhost:9005"
    assert membership() == (alone, 0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"members": MEMBERS, "hosts": "a,b"}, "nothing beside --members, found 'a,b'"),
        ({"properties": {"aeron.cluster.member.id": "one"}}, "found 'one'"),
    ],
)
def test_contradictory_or_missing_options_are_rejected(options, expected):
    with pytest.raises(ConfigurationError, match=expected):
        membership(**options)


def test_a_library_users_errors_are_reported_too(tmp_path):
    def node(properties, **options):
        return ClusterNode.launch(
            ClusteredService(), directory=tmp_path / "data", properties=properties, **options
        )

    with pytest.raises(ConfigurationError, match="expected one of 0, 1, found 5"):
        node(PROPERTIES, member_id=5)
    with pytest.raises(ConfigurationError, match=r"expected one of 0, found 1"):
        node({"aeron.cluster.member.id": "1"}, members="0,a:1,a:2,a:3,a:4,a:5")
    with pytest.raises(ConfigurationError, match=r"aeron.archive.dir: expected .*data/archive"):
        node({"aeron.archive.dir": str(tmp_path / "elsewhere")})
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["10", "0.5", "0.5s", "soon"])
def test_a_time_without_its_unit_is_no_interval_between_snapshots(tmp_path, text):
    """Aeron's properties would be in nanoseconds, which would mean an immediate snapshot."""
    options = ["--service", "aeron_cluster.cli.accounts:Accounts", "--dir", str(tmp_path / "data")]
    done = CliRunner().invoke(main, ["node", *options, "--snapshot-every", text])
    assert done.exit_code == 2
    assert "Invalid value for '--snapshot-every': expected a " in done.stderr
    assert f"such as 10s or 500ms, found {text!r}" in done.stderr
    assert "aeron.cluster" not in done.stderr.partition("Error:")[2]
    assert not (tmp_path / "data").exists()


def test_an_unusable_path_is_reported_before_the_system_error(tmp_path):
    (tmp_path / "file").touch()
    options = ["--service", "aeron_cluster.cli.accounts:Accounts", "--dir"]
    done = CliRunner().invoke(main, ["node", *options, str(tmp_path / "file" / "x")])
    assert done.exit_code == 3
    assert "Errno" not in done.stderr
    assert f"error: {tmp_path}/file" in done.stderr


@pytest.mark.parametrize("command", ["replay", "check"])
def test_a_missing_node_cannot_be_replayed(tmp_path, command):
    service = ("--service", "aeron_cluster.cli.accounts:Accounts")
    done = CliRunner().invoke(main, [command, str(tmp_path / "nowhere"), *service])
    assert done.exit_code == 3
    assert "nowhere/cluster: expected a directory of a node that has run, found none" in done.stderr


@pytest.mark.parametrize("name", ["--5", "9" * 5000])
def test_a_text_that_is_not_a_position_is_the_file_of_a_snapshot(tmp_path, name):
    node = log_of_every_kind().write_node(tmp_path / "node0")
    service = ("--service", "aeron_cluster.cli.accounts:Accounts")
    done = CliRunner().invoke(main, ["replay", str(node), *service, "--from-snapshot", name])
    assert done.exit_code == 3
    assert f"error: {name}: " in done.stderr
