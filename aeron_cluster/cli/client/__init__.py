"""A client on the command line: single requests, or a prompt."""
