"""The invariants of a simulated cluster, and the plain readers that check them.

Checks of the wire, of disks, of logs and of answers share no code with what they judge.
"""
