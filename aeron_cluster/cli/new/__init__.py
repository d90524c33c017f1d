"""A new package with a service, from templates."""
