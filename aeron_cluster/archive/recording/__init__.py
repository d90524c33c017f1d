"""Recordings: the recorder with its segment files, and the requests that start and stop it."""
