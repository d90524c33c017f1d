"""What has to hold in a simulated cluster, and the plain readers that judge it.

Checks of the wire, of disks, of logs and of answers share no code with what they judge.
"""
