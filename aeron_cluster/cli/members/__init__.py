"""Commands for members, by their cluster directory."""
