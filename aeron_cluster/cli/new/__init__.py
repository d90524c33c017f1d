"""The command that creates a package with a service from templates."""
