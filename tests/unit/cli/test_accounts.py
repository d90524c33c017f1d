"""The accounts of the examples: their requests and their snapshot."""

from aeron_cluster.cli.accounts import ENTRY, Accounts
from tests.unit.cluster.service.fake_cluster import FakeCluster, Snapshot


def test_snapshot_has_every_account_whatever_the_back_pressure():
    cluster, snapshot = FakeCluster(), Snapshot()
    accounts = Accounts()
    accounts.on_start(cluster, None)
    accounts.balances = {7: 300, -1: 2**63 - 1}
    accounts.on_take_snapshot(snapshot)
    assert snapshot.messages[:2] == [ENTRY.pack(7, 300), ENTRY.pack(-1, 2**63 - 1)]
    assert cluster.idled >= 2  # each offer was rejected once
