"""Measures the latencies of a node's stages at positions of the log."""
