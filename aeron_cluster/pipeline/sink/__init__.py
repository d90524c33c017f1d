"""Writes rows into a cluster: a session for each part of them, and what is known of them then.

It needs PyArrow, of which rows are batches, and nothing of Spark.
"""
