"""Writes rows into a cluster, with a session for each partition, and reports the result.

It requires PyArrow, as rows are its batches, but not Spark.
"""
