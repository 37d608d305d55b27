"""Measured search for the fastest kernel of one processor, and the decisions it found."""
