"""The next batch of a stream makes the service forget each client of the previous one."""

from aeron_cluster.pipeline.sink.last_batches import LastBatches
from aeron_cluster.pipeline.sink.reports import PartReport


def parts(write_id, **clients):
    return [
        PartReport(write_id, int(partition[1:]), 0, client_id)
        for partition, client_id in clients.items()
    ]


def test_client_ids_not_forgotten_by_the_next_tasks_are_reported():
    batches = LastBatches()
    assert batches.follow(0, parts("a", p0=10, p1=11, p2=12)) == []
    # A part without rows had no session, and one part is missing.
    assert batches.follow(1, parts("a", p0=20, p1=0)) == [11, 12]
    assert batches.follow(2, parts("a", p0=30, p1=31)) == []
    assert batches.follow(3, parts("a", p1=41)) == [30]


def test_streams_are_kept_separate():
    batches = LastBatches()
    batches.follow(0, parts("a", p0=10, p1=11))
    assert batches.follow(1, parts("b", p0=20)) == []
    assert batches.follow(1, parts("a", p0=30)) == [11]


def test_rewritten_batch_forgets_no_client_still_needed():
    batches = LastBatches()
    batches.follow(4, parts("a", p0=10, p1=11))
    assert batches.follow(4, parts("a", p0=10)) == []
    # Nor does a batch resumed from an older checkpoint.
    assert batches.follow(2, parts("a", p0=5)) == []


def test_batches_reported_by_another_process_are_finished():
    batches = LastBatches()
    batches.follow(4, parts("a", p0=10, p1=11))
    # Batch 6 made the service forget the clients of 5; whether 4's were forgotten is unknown here.
    assert batches.follow(6, parts("a", p0=30)) == [10, 11]


def test_a_services_offer_has_no_client():
    batches = LastBatches()
    batches.follow(0, parts("a", p0=0, p1=0))
    assert batches.follow(1, []) == []
    assert batches.follow(2, parts("a", p0=0)) == []
