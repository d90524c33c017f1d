"""Clients of a simulated cluster, and the default reference service."""
