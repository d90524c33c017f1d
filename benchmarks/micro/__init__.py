"""Instruction counts of single hot functions, held against a committed baseline."""
