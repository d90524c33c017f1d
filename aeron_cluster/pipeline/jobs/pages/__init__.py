"""The pages of the jobs `latency` and `sessions`, and what they are drawn with."""
