"""The consensus module: its start, its duty cycle in Python, and its end."""
