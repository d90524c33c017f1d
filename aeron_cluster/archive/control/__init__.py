"""The archive's conductor: requests and their dispatch, lists, maintenance, counters, mark file."""
