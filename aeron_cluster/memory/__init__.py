"""Mapped memory, atomics, ring buffers, counters, clocks, agents and the seams."""
