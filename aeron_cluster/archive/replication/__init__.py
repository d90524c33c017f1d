"""Replications: recordings of other archives that are copied into this one."""
