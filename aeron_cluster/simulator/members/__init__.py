"""Members and backups of a simulated cluster: their machines, processes and services."""
