"""Proofs of code that does divsteps: integers with signs, and choices by two conditions."""
