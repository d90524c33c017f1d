"""Runs of a cluster from a seed, the drawn shape of the cluster, and shrinking of failing runs."""
