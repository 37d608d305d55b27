"""Finished code: its instructions, their counts, and lower bounds on its cycles."""
