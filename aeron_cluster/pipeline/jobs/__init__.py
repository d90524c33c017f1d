"""Jobs over what was recorded: each is a function, and a verb of the command."""
