"""The columns that a scan fills: their definitions, and memory that Arrow uses without a copy."""
