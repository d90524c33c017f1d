"""Shared by archives and their clients: error codes, channels, and the counter of a recording."""
