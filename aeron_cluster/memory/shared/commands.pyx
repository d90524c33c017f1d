"""The command, event and error codes of the control protocol, as Python sees them."""
