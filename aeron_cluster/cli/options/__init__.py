"""Options that several commands have, and how their answers are printed."""
