"""Reads ranges of recordings into columns.

Scanners of frames over segment files, the borders of frames and messages, positions by time, and
the batches as Arrow's.
"""
