"""Replays: the replayer, and the requests that start and stop it."""
