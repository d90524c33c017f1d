"""Operator tools for an archive's directory: inspect, verify, repair, clean up, migrate."""
