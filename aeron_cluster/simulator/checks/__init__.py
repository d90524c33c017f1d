"""The invariants of a simulated cluster, and the plain readers that check them.

Checks of the wire, disks, logs and answers share no code with what they check; the exceptions are
in ``tests/test_source.py``.
"""
