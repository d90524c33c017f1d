"""The command, event and error codes of the control protocol for Python."""
