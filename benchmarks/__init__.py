"""Measurements: instruction counts of hot functions, and ratios to Java Aeron."""
