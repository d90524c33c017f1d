"""Catalog, recorder, replayer, control sessions, and the archive client."""
