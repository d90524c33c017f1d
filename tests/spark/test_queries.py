"""A query is restarted after a delay of a busy machine; any other failure ends it."""

import pytest

pytest.importorskip("pyspark")

from pyspark.errors import StreamingQueryException

from tests.spark.queries import ATTEMPTS, LATE, run_to_end


class Query:
    def __init__(self, reason):
        self._reason = reason

    def awaitTermination(self, _timeout_s):  # noqa: N802 - Spark's name
        if self._reason:
            raise StreamingQueryException(self._reason)
        return True


def test_query_with_a_late_process_is_restarted():
    reasons = [f"terminated: {LATE}.", None]
    query = run_to_end(lambda: Query(reasons.pop(0)))
    assert (query._reason, reasons) == (None, [])


def test_any_other_failure_and_repeated_lateness_end_the_query():
    reasons = ["the checkpoint of another archive", None]
    with pytest.raises(StreamingQueryException, match="another archive"):
        run_to_end(lambda: Query(reasons.pop(0)))
    assert reasons == [None]
    with pytest.raises(AssertionError, match=f"{ATTEMPTS} times"):
        run_to_end(lambda: Query(LATE))
