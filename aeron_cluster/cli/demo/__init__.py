"""The command ``demo``: a node that is killed under load."""
