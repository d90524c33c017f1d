"""Agents: duty cycles, the threads that drive them, and the reporting of their errors."""
