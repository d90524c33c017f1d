"""A plain model of a cluster, from the formats' and the protocol's documents alone.

It reads recorded bytes and computes what must be true; the `checks` compare the members with it.
"""
