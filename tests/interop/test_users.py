"""Java clients with a node that reads its users and their permissions from files."""

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from tests.interop.cluster_node import TIMEOUT_S, ClusterNodes
from tests.waiting import await_true

REJECTED = 3


@pytest.fixture
def nodes(java, shm_dir, tmp_path, free_port):
    with ClusterNodes("ours-thread-an-agent", java, tmp_path, shm_dir, free_port(10)) as started:
        yield started


def change(*arguments, typed=None):
    done = CliRunner().invoke(main, ["users", *map(str, arguments)], input=typed)
    assert done.exit_code == 0, done.output


def test_java_clients_are_authenticated_by_the_files(nodes, tmp_path):
    users, policy = tmp_path / "users", tmp_path / "policy"
    for name in ("admin", "trader"):
        change("add", "--file", users, "--stdin", name, typed=f"{name}'s secret\n")
    policy.write_text("admin: connect snapshot\ntrader: connect\n")
    node = nodes.start(users=users, policy=policy).await_leader()
    for credentials in ("trader:guess", "nobody:trader's secret", "trader", ""):
        rejected = nodes.run_client(code=REJECTED, credentials=credentials, connectMs=0)
        failure = rejected.await_event("connectFailed")
        assert failure["type"] == "AuthenticationException"
        assert "session failed authentication" in failure["message"]
    trader = {"credentials": "trader:trader's secret"}
    assert nodes.run_client(count=10, **trader).await_event("result")["bad"] == 0
    assert node.peer.await_event("sessionOpen")["principal"] == "trader"
    for name, code, answer in (("trader", 1, "UNAUTHORISED_ACCESS"), ("admin", 0, "OK")):
        reported = nodes.run_client(
            code=code, cmd="snapshot", credentials=f"{name}:{name}'s secret"
        )
        assert reported.await_event("adminResponse")["code"] == answer
    node.peer.await_event("snapshotTaken")
    # A removed user is rejected within a second, without a restart of the node.
    change("remove", "--file", users, "trader")
    await_true(
        lambda: nodes.client(count=1, connectMs=0, **trader).wait(TIMEOUT_S) == REJECTED,
        "the rejection of a removed user",
    )
