"""Errors that other processes receive: Spark's driver gets them from its workers by pickle."""

import inspect
import pickle

import pytest

from aeron_cluster import errors
from aeron_cluster.errors import PersistentSubscriptionReason

# One of each kind that is passed between processes, and a part of its text.
EXAMPLES = [
    (
        errors.SegmentError(7, "7-0.rec", 64, "frame length", "32", "5", 128),
        "recording 7: 7-0.rec at 64: frame length 5, expected 32",
    ),
    (errors.PurgedError(7, 64, 128), "recording 7: expected position 64, found that it is purged"),
    (errors.UnreachableFileError("s3://a/b", "timed out"), "s3://a/b: expected an answer"),
    (
        errors.SchemaError("a.xml", "Order.price", "a type", "money"),
        "a.xml: Order.price: expected a type, found money",
    ),
    (errors.PayloadError(3, 8, "length", "4", "9"), "payload 3 at 8: length 9, expected 4"),
    (
        errors.PayloadError(3, 8, "length", "4", "9", 7, 64, "7-0.rec"),
        "recording 7: 7-0.rec: payload of position 64 at 8: length 9, expected 4",
    ),
    (
        errors.RowError(2, 5, "price", "a number", "none", "fill it"),
        "partition 2, row 5: price: expected a number, found none (fill it)",
    ),
    (
        errors.RowError(2, 5, "price", "a number", "none"),
        "partition 2, row 5: price: expected a number, found none",
    ),
    (errors.MissingJavaError(17, "8"), "expected Java 17 or later for Spark, found 8"),
    (
        errors.PersistentSubscriptionError(
            PersistentSubscriptionReason.INVALID_START_POSITION, "too early"
        ),
        "too early",
    ),
    (errors.RequestFailedError(5, "no cake", True), "request 5: rejected by the service: no cake"),
    (errors.RowsRejectedError(3, ["row 1: no", "row 4: no"]), "rejected 3 rows: row 1: no; row 4"),
    (errors.MissingDeduplicationError(2.5), "found no answer within 2.5 s"),
]


def kinds():
    """Return the kinds that define how they are pickled."""
    return {
        each
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if each.__module__ == errors.__name__ and "__reduce__" in vars(each)
    }


def test_each_kind_passed_between_processes_has_an_example():
    assert {type(error) for error, _ in EXAMPLES} == kinds()


@pytest.mark.parametrize(("error", "text"), EXAMPLES, ids=lambda each: type(each).__name__)
def test_error_keeps_its_text_and_attributes_in_another_process(error, text):
    assert text in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_stalled_member_has_its_durations_and_a_remedy():
    error = errors.StalledError(
        "the service",
        12_000_000_000,
        10_000_000_000,
        "a slow callback",
        member_id=1,
        leadership_term_id=2,
        log_position=64,
    )
    text = "the service stalled for 12.0 s, and its driver timed it out after 10.0 s: a slow callba"
    assert text in str(error)
    assert "aeron.client.liveness.timeout" in str(error)
    assert (error.stalled_ns, error.limit_ns) == (12_000_000_000, 10_000_000_000)
    assert (error.member_id, error.leadership_term_id, error.log_position) == (1, 2, 64)


def test_client_without_an_answer_names_the_requests_in_doubt():
    error = errors.RequestsInDoubtError(7, "gone", [3, 4, 5, 9])
    assert str(error) == "surviving client 7: gone; in doubt: 3-5, 9"
    assert error.in_doubt == (3, 4, 5, 9)
    assert str(errors.RequestsInDoubtError(7, "gone", [])) == "surviving client 7: gone"
