"""The clustered service container and what it hosts: services in Python and native ones."""
