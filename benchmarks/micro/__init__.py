"""Instruction counts of single hot functions, compared with a committed baseline."""
