"""The latencies of a node's stages, measured at positions of the log."""
