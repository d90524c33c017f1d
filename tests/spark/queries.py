"""Queries of streams that end, run to their end on a machine that may be busy."""

from pyspark.errors import StreamingQueryException

# Spark gives the Python process that plans a stream ten seconds to start, which is no option.
LATE = "Python worker failed to connect back"
TIMEOUT_S = 240
ATTEMPTS = 5


def run_to_end(start):
    """Run the query that ``start`` starts; return it once it has ended.

    One whose Python process was late is started again, from its checkpoint.
    """
    for _ in range(ATTEMPTS):
        query = start()
        try:
            assert query.awaitTermination(TIMEOUT_S)
        except StreamingQueryException as error:
            if LATE not in str(error):
                raise
        else:
            return query
    raise AssertionError(f"{ATTEMPTS} times: {LATE}")
