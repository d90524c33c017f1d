"""Aeron Cluster for Python."""
