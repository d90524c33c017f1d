"""The columns that a scan fills: their definitions, and the memory that becomes Arrow's."""
