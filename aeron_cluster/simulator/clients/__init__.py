"""Clients of a simulated cluster, and the reference service that they use where none is given."""
