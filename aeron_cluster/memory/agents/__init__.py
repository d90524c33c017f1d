"""Agents: duty cycles, the threads that drive them, and how what they raise is reported."""
