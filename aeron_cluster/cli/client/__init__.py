"""A client at the command line: one request, or a prompt."""
