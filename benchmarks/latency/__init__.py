"""Latency on pinned threads, one at a time and at given rates: ours, Java's, the bare machine's."""
