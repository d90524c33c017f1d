"""Runs of a cluster from a seed, what such a cluster is made of, and failing runs made small."""
