"""Jobs over recordings: each is a function and a verb of the command."""
