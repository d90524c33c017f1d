"""Options that several commands share, and the printing of results."""
