"""Commands that run until they are stopped, and that prepare their directories."""
