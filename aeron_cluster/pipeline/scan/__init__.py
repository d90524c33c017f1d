"""Reads ranges of recordings into columns.

It has scanners of frames in segment files, boundaries of frames and messages, positions by time,
and conversion to Arrow batches.
"""
