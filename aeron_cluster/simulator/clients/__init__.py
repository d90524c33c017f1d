"""Clients of a simulated cluster, and the reference service that is used by default."""
