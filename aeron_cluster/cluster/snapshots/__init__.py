"""Snapshots: when they are taken, which members have them, and purges of the log."""
