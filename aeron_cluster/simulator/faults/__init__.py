"""What goes wrong in a run: events, plans of them that a seed draws, and damage."""
