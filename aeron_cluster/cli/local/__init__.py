"""A cluster on this machine: supervised member processes and their screen."""
