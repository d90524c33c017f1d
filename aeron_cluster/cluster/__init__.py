"""Consensus module, election, log, sessions, service container, backup, tools."""
