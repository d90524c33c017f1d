"""Commands that run until they are stopped, and what prepares their directories."""
