"""Consensus module, election, log, sessions, service container, cluster client."""
