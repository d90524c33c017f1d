"""Run streaming queries with an end to that end, on a machine that may be busy."""

from pyspark.errors import StreamingQueryException

# Spark waits ten seconds for the Python process that plans a stream; this cannot be configured.
LATE = "Python worker failed to connect back"
TIMEOUT_S = 240
ATTEMPTS = 5


def run_to_end(start):
    """Run the query that ``start`` starts; return it after its end.

    A query whose Python process was late is restarted from its checkpoint.
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
