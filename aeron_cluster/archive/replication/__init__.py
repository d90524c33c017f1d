"""Replications of recordings of other archives into this one."""
