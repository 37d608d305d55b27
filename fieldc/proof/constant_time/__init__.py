"""Scans finished machine code for what may take a different time for different operands."""
